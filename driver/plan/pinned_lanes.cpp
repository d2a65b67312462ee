#include "driver/plan/pinned_lanes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/machine/pu_pairs.hpp"
#include "driver/text/parse_axes.hpp"

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

std::vector<unsigned> strides_of(const run_options& options, const study_axes& axes, unsigned size,
                                 unsigned line_bytes) {
  if (!options.strides.empty()) return options.strides;
  if (!axes.strides.empty()) return axes.strides;
  std::vector<unsigned> strides;
  for (const unsigned bytes : axes.strides_bytes) {
    if (bytes % size == 0) strides.push_back(bytes / size);
  }
  return strides.empty() ? std::vector{std::max(1U, line_bytes / size)} : strides;
}

std::vector<unsigned> base_offsets_of(const run_options& options, const study_axes& axes,
                                      unsigned line_bytes) {
  if (!options.base_offsets.empty()) return options.base_offsets;
  std::vector<unsigned> offsets;
  for (const line_part part : axes.bases)
    offsets.push_back(part == line_part::half ? line_bytes / 2 : 0);
  return offsets;
}

bool shared_out_evenly(unsigned cells, unsigned lanes) {
  return cells <= lanes && lanes % cells == 0;
}

std::vector<unsigned> cells_of(const run_options& options, const study_axes& axes, unsigned lanes) {
  if (!options.cells.empty()) return options.cells;
  if (!axes.shared_cells) return {0};
  std::vector<unsigned> cells;
  for (unsigned n = 1; n < lanes; n *= 2) {
    if (shared_out_evenly(n, lanes)) cells.push_back(n);
  }
  cells.push_back(lanes);
  return cells;
}

// Their names in the file are those of the struct, but for the number itself.
constexpr std::pair<const char*, int processing_unit::*> members[]{
    {"pu", &processing_unit::os},
    {"package", &processing_unit::package},
    {"numa", &processing_unit::numa},
    {"l3", &processing_unit::l3},
    {"l2", &processing_unit::l2},
    {"core", &processing_unit::core},
    {"thread", &processing_unit::thread_in_core},
    {"kind", &processing_unit::kind}};

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

std::vector<cell_layout> layouts_of(const run_options& options, const study_axes& axes,
                                    value_type type, unsigned lanes, unsigned line_bytes) {
  const auto size = static_cast<unsigned>(size_of(type));
  std::vector<cell_layout> layouts;
  for (const unsigned base_offset : base_offsets_of(options, axes, line_bytes)) {
    for (const unsigned stride : strides_of(options, axes, size, line_bytes)) {
      for (const unsigned cells : cells_of(options, axes, lanes))
        layouts.push_back({.stride = stride, .base_offset = base_offset, .cells = cells});
    }
  }
  return layouts;
}

// A cell that straddles two lines is another experiment: a split lock may even trap.
std::string why_no_layout(const point& p) {
  if (p.cells != 0 && !shared_out_evenly(p.cells, p.lanes))
    return fmt::format("--cells {}: must divide the number of lanes, {}", p.cells, p.lanes);
  if (p.cells > 1 && p.stride == 0)
    return fmt::format("--cells {} with --stride 0: all cells would be the same one", p.cells);
  if (!p.type || p.base_offset % size_of(*p.type) == 0) return {};
  return fmt::format("--base-offset {}: must be a multiple of the cell size, {} B", p.base_offset,
                     size_of(*p.type));
}

using nlohmann::json;

json units_json(std::span<const processing_unit> units) {
  json list = json::array();
  for (const processing_unit& unit : units) {
    json entry;
    for (const auto& [name, member] : members) entry[name] = unit.*member;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<processing_unit> units_in(const json& campaign) {
  std::vector<processing_unit> units;
  const auto entries = campaign.find("units");
  if (entries == campaign.end() || !entries->is_array()) return units;
  for (const json& entry : *entries) {
    processing_unit unit;
    for (const auto& [name, member] : members) {
      if (const auto value = entry.find(name); value != entry.end() && value->is_number_integer())
        unit.*member = value->get<int>();
    }
    units.push_back(unit);
  }
  return units;
}

json units_named(const campaign_plan& plan, const run_options& options, const topology& machine) {
  const auto named = [](const planned_point& p) {
    return !p.what.pus.empty() || p.what.cells != 0;
  };
  if (std::none_of(plan.points.begin(), plan.points.end(), named)) return {};
  return units_json(units_wanted(options, machine));
}

}  // namespace syncmeter
