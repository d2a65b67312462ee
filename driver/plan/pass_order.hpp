// The order in which a pass visits the points: random, and the same everywhere for a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace syncmeter {

/// 0 .. size-1 in the order of pass `pass` (from 1) of a campaign with this seed. Fisher and Yates'
/// shuffle (Knuth, TAOCP vol. 2, algorithm P) on std::mt19937_64; std::shuffle and the standard
/// distributions may differ between standard libraries.
[[nodiscard]] std::vector<std::size_t> pass_order(std::size_t size, std::uint64_t seed,
                                                  unsigned pass);

/// The same for groups of indices: groups in that order, the members of each one after the other,
/// beginning with another one in every pass.
[[nodiscard]] std::vector<std::size_t>
pass_order(const std::vector<std::vector<std::size_t>>& groups, std::uint64_t seed, unsigned pass);

/// A seed for one visit of one point, below 2^53 so that every JSON reader keeps it exactly.
[[nodiscard]] std::uint64_t visit_seed(std::uint64_t seed, std::string_view canonical_point,
                                       unsigned visit);

}  // namespace syncmeter
