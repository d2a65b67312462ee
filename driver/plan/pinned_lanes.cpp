#include "driver/plan/pinned_lanes.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/machine/topology.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

std::vector<int> numbers_of(std::span<const processing_unit> units) {
  std::vector<int> numbers;
  for (const processing_unit& unit : units) numbers.push_back(unit.os);
  return numbers;
}

std::vector<unsigned> strides_of(const run_options& options, const study_axes& axes, unsigned size,
                                 unsigned line_bytes) {
  if (!options.strides.empty()) return options.strides;
  if (!axes.strides.empty()) return axes.strides;
  std::vector<unsigned> strides;
  for (const unsigned bytes : axes.strides_bytes)
    if (bytes % size == 0) strides.push_back(bytes / size);
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
  for (unsigned n = 1; n < lanes; n *= 2)
    if (shared_out_evenly(n, lanes)) cells.push_back(n);
  cells.push_back(lanes);
  return cells;
}

// Readers skip a line with more cores. The table has all cores.
constexpr std::size_t most_cores_named = 8;

const processing_unit* unit_of(const topology& machine, int os) {
  const auto found = std::ranges::find(machine.units(), os, &processing_unit::os);
  return found == machine.units().end() ? nullptr : &*found;
}

std::string number(int index) { return index < 0 ? "" : fmt::to_string(index); }

std::vector<int> lanes_on(std::span<const int> pus, int os) {
  std::vector<int> lanes;
  for (std::size_t lane = 0; lane < pus.size(); ++lane)
    if (pus[lane] == os) lanes.push_back(static_cast<int>(lane));
  return lanes;
}

// Returns "P#4 (lane 7)" for each other usable PU on the core.
std::string siblings_of(const topology& machine, const processing_unit& unit,
                        std::span<const int> pus) {
  std::vector<std::string> siblings;
  for (const processing_unit& other : machine.units()) {
    if (other.os == unit.os || unit.core < 0 || other.core != unit.core) continue;
    const std::vector<int> lanes = lanes_on(pus, other.os);
    siblings.push_back(fmt::format(
        "P#{}{}", other.os, lanes.empty() ? "" : fmt::format(" (thread {})", as_ranges(lanes))));
  }
  return fmt::format("{}", fmt::join(siblings, ", "));
}

std::string kinds_text(const topology& machine, std::span<const int> pus) {
  if (machine.kinds() < 2) return "";
  std::map<int, std::vector<int>, std::greater<>> lanes_by_kind;
  for (std::size_t lane = 0; lane < pus.size(); ++lane)
    if (const processing_unit* unit = unit_of(machine, pus[lane]))
      lanes_by_kind[unit->kind].push_back(static_cast<int>(lane));
  std::vector<std::string> parts;
  for (const auto& [kind, lanes] : lanes_by_kind)
    parts.push_back(fmt::format("{} on {}", as_ranges(lanes), machine.kind_name(kind)));
  return parts.empty() ? "" : fmt::format("threads {}", fmt::join(parts, ", "));
}

std::string cores_text(const topology& machine, std::span<const int> pus) {
  std::map<int, std::vector<int>> lanes_by_core;
  for (std::size_t lane = 0; lane < pus.size(); ++lane) {
    const processing_unit* const unit = unit_of(machine, pus[lane]);
    if (unit != nullptr && unit->core >= 0)
      lanes_by_core[unit->core].push_back(static_cast<int>(lane));
  }
  std::vector<std::string> together;
  for (const auto& [core, lanes] : lanes_by_core)
    if (lanes.size() > 1) together.push_back(fmt::format("{}", fmt::join(lanes, "+")));
  if (together.empty()) return "";
  const std::size_t named = std::min(most_cores_named, together.size());
  const std::span<const std::string> first(together.data(), named);
  return fmt::format(
      "threads that share a core: {}{}", fmt::join(first, ", "),
      named < together.size() ? fmt::format(" and {} cores more", together.size() - named) : "");
}

topology read_topology_file(const std::string& path) {
  try {
    return topology::from_xml(path);
  } catch (const std::runtime_error& failure) {
    throw usage_error(fmt::format("--topology: {}", failure.what()));
  }
}

std::string counted(const std::vector<int>& pus) {
  return fmt::format("CPU{} {}", pus.size() == 1 ? "" : "s", as_ranges(pus));
}

planned_machine this_machine() {
  planned_machine found{.machine = topology::of_this_machine(), .grant = read_cpu_grant()};
  found.grant.unbound_because = why_not_bound(found.machine).value_or("");
  return found;
}

}  // namespace

std::vector<processing_unit> units_wanted(const run_options& options, const topology& machine) {
  std::vector<processing_unit> wanted;
  for (const processing_unit& unit : machine.units()) {
    const auto& pus = options.pus;
    if (pus.empty() || contains(pus, unit.os)) wanted.push_back(unit);
  }
  return wanted;
}

