// The policy quiet: as close, on the PUs that others use least.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/machine/pu_pairs.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

/// A PU, where close puts it, and how busy it is and what is around it, in tenths: small
/// differences are the probe's.
struct used_unit {
  const processing_unit* unit = nullptr;
  std::size_t close = 0;
  long tenths = 0;
  std::size_t rank = 0;  ///< of its core, the quietest PU first
  double package = 0, node = 0, cache = 0;
};

/// Means over the PUs of one key.
class means {
 public:
  void add(const std::vector<int>& key, long tenths) {
    auto& [sum, number] = all_[key];
    sum += static_cast<double>(tenths);
    ++number;
  }
  [[nodiscard]] double of(const std::vector<int>& key) const {
    const auto& [sum, number] = all_.at(key);
    return sum / number;
  }

 private:
  std::map<std::vector<int>, std::pair<double, double>> all_;
};

std::vector<int> package_of(const processing_unit& u) { return {u.package}; }
std::vector<int> node_of(const processing_unit& u) { return {u.package, u.numa}; }
std::vector<int> cache_of(const processing_unit& u) { return {u.package, u.numa, u.l3}; }

std::vector<used_unit> used_units(std::span<const processing_unit> units, const busy_shares& busy) {
  std::map<int, const processing_unit*> by_number;
  for (const processing_unit& unit : units) by_number[unit.os] = &unit;
  std::vector<used_unit> all;
  means around;
  for (const int os : place_on(units, affinity::close, static_cast<unsigned>(units.size()))) {
    const processing_unit& unit = *by_number.at(os);
    const auto share = busy.find(os);
    const long tenths = share == busy.end() ? 0 : std::lround(10 * share->second);
    for (const auto& key : {package_of(unit), node_of(unit), cache_of(unit)})
      around.add(key, tenths);
    all.push_back({.unit = &unit, .close = all.size(), .tenths = tenths});
  }
  std::ranges::stable_sort(all, {}, &used_unit::tenths);
  std::map<std::pair<int, int>, std::size_t> in_core;
  for (used_unit& used : all) {
    const processing_unit& unit = *used.unit;
    used.rank = in_core[core_of(unit)]++;
    used.package = around.of(package_of(unit));
    used.node = around.of(node_of(unit));
    used.cache = around.of(cache_of(unit));
  }
  return all;
}

}  // namespace

std::vector<int> place_quietly(std::span<const processing_unit> units, const busy_shares& busy,
                               unsigned lanes) {
  // Also refuses too many lanes.
  std::vector<int> close = place_on(units, affinity::close, lanes);
  if (lanes == units.size()) return close;
  std::vector<used_unit> used = used_units(units, busy);
  std::ranges::sort(used, {}, [](const used_unit& u) {
    return std::tuple(u.rank, -u.unit->kind, u.package, u.unit->package, u.node, u.unit->numa,
                      u.cache, u.unit->l3, u.tenths, u.close);
  });
  used.resize(lanes);
  std::ranges::sort(used, {}, &used_unit::close);
  std::ranges::transform(used, close.begin(), [](const used_unit& u) { return u.unit->os; });
  return close;
}

}  // namespace syncmeter
