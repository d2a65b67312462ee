// Where in the source a site is, by addr2line.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "driver/advise/counts.hpp"

namespace syncmeter {

/// Fills the frames by addr2line, which is run once for each module, and joins sites of which the
/// frames are equal. Returns what it could not do,
/// in a sentence; empty when all went well.
[[nodiscard]] std::string find_source_lines(std::vector<site>& sites);

/// The first that is not of the compiler's or the system's headers; none: nullptr.
[[nodiscard]] const source_frame* frame_to_show(const site& of);
/// Whether the call is Kokkos' own, and in none of the program's functions.
[[nodiscard]] bool is_in_kokkos(const site& of);
/// What Kokkos calls it; of a kernel without a name of its own that of its type. Empty: not of it.
[[nodiscard]] std::string label_text(const site& of);
/// That frame, or the place in the module, behind the label of a kernel of Kokkos.
[[nodiscard]] std::string where_text(const site& of);
/// Where the first two of these sites are, by their numbers in the file, and how many there are
/// beside them.
[[nodiscard]] std::string places_text(std::span<const std::size_t> ids,
                                      const std::vector<site>& sites);
/// Where to get the names from that the first of these sites are without; empty where they have
/// theirs, and where `problem` kept find_source_lines from reading those that the files may have.
[[nodiscard]] std::string unnamed_sites_text(const std::vector<site>& sites,
                                             const std::string& problem);

}  // namespace syncmeter