void require_pus(const std::vector<int>& pus, const topology& machine) {
  const std::vector<int> allowed = numbers_of(machine.units());
  for (const int pu : pus) {
    if (const auto offline = read_offline_pus(); contains(offline, pu) && machine.is_this_machine())
      throw usage_error(fmt::format("--cpus: CPU {} is offline; this process may use {}", pu,
                                    as_ranges(allowed)));
    if (!machine.has_pu(pu))
      throw usage_error(fmt::format("--cpus: this machine has no CPU {}; this process may use {}",
                                    pu, as_ranges(allowed)));
    if (!contains(allowed, pu))
      throw usage_error(
          fmt::format("--cpus: this process may not use CPU {}, only {}", pu, as_ranges(allowed)));
  }
}

void require_bound(const run_options& options, bool pairs, const cpu_grant& grant) {
  if (grant.unbound_because.empty() || (!pairs && options.pus.empty())) return;
  throw usage_error(
      fmt::format("{} binds each thread to a CPU, but threads cannot be bound here: {}",
                  pairs ? "study '" + options.study + "'" : "--cpus", grant.unbound_because));
}

void require_lanes(std::string_view option, unsigned lanes, const run_options& options,
                   const topology& machine, const cpu_grant& grant) {
  const unsigned most = max_lanes(machine, grant);
  if (lanes <= most || options.oversubscribe) return;
  const std::string quota =
      grant.quota_cpus
          ? fmt::format(" and a quota of {} ({})", cpus_text(*grant.quota_cpus), grant.quota_source)
          : "";
  throw usage_error(
      fmt::format("{}: {} is more than the {} allowed here ({}{}); --oversubscribe lifts the limit",
                  option, lanes, count_text(most, "thread", "threads"),
                  count_text(machine.units().size(), "CPU", "CPUs"), quota));
}

