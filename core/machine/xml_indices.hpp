// The numbers of PUs and NUMA nodes in an XML file of hwloc's, before hwloc makes bitmaps of them.
#pragma once

#include <string>
#include <string_view>

namespace syncmeter {

/// A PU or a NUMA node without a number, or with one that no machine has: hwloc takes half a
/// gigabyte for it. What is wrong; empty when nothing is.
[[nodiscard]] std::string flaw_in_indices(std::string_view xml);
/// The same of a file; empty also where it cannot be read, which hwloc says.
[[nodiscard]] std::string flaw_in_xml_file(const std::string& path);

}  // namespace syncmeter
