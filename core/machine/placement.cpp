// Which PU each lane gets (the policies close, spread, smt and none over a list of PUs), and which
// pairs of PUs are measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

using units_span = std::span<const processing_unit>;

/// For each PU how many PUs of its core come before it. Not thread_in_core: a hole in the cpuset
/// may have taken a core's first hardware thread, and then the second is the one to use first.
std::vector<int> ranks_in_core(units_span units) {
  std::vector<int> ranks(units.size(), 0);
  for (std::size_t i = 1; i < units.size(); ++i) {
    // Siblings are neighbours in logical order.
    if (core_of(units[i]) == core_of(units[i - 1])) ranks[i] = ranks[i - 1] + 1;
  }
  return ranks;
}

std::vector<std::size_t> logical_order(units_span units) {
  std::vector<std::size_t> order(units.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  return order;
}

/// Logical order already keeps an L3's, a NUMA node's and a package's cores together.
std::vector<std::size_t> close_order(units_span units) {
  std::vector<std::size_t> order = logical_order(units);
  const std::vector<int> ranks = ranks_in_core(units);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::pair(ranks[i], -units[i].kind); });
  return order;
}

/// A core of which only one hardware thread may be used comes behind those with siblings: two lanes
/// are to be siblings wherever two PUs are.
std::vector<std::size_t> smt_order(units_span units) {
  std::vector<std::size_t> order = logical_order(units);
  std::map<std::pair<int, int>, int> threads;
  for (const processing_unit& unit : units) ++threads[core_of(unit)];
  std::vector<std::pair<int, int>> keys;
  for (const processing_unit& unit : units)
    keys.emplace_back(-unit.kind, -threads.at(core_of(unit)));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return keys[i]; });
  return order;
}

/// What two PUs can share, from the widest to the narrowest.
constexpr std::size_t sharing_levels = 5;
std::array<bool, sharing_levels> shared_levels(const processing_unit& a, const processing_unit& b) {
  return {a.package == b.package, a.numa == b.numa, a.l3 == b.l3, a.l2 == b.l2,
          core_of(a) == core_of(b)};
}

/// Farthest-first: the PU whose nearest placed PU is farthest; ties go where least is placed.
std::vector<std::size_t> spread_order(units_span units, std::size_t lanes) {
  struct candidate {
    int nearest = 0;  ///< smallest closeness still to come is best; 0 = all far
    std::array<int, sharing_levels> placed{};  ///< PUs already placed that share this level with it
    bool taken = false;
  };
  std::vector<candidate> candidates(units.size());
  std::vector<std::size_t> order;
  while (order.size() < lanes) {
    const auto key = [&](std::size_t i) {
      const candidate& c = candidates[i];
      // Same core before package: with a lane on every core, a third hardware thread waits for all
      // second ones.
      return std::tuple(c.nearest, c.placed.back(), c.placed, -units[i].kind, i);
    };
    std::size_t best = units.size();
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (!candidates[i].taken && (best == units.size() || key(i) < key(best))) best = i;
    }
    candidates[best].taken = true;
    order.push_back(best);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto shared = shared_levels(units[i], units[best]);
      // Closeness is how far down the two share without a break: a shared L2 index without a shared
      // package cannot be, but -1 (no L3) can equal -1 across packages.
      const auto apart = std::ranges::find(shared, false);
      candidates[i].nearest =
          std::max(candidates[i].nearest, static_cast<int>(apart - shared.begin()));
      for (auto level = shared.begin(); level != apart; ++level) {
        ++candidates[i].placed[static_cast<std::size_t>(level - shared.begin())];
      }
    }
  }
  return order;
}

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

std::vector<int> place_on(units_span units, affinity policy, unsigned lanes) {
  if (lanes > units.size()) {
    throw std::invalid_argument(fmt::format(
        "cannot place {} threads on {} CPUs: at most one thread per CPU", lanes, units.size()));
  }
  std::vector<std::size_t> order;
  switch (policy) {
  case affinity::none:
    return std::vector<int>(lanes, -1);
  case affinity::close:
  case affinity::quiet:
    order = close_order(units);
    break;
  case affinity::smt:
    order = smt_order(units);
    break;
  case affinity::spread:
    order = spread_order(units, lanes);
    break;
  }
  std::vector<int> pus;
  for (unsigned lane = 0; lane < lanes; ++lane) pus.push_back(units[order[lane]].os);
  return pus;
}

std::optional<int> home_pu(units_span units, home where, std::span<const int> pus) {
  const auto of_lane = [&](std::size_t lane) {
    return lane < pus.size() && pus[lane] >= 0 ? std::optional(pus[lane]) : std::nullopt;
  };
  if (where == home::first) return of_lane(0);
  if (where == home::second) return of_lane(1);
  if (where == home::none) return std::nullopt;
  // How far the nearest lane is: a PU on a node of its own first.
  std::optional<std::pair<bool, bool>> best;
  std::optional<int> found;
  for (const processing_unit& unit : units) {
    if (std::ranges::find(pus, unit.os) != pus.end()) continue;
    std::pair apart{true, true};
    for (const processing_unit& other : units) {
      if (std::ranges::find(pus, other.os) == pus.end()) continue;
      apart.first = apart.first && unit.numa != other.numa;
      apart.second = apart.second && unit.package != other.package;
    }
    if (best && apart <= *best) continue;
    best = apart;
    found = unit.os;
  }
  return found;
}

std::string why_no_home(home where) {
  if (where == home::other) return "--home other needs a CPU on which no thread runs";
  return fmt::format("--home {} needs threads that are bound to CPUs", to_text(where));
}

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