std::vector<std::vector<int>> pinned_lanes(const run_options& options, bool pairs,
                                           const topology& machine, unsigned max_lanes) {
  if (!pairs) return {options.pus};
  const std::vector<processing_unit> units = units_wanted(options, machine);
  if (units.size() < 2)
    throw usage_error(fmt::format("study '{}' measures pairs of CPUs, but {} only CPU {}",
                                  options.study,
                                  options.pus.empty() ? "this process may use" : "--cpus names",
                                  as_ranges(numbers_of(units))));
  if (max_lanes < 2 && !options.oversubscribe)
    throw usage_error(fmt::format("study '{}' measures pairs of CPUs, but the CPU quota allows one "
                                  "thread at a time; --oversubscribe lifts the limit",
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
    for (const unsigned stride : strides_of(options, axes, size, line_bytes))
      for (const unsigned cells : cells_of(options, axes, lanes))
        layouts.push_back({.stride = stride, .base_offset = base_offset, .cells = cells});
  }
  return layouts;
}

// A cell that straddles two lines is another experiment: a split lock may even trap.
std::string why_no_layout(const point& p) {
  if (p.cells != 0 && !shared_out_evenly(p.cells, p.lanes))
    return fmt::format("--variables {}: must divide the number of threads, {}", p.cells, p.lanes);
  if (p.cells > 1 && p.stride == 0)
    return fmt::format("--variables {} with --stride 0: all variables would be the same one",
                       p.cells);
  if (!p.type || p.base_offset % size_of(*p.type) == 0) return {};
  return fmt::format("--base-offset {}: must be a multiple of the variable size, {} B",
                     p.base_offset, size_of(*p.type));
}

using nlohmann::json;

json units_named(const campaign_plan& plan, const run_options& options, const topology& machine) {
  const auto named = [](const planned_point& p) {
    return !p.what.pus.empty() || p.what.cells != 0;
  };
  if (std::ranges::none_of(plan.points, named)) return {};
  json list = json::array();
  for (const processing_unit& unit : units_wanted(options, machine))
    list.push_back({{"pu", unit.os},
                    {"package", unit.package},
                    {"numa", unit.numa},
                    {"l3", unit.l3},
                    {"l2", unit.l2},
                    {"core", unit.core},
                    {"thread", unit.thread_in_core},
                    {"kind", unit.kind}});
  return list;
}

std::string lane_table(const topology& machine, std::span<const int> pus) {
  using enum columns::align;
  columns table({{"thread", right},
                 {"CPU", left},
                 {"core", right},
                 {"L2", right},
                 {"L3", right},
                 {"NUMA node", right},
                 {"package", right},
                 {"kind", left},
                 {"SMT siblings", left}});
  for (std::size_t lane = 0; lane < pus.size(); ++lane) {
    const processing_unit* const unit = unit_of(machine, pus[lane]);
    if (unit == nullptr) {
      const std::string where = pus[lane] < 0 ? "not bound" : fmt::format("P#{}", pus[lane]);
      table.row({fmt::to_string(lane), where, "", "", "", "", "", "", ""});
      continue;
    }
    table.row({fmt::to_string(lane), fmt::format("P#{}", unit->os), number(unit->core),
               number(unit->l2), number(unit->l3), number(unit->numa), number(unit->package),
               machine.kind_name(unit->kind), siblings_of(machine, *unit, pus)});
  }
  return table.text();
}

std::string lane_note(const topology& machine, std::span<const int> pus) {
  const std::string kinds = kinds_text(machine, pus), cores = cores_text(machine, pus);
  return kinds + (kinds.empty() || cores.empty() ? "" : "; ") + cores;
}

namespace {

// Returns the PUs that affinity quiet avoids, or an empty string if no lane in the plan is quiet.
std::string quiet_note(const campaign_plan& plan, const topology& machine) {
  const auto is_quiet = [](const point& p) { return p.affinity == affinity::quiet; };
  if (std::ranges::none_of(plan.points, [&](const planned_point& p) {
        return is_quiet(p.what) || std::ranges::any_of(p.same_as, is_quiet);
      }))
    return "";
  if (!machine.avoided())
    return "quiet: a probe at the start of the run chooses the CPUs; these are those of a machine "
           "that nobody else uses";
  if (machine.avoided()->empty())
    return "quiet: no CPU was busy when the run began, so threads are where close puts them";
  std::vector<std::pair<double, int>> busy;
  for (const auto& [pu, share] : *machine.avoided()) busy.emplace_back(-share, pu);
  std::ranges::sort(busy);
  std::vector<std::string> parts;
  for (const auto& [share, pu] : std::span(busy).first(std::min(busy.size(), most_cores_named)))
    parts.push_back(fmt::format("{} ({:.0f} %)", pu, -100 * share));
  const std::size_t more = busy.size() - parts.size();
  return fmt::format(
      "quiet: others slowed CPU{} {}{} when the run began; threads are elsewhere where "
      "there is room",
      busy.size() == 1 ? "" : "s", fmt::join(parts, ", "),
      more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

std::vector<std::string> placement_notes(const campaign_plan& plan, const topology& machine) {
  std::map<affinity, const planned_point*> largest;
  for (const planned_point& p : plan.points) {
    if (p.what.affinity == affinity::none || p.what.lanes < 2) continue;
    const auto [found, is_new] = largest.try_emplace(p.what.affinity, &p);
    if (!is_new && found->second->what.lanes < p.what.lanes) found->second = &p;
  }
  std::vector<std::string> notes;
  for (const auto& [policy, p] : largest)
    if (const std::string note = lane_note(machine, p->pus); !note.empty())
      notes.push_back(
          fmt::format("{}, up to {} threads: {}", to_text(policy), p->what.lanes, note));
  if (std::string note = quiet_note(plan, machine); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

std::string topology_mismatch(const topology& of_file, const topology& here) {
  const std::vector<int> in_file = of_file.pus();
  std::vector<int> not_here, not_there;
  for (const int pu : in_file)
    if (!here.has_pu(pu)) not_here.push_back(pu);
  for (const processing_unit& unit : here.units())
    if (!contains(in_file, unit.os)) not_there.push_back(unit.os);
  if (not_here.empty() && not_there.empty()) return "";
  std::string text;
  if (!not_here.empty())
    text = fmt::format("it has {}, which this machine does not have", counted(not_here));
  if (!not_there.empty())
    text += fmt::format("{}it lacks {}, which this process may use", text.empty() ? "" : ", and ",
                        counted(not_there));
  return text;
}

planned_machine machine_for(const run_options& options) {
  if (!options.topology) return this_machine();
  topology of_file = read_topology_file(*options.topology);
  if (options.dry_run) {
    if (of_file.units().empty())
      throw usage_error(fmt::format("--topology: '{}' allows no CPU", *options.topology));
    cpu_grant grant;
    for (const processing_unit& unit : of_file.units()) grant.allowed.push_back(unit.os);
    return {.machine = std::move(of_file), .grant = std::move(grant)};
  }
  const std::string why = topology_mismatch(of_file, topology::of_this_machine());
  if (!why.empty())
    throw usage_error(fmt::format(
        "--topology: '{}' does not fit this machine: {}; use --dry-run to plan for another machine",
        *options.topology, why));
  // Workers read hwloc's own variables for the machine description, as this process does.
  ::setenv("HWLOC_XMLFILE", std::filesystem::absolute(*options.topology).c_str(), 1);
  ::setenv("HWLOC_THISSYSTEM", "1", 1);
  return this_machine();
}

}  // namespace syncmeter
