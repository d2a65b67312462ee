#include "driver/plan/pinned_lanes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/machine/pu_pairs.hpp"
#include "driver/text/ranges.hpp"

namespace syncmeter {
namespace {

std::vector<int> numbers_of(std::span<const processing_unit> units) {
  std::vector<int> numbers;
  for (const processing_unit& unit : units) numbers.push_back(unit.os);
  return numbers;
}

std::string counted(unsigned number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

std::vector<processing_unit> units_wanted(const run_options& options, const topology& machine) {
  std::vector<processing_unit> wanted;
  for (const processing_unit& unit : machine.units()) {
    const auto& pus = options.pus;
    if (pus.empty() || std::find(pus.begin(), pus.end(), unit.os) != pus.end())
      wanted.push_back(unit);
  }
  return wanted;
}

void require_pus(const std::vector<int>& pus, const topology& machine) {
  const std::vector<int> allowed = numbers_of(machine.units());
  for (const int pu : pus) {
    if (const auto offline = read_offline_pus();
        std::find(offline.begin(), offline.end(), pu) != offline.end() && machine.is_this_machine())
      throw usage_error(
          fmt::format("--pus: PU {} is offline; this process may use {}", pu, as_ranges(allowed)));
    if (!machine.has_pu(pu))
      throw usage_error(fmt::format("--pus: this machine has no PU {}; this process may use {}", pu,
                                    as_ranges(allowed)));
    if (std::find(allowed.begin(), allowed.end(), pu) == allowed.end())
      throw usage_error(
          fmt::format("--pus: this process may not use PU {}, only {}", pu, as_ranges(allowed)));
  }
}

void require_bound(const run_options& options, bool pairs, const cpu_grant& grant) {
  if (grant.unbound_because.empty() || (!pairs && options.pus.empty())) return;
  throw usage_error(fmt::format("{} binds each lane to a PU, but lanes cannot be bound here: {}",
                                pairs ? "study '" + options.study + "'" : "--pus",
                                grant.unbound_because));
}

void require_lanes(std::string_view option, unsigned lanes, const run_options& options,
                   const topology& machine, const cpu_grant& grant) {
  const unsigned most = max_lanes(machine, grant);
  if (lanes <= most || options.oversubscribe) return;
  const std::string quota =
      grant.quota_cpus
          ? fmt::format(" and a quota of {} ({})", cpus_text(*grant.quota_cpus), grant.quota_source)
          : "";
  throw usage_error(fmt::format(
      "{}: {} is more than the {} allowed here ({}{}); --oversubscribe lifts the limit", option,
      lanes, counted(most, "lane"),
      counted(static_cast<unsigned>(machine.units().size()), "processing unit"), quota));
}

std::vector<std::vector<int>> pinned_lanes(const run_options& options, bool pairs,
                                           const topology& machine, unsigned max_lanes) {
  if (!pairs) return {options.pus};
  const std::vector<processing_unit> units = units_wanted(options, machine);
  if (units.size() < 2)
    throw usage_error(fmt::format("study '{}' measures pairs of PUs, but {} only PU {}",
                                  options.study,
                                  options.pus.empty() ? "this process may use" : "--pus names",
                                  as_ranges(numbers_of(units))));
  if (max_lanes < 2 && !options.oversubscribe)
    throw usage_error(fmt::format("study '{}' measures pairs of PUs, but the CPU quota allows one "
                                  "lane at a time; --oversubscribe lifts the limit",
                                  options.study));
  std::vector<std::vector<int>> both_ways;
  for (const pu_pair& pair : pairs_of(units)) {
    both_ways.push_back({pair.first, pair.second});
    both_ways.push_back({pair.second, pair.first});
  }
  return both_ways;
}

}  // namespace syncmeter
