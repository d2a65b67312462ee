#include "driver/campaign/pass_order.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>

namespace syncmeter {
namespace {

std::string text_without_grid_size(const planned_point& planned) {
  if (!planned.device) return canonical(planned.what);
  point any = planned.what;
  any.lanes = any.blocks = 1;
  return canonical(any);
}

auto size_of_grid(const point& p) { return std::tuple(std::size_t{p.lanes} * p.blocks, p.blocks); }

// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (2014). Neighbouring inputs
// give unrelated outputs.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// Draws uniformly below `limit`, and draws again beyond the last whole multiple of `limit`.
std::size_t below(std::mt19937_64& random, std::size_t limit) {
  const std::uint64_t bound =
      std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint64_t>::max() % limit;
  std::uint64_t drawn = random();
  while (drawn >= bound) drawn = random();
  return static_cast<std::size_t>(drawn % limit);
}

}  // namespace

grid_size_order::grid_size_order(const std::vector<planned_point>& points) : points_{points} {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t family =
        known.emplace(text_without_grid_size(points[i]), families_.size()).first->second;
    if (family == families_.size()) families_.emplace_back();
    families_[family].push_back(i);
    family_of_.push_back(family);
  }
  for (auto& members : families_)
    std::ranges::stable_sort(members, {},
                             [&points](std::size_t i) { return size_of_grid(points[i].what); });
}

std::vector<std::size_t> grid_size_order::smallest_first(std::vector<std::size_t> order) const {
  std::vector<std::size_t> next(families_.size());
  for (std::size_t& place : order) {
    const std::size_t family = family_of_[place];
    place = families_[family][next[family]++];
  }
  return order;
}

std::optional<std::size_t> grid_size_order::known_too_slow(std::size_t point,
                                                           const visit_log& visits) const {
  if (!points_[point].device) return {};
  const auto& wanted = points_[point].what;
  for (const std::size_t other : families_[family_of_[point]]) {
    const auto& smaller = points_[other].what;
    if (other != point && smaller.lanes <= wanted.lanes && smaller.blocks <= wanted.blocks &&
        visits.took_too_long(other))
      return other;
  }
  return {};
}

std::vector<std::size_t> pass_order(std::size_t size, std::uint64_t seed, unsigned pass) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(mix(seed ^ mix(pass)));
  for (std::size_t left = size; left > 1; --left)
    std::swap(order[left - 1], order[below(random, left)]);
  return order;
}

std::vector<std::size_t> pass_order(const std::vector<std::vector<std::size_t>>& groups,
                                    std::uint64_t seed, unsigned pass) {
  std::vector<std::size_t> order;
  for (const std::size_t g : pass_order(groups.size(), seed, pass)) {
    const auto& members = groups[g];
    for (std::size_t i = 0; i < members.size(); ++i)
      order.push_back(members[(i + pass - 1) % members.size()]);
  }
  return order;
}

std::uint64_t visit_seed(std::uint64_t seed, std::string_view canonical_point, unsigned visit) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : canonical_point)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(mix(seed ^ hash) + visit) >> 11U;
}

}  // namespace syncmeter
