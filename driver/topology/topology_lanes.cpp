#include "driver/topology/topology_lanes.hpp"

#include <fmt/format.h>

#include "driver/plan/lane_places.hpp"
#include "driver/plan/options.hpp"
#include "driver/text/wrapped_text.hpp"
#include "driver/topology/topology_svg.hpp"

namespace syncmeter {
namespace {

std::string counted_lanes(std::size_t lanes, affinity policy) {
  return fmt::format("{} lane{}, {}", lanes, lanes == 1 ? "" : "s", to_text(policy));
}

}  // namespace

std::string lanes_text(const topology& machine, const cpu_grant& grant, affinity policy,
                       std::span<const int> pus) {
  std::string text = fmt::format("\nLanes: {} (core, caches, node and package by hwloc's L#)\n{}",
                                 counted_lanes(pus.size(), policy), lane_table(machine, pus));
  if (const std::string note = lane_note(machine, pus); !note.empty())
    text += fmt::format("  {}\n", wrapped(note, 2));
  if (pus.size() > max_lanes(machine, grant))
    text += fmt::format(
        "  {}\n", wrapped(fmt::format("{} lanes exceed the quota of {} ({}): they would be paused; "
                                      "`run` needs --oversubscribe for them",
                                      pus.size(), cpus_text(*grant.quota_cpus), grant.quota_source),
                          2));
  return text;
}

void write_svg(const output_file& file, const topology& machine, const std::string& name,
               affinity policy, std::span<const int> pus) {
  std::string placement = counted_lanes(pus.size(), policy);
  if (policy == affinity::none) placement += ": not bound, the operating system places them";
  if (const std::string note = lane_note(machine, pus); !note.empty()) placement += "; " + note;
  write_whole(file, topology_svg(machine, {.title = name, .placement = placement, .pus = pus}));
}

}  // namespace syncmeter
