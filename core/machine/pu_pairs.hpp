// Pairs of PUs: what the two share, and which pairs to measure on a machine.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine/topology.hpp"

namespace syncmeter {

/// The narrowest thing that two PUs share, from the closest to the farthest.
enum class sharing : std::uint8_t {
  core,
  l2,
  l3,
  numa_node,
  package,
  nothing,  ///< they are in different packages
  unknown   ///< hwloc tells neither's core nor package
};
inline constexpr std::size_t sharing_classes = 7;

/// "same core", "same L2", ..., "other package", "not known".
[[nodiscard]] std::string_view to_text(sharing s);

/// What two PUs of one core have in common, and no others: the number of their core; a PU without a
/// core object is a core of its own.
[[nodiscard]] inline std::pair<int, int> core_of(const processing_unit& unit) {
  return {unit.core, unit.core < 0 ? unit.os : -1};
}

/// A cache that hwloc does not know is shared by nobody. Different packages share nothing, whatever
/// the indices of their caches say.
[[nodiscard]] sharing shared_by(const processing_unit& a, const processing_unit& b);

/// What tells pairs apart where cores are of several kinds: two fast cores under one L3 are not as
/// a fast and a slow one.
struct pair_class {
  sharing shared = sharing::nothing;
  int lower_kind = 0, higher_kind = 0;  ///< processing_unit::kind of the two
  friend auto operator<=>(const pair_class&, const pair_class&) = default;
};
[[nodiscard]] pair_class class_of(const processing_unit& a, const processing_unit& b);
/// "same L3"; where cores are of several kinds "same L3, kind 1", "same L3, kinds 0 and 1".
[[nodiscard]] std::string to_text(const pair_class& c, bool several_kinds);

struct pu_pair {
  int first = -1, second = -1;  ///< OS numbers
  sharing shared = sharing::nothing;
};

/// Above so many PUs a sample of pairs is measured.
inline constexpr std::size_t most_pus_for_all_pairs = 128;
/// Pairs of each class in such a sample: 120 in all, as many as 16 PUs have.
inline constexpr std::size_t pairs_per_class = 20;

/// Every pair once, in the order of `units`; of more than most_pus_for_all_pairs units, of each
/// class pairs_per_class of them, spread evenly over that order (all, where it has no more).
[[nodiscard]] std::vector<pu_pair> pairs_of(std::span<const processing_unit> units);
/// The sample, of however few units.
[[nodiscard]] std::vector<pu_pair> sampled_pairs(std::span<const processing_unit> units);

}  // namespace syncmeter
