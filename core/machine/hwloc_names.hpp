// What hwloc's objects are called, for people, and how large a machine is.
#pragma once

#include <cstdint>
#include <string>

#include <hwloc.h>

namespace syncmeter {

/// "L3 L#0 32 MiB", "NUMANode P#0 31.2 GiB", "Package P#0 (AMD EPYC)", "PU P#7": its type, the
/// system's number (P#) or else hwloc's logical index (L#), and what it holds.
[[nodiscard]] std::string object_name(const hwloc_obj* object);

/// "32 MiB"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// The memory of a machine; 0 where it is not known. Of this one it is the kernel's own sum: hwloc
/// adds up what NUMA nodes say, and those of a virtual machine whose memory grew after its start
/// may say what it started with.
[[nodiscard]] std::uint64_t memory_bytes(hwloc_topology_t tree);

}  // namespace syncmeter
