#include "driver/campaign/busy_probe.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/harness/core_probes.hpp"
#include "core/machine/pu_pairs.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

// Long enough for several turns of a scheduler that shares a PU out in slices of 3 to 4 ms.
constexpr std::int64_t probing_ns = 50'000'000;
// Below this a PU counts as left alone: its quiet probes are not slow enough to be busy.
constexpr double least_share = 1 - 1 / busy_ratio;

/// PUs of different cores, at most so many together.
std::vector<std::vector<processing_unit>> rounds_of(std::span<const processing_unit> units,
                                                    unsigned at_once) {
  std::map<std::pair<int, int>, std::size_t> in_core;
  std::vector<std::vector<processing_unit>> by_thread;
  for (const processing_unit& unit : units) {
    const std::size_t rank = in_core[core_of(unit)]++;
    if (rank == by_thread.size()) by_thread.emplace_back();
    by_thread[rank].push_back(unit);
  }
  std::vector<std::vector<processing_unit>> rounds;
  for (const std::vector<processing_unit>& all : by_thread) {
    for (std::size_t i = 0; i < all.size(); i += at_once) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i);
      rounds.emplace_back(begin, std::min(begin + at_once, all.end()));
    }
  }
  return rounds;
}

/// From each probe to the next, so that time without the PU is in it too, ns.
std::vector<double> probe_for_a_while(const topology& machine, int pu) {
  std::vector<double> steps_ns;
  if (bind_this_thread(machine, pu)) return steps_ns;
  std::int64_t last = steady_ns();
  for (const std::int64_t end = last + probing_ns; last < end;) {
    (void)quiet_probe_ns();
    const std::int64_t now = steady_ns();
    steps_ns.push_back(static_cast<double>(now - last));
    last = now;
  }
  return steps_ns;
}

/// A low quantile: the least may be a stroke of luck with the clock.
double floor_of(std::vector<double> steps_ns) {
  const auto low = steps_ns.begin() + static_cast<std::ptrdiff_t>(steps_ns.size() / 20);
  std::nth_element(steps_ns.begin(), low, steps_ns.end());
  return *low;
}

/// Of the probes that the time was enough for, those that it was not used for.
double busy_share(const std::vector<double>& steps_ns, double floor_ns) {
  const double all_ns = std::accumulate(steps_ns.begin(), steps_ns.end(), 0.0);
  const double share = 1 - static_cast<double>(steps_ns.size()) * floor_ns / all_ns;
  return std::round(100 * share) / 100;
}

}  // namespace

busy_shares probe_busy_shares(const topology& machine, unsigned at_once) {
  std::map<int, std::vector<double>> steps_ns;
  for (const processing_unit& unit : machine.units()) steps_ns[unit.os];
  for (const auto& round : rounds_of(machine.units(), std::max(at_once, 1U))) {
    std::vector<std::jthread> threads;
    for (const processing_unit& unit : round) {
      threads.emplace_back([&machine, &steps = steps_ns.at(unit.os), os = unit.os] {
        steps = probe_for_a_while(machine, os);
      });
    }
  }
  std::map<int, double> floors_ns;  // by kind of core
  for (const processing_unit& unit : machine.units()) {
    if (steps_ns.at(unit.os).empty()) continue;
    const double floor = floor_of(steps_ns.at(unit.os));
    const auto [found, is_new] = floors_ns.try_emplace(unit.kind, floor);
    if (!is_new) found->second = std::min(found->second, floor);
  }
  busy_shares busy;
  for (const processing_unit& unit : machine.units()) {
    const std::vector<double>& steps = steps_ns.at(unit.os);
    const double share = steps.empty() ? 0 : busy_share(steps, floors_ns.at(unit.kind));
    if (share >= least_share) busy[unit.os] = share;
  }
  return busy;
}

json busy_json(const busy_shares& busy) {
  json list = json::array();
  for (const auto& [pu, share] : busy) list.push_back({{"pu", pu}, {"share", share}});
  return list;
}

busy_shares busy_in(const json& campaign) {
  busy_shares busy;
  const auto list = campaign.find("busy_pus");
  if (list == campaign.end() || !list->is_array()) return busy;
  for (const json& entry : *list) {
    if (entry.is_object() && entry.contains("pu") && entry.contains("share"))
      busy[entry.at("pu").get<int>()] = entry.at("share").get<double>();
  }
  return busy;
}

}  // namespace syncmeter
