#include "core/machine/pu_pairs.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace syncmeter {
namespace {

bool same(int a, int b) { return a >= 0 && a == b; }

std::vector<pu_pair> every_pair(std::span<const processing_unit> units) {
  std::vector<pu_pair> all;
  for (std::size_t a = 0; a < units.size(); ++a) {
    for (std::size_t b = a + 1; b < units.size(); ++b)
      all.push_back({units[a].os, units[b].os, shared_by(units[a], units[b])});
  }
  return all;
}

}  // namespace

std::string_view to_text(sharing s) {
  constexpr std::array<std::string_view, sharing_classes> names{
      "same core",    "same L2",       "same L3",  "same NUMA node",
      "same package", "other package", "not known"};
  return names.at(static_cast<std::size_t>(s));
}

sharing shared_by(const processing_unit& a, const processing_unit& b) {
  const auto blank = [](const processing_unit& u) { return u.core < 0 && u.package < 0; };
  if (blank(a) && blank(b)) return sharing::unknown;
  if (a.package != b.package) return sharing::nothing;
  if (same(a.core, b.core)) return sharing::core;
  if (same(a.l2, b.l2)) return sharing::l2;
  if (same(a.l3, b.l3)) return sharing::l3;
  if (same(a.numa, b.numa)) return sharing::numa_node;
  return sharing::package;
}

pair_class class_of(const processing_unit& a, const processing_unit& b) {
  const auto [lower, higher] = std::minmax(a.kind, b.kind);
  return {shared_by(a, b), lower, higher};
}

std::string to_text(const pair_class& c, bool several_kinds) {
  const std::string text(to_text(c.shared));
  if (!several_kinds) return text;
  if (c.lower_kind == c.higher_kind) return fmt::format("{}, kind {}", text, c.lower_kind);
  return fmt::format("{}, kinds {} and {}", text, c.lower_kind, c.higher_kind);
}

std::vector<pu_pair> pairs_of(std::span<const processing_unit> units) {
  return units.size() <= most_pus_for_all_pairs ? every_pair(units) : sampled_pairs(units);
}

std::vector<pu_pair> sampled_pairs(std::span<const processing_unit> units) {
  const std::vector<pu_pair> all = every_pair(units);
  std::array<std::vector<pu_pair>, sharing_classes> by_class;
  for (const pu_pair& pair : all)
    by_class.at(static_cast<std::size_t>(pair.shared)).push_back(pair);
  std::vector<pu_pair> sample;
  for (const auto& pairs : by_class) {
    const std::size_t taken = std::min(pairs.size(), pairs_per_class);
    // The middles of equal stretches, so that neither end is favoured.
    for (std::size_t i = 0; i < taken; ++i)
      sample.push_back(pairs[(2 * i + 1) * pairs.size() / (2 * taken)]);
  }
  return sample;
}

}  // namespace syncmeter
