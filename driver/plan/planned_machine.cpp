#include "driver/plan/planned_machine.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

topology read_file(const std::string& path) {
  try {
    return topology::from_xml(path);
  } catch (const std::runtime_error& failure) {
    throw usage_error(fmt::format("--topology: {}", failure.what()));
  }
}

// hwloc's own way to be told what a machine looks like: workers read it as this process does.
void describe_this_machine_by(const std::string& path) {
  ::setenv("HWLOC_XMLFILE", std::filesystem::absolute(path).c_str(), 1);
  ::setenv("HWLOC_THISSYSTEM", "1", 1);
}

std::string counted(const std::vector<int>& pus) {
  return fmt::format("PU{} {}", pus.size() == 1 ? "" : "s", as_ranges(pus));
}

planned_machine this_machine() {
  planned_machine found{.machine = topology::of_this_machine(), .grant = read_cpu_grant()};
  found.grant.unbound_because = why_not_bound(found.machine).value_or("");
  return found;
}

}  // namespace

std::string topology_mismatch(const topology& of_file, const topology& here) {
  const std::vector<int> in_file = of_file.pus();
  std::vector<int> not_here, not_there;
  for (const int pu : in_file) {
    if (!here.has_pu(pu)) not_here.push_back(pu);
  }
  for (const processing_unit& unit : here.units()) {
    if (!contains(in_file, unit.os)) not_there.push_back(unit.os);
  }
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
  topology of_file = read_file(*options.topology);
  if (options.dry_run) {
    if (of_file.units().empty())
      throw usage_error(fmt::format("--topology: '{}' allows no PU", *options.topology));
    cpu_grant grant;
    for (const processing_unit& unit : of_file.units()) grant.allowed.push_back(unit.os);
    return {.machine = std::move(of_file), .grant = std::move(grant)};
  }
  const std::string why = topology_mismatch(of_file, topology::of_this_machine());
  if (!why.empty())
    throw usage_error(fmt::format(
        "--topology: '{}' does not fit this machine: {}; use --dry-run to plan for another machine",
        *options.topology, why));
  describe_this_machine_by(*options.topology);
  return this_machine();
}

}  // namespace syncmeter
