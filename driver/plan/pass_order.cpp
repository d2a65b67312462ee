#include "driver/plan/pass_order.hpp"

#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace syncmeter {
namespace {

// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (2014): neighbours in,
// strangers out.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// Uniform below `limit`; what lies beyond the last whole multiple of it is drawn again.
std::size_t below(std::mt19937_64& random, std::size_t limit) {
  const std::uint64_t bound =
      std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint64_t>::max() % limit;
  std::uint64_t drawn = random();
  while (drawn >= bound) drawn = random();
  return static_cast<std::size_t>(drawn % limit);
}

}  // namespace

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
