// Prints the machine, the part that the process may use, and a table of placements.
#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/machine/environment.hpp"
#include "driver/commands/commands.hpp"
#include "driver/plan/pinned_lanes.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

struct topology_request {
  std::optional<std::string> topology, synthetic;
  std::optional<affinity> policy;
  std::optional<count_range> lanes;
  bool help = false;
};

count_range parse_one_count(const std::string& option, const std::string& text) {
  const std::vector<count_range> ranges = parse_lanes(option, text);
  if (ranges.size() != 1 || ranges.front().first != ranges.front().last)
    throw usage_error(fmt::format("{}: '{}' is not one number or max", option, text));
  return ranges.front();
}

// Quiet is decided when a run begins.
struct one_policy {
  static std::vector<std::string> values() {
    std::vector<std::string> names = names_allowed<affinity>();
    std::erase(names, to_text(affinity::quiet));
    return names;
  }
  affinity operator()(const std::string& option, const std::string& text) const {
    const affinity policy = names_of_axis<affinity>{"policy"}(option, text).front();
    if (policy == affinity::quiet)
      throw usage_error(fmt::format("{}: 'quiet' is decided by a probe when a run begins; close is "
                                    "what it is on a machine that nobody else uses",
                                    option));
    return policy;
  }
};

std::vector<option_row> rows_of(topology_request& request) {
  const auto as_it_is = [](const auto&, const auto& text) { return text; };
  return {
      help_row(request.help),
      value_row("topology", "FILE.xml",
                "show the machine that lstopo wrote to this file (default: this machine)",
                request.topology, &parse_file_name),
      value_row("synthetic", "TEXT",
                "show the machine of hwloc's synthetic description, e.g. \"package:2 l3:2 core:4 "
                "pu:2\" (default: this machine)",
                request.synthetic, as_it_is),
      value_row("affinity", "NAME",
                "show which CPU each thread is pinned to: close, spread, smt or none (default: "
                "close, if --threads is given)",
                request.policy, one_policy{}),
      value_row("threads", "N",
                "number of threads, or max: all that may run at once (default: max)", request.lanes,
                &parse_one_count),
  };
}

/// Returns the machine asked for. An input that hwloc cannot read is a mistake of the user who
/// named it.
topology machine_of(const topology_request& request) {
  try {
    if (request.topology) return topology::from_xml(*request.topology);
    if (request.synthetic) return topology::synthetic(*request.synthetic);
  } catch (const std::runtime_error& failure) {
    throw usage_error(fmt::format("topology: {}", failure.what()));
  }
  return topology::of_this_machine();
}

std::vector<int> sorted_numbers(const topology& machine) {
  std::vector<int> numbers;
  for (const processing_unit& unit : machine.units()) numbers.push_back(unit.os);
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<unsigned> lane_counts_to(unsigned most) {
  std::vector<unsigned> counts;
  for (unsigned lanes = 1; lanes < most; lanes *= 2) counts.push_back(lanes);
  counts.push_back(most);
  return counts;
}

// Prints the known reasons why this process may not use a PU.
void print_taken(fmt::memory_buffer& out, const topology& machine, const cpu_grant& grant) {
  constexpr std::size_t indent = 12;
  const auto line = [&](std::string_view name, const std::string& text) {
    fmt::format_to(std::back_inserter(out), "  {:<10}{}\n", name, wrapped(text, indent));
  };
  const std::vector<int> numbers = sorted_numbers(machine);
  if (!grant.cpuset.empty())
    line("cpuset", fmt::format("{}, set by {}", pus_text(grant.cpuset), grant.cpuset_source));
  std::vector<int> masked;
  for (const int pu : grant.cpuset.empty() ? machine.pus() : grant.cpuset) {
    if (contains(grant.offline, pu)) continue;
    if (!contains(numbers, pu)) masked.push_back(pu);
  }
  if (!masked.empty())
    line("mask", fmt::format("excludes {}: the affinity mask that this process inherited (from a "
                             "scheduler or taskset)",
                             pus_text(masked)));
  if (!grant.offline.empty()) line("offline", pus_text(grant.offline));
  line("quota", grant.quota_cpus
                    ? fmt::format("{}, set by {}", cpus_text(*grant.quota_cpus), grant.quota_source)
                    : "none: no cgroup limits CPU time");
}

void print_usable(fmt::memory_buffer& out, const topology& machine, const cpu_grant& grant,
                  bool here) {
  const auto to = std::back_inserter(out);
  const std::vector<int> numbers = sorted_numbers(machine);
  const unsigned most = max_lanes(machine, grant);
  fmt::format_to(to, "\n{}\n", here ? "This process may use" : "A process there may use");
  constexpr std::size_t indent = 12;
  fmt::format_to(to, "  CPUs      {}\n",
                 wrapped(fmt::format("{} ({} in all{})", pus_text(numbers), numbers.size(),
                                     here ? ": cpuset and affinity mask" : ""),
                         indent));
  if (here) print_taken(out, machine, grant);
  fmt::format_to(to, "  threads   at most {} without oversubscribing{}\n", most,
                 most < numbers.size() ? ": the quota allows no more at once" : "");
}

void print_placements(fmt::memory_buffer& out, const topology& machine, unsigned most) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "\nPlacement: the P# of thread 0, 1, ... (a-b: every one, a-b:s: every s-th)\n"
                 "  {:<8}{:>7}  P#\n",
                 "policy", "threads");
  constexpr std::size_t indent = 19;
  for (const affinity policy : {affinity::close, affinity::spread, affinity::smt}) {
    for (const unsigned lanes : lane_counts_to(most)) {
      fmt::format_to(to, "  {:<8}{:>7}  {}\n", to_text(policy), lanes,
                     wrapped(pus_text(machine.place(policy, lanes)), indent));
    }
  }
  fmt::format_to(to, "  {:<8}{:>7}  not bound: the operating system places threads\n",
                 to_text(affinity::none), "any");
}

unsigned lanes_of(const topology_request& request, const topology& machine,
                  const cpu_grant& grant) {
  const unsigned most = max_lanes(machine, grant);
  if (!request.lanes || request.lanes->named == count_range::symbol::max) return most;
  const unsigned lanes = request.lanes->last;
  // More lanes than a quota allows can be placed, with a note below, but not more lanes than PUs.
  if (lanes > machine.units().size())
    throw usage_error(
        fmt::format("--threads: {} threads are more than the {} CPUs that may be used", lanes,
                    machine.units().size()));
  return lanes;
}

// Prints a row for each lane, their common resources, and whether a quota allows so many.
std::string lanes_text(const topology& machine, const cpu_grant& grant, affinity policy,
                       std::span<const int> pus) {
  std::string text = fmt::format(
      "\nThreads: {} thread{}, {} (core, caches, node and package by hwloc's L#)\n{}", pus.size(),
      pus.size() == 1 ? "" : "s", to_text(policy), lane_table(machine, pus));
  if (const std::string note = lane_note(machine, pus); !note.empty())
    text += fmt::format("  {}\n", wrapped(note, 2));
  if (pus.size() > max_lanes(machine, grant))
    text += fmt::format(
        "  {}\n",
        wrapped(fmt::format("{} threads exceed the quota of {} ({}): they would be paused; "
                            "`run` needs --oversubscribe for them",
                            pus.size(), cpus_text(*grant.quota_cpus), grant.quota_source),
                2));
  return text;
}

std::string topology_text(const topology_request& request) {
  const bool here = !request.topology && !request.synthetic;
  const topology machine = machine_of(request);
  const cpu_grant grant = here ? read_cpu_grant() : cpu_grant{};
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}", machine.describe());
  print_usable(text, machine, grant, here);
  std::vector<std::string> notes = caveats(here ? describe_machine() : nlohmann::json::object());
  if (!here && !machine.knows_cores()) notes.emplace_back(cores_unknown);
  if (!notes.empty()) fmt::format_to(std::back_inserter(text), "\nMind\n");
  for (const std::string& note : notes)
    fmt::format_to(std::back_inserter(text), "  - {}\n", wrapped(note, 4));
  print_placements(text, machine, max_lanes(machine, grant));
  if (request.policy || request.lanes) {
    const affinity policy = request.policy.value_or(affinity::close);
    const std::vector<int> pus = machine.place(policy, lanes_of(request, machine, grant));
    fmt::format_to(std::back_inserter(text), "{}", lanes_text(machine, grant, policy, pus));
  }
  return fmt::to_string(text);
}

}  // namespace

std::string pus_text(std::span<const int> pus) {
  std::string text;
  for (std::size_t first = 0; first < pus.size();) {
    std::size_t last = first;
    const int step = first + 1 < pus.size() ? pus[first + 1] - pus[first] : 0;
    while (last + 1 < pus.size() && step > 0 && pus[last + 1] - pus[last] == step) ++last;
    if (!text.empty()) text += ' ';
    if (last - first >= (step == 1 ? 2 : 3)) {
      text += fmt::format("{}-{}", pus[first], pus[last]);
      if (step > 1) text += fmt::format(":{}", step);
      first = last + 1;
    } else {
      text += fmt::format("{}", pus[first]);
      ++first;
    }
  }
  return text;
}

int topology_command(const std::vector<std::string>& arguments, std::FILE* out) {
  topology_request request;
  const std::vector<option_row> rows = rows_of(request);
  parse_command_line(arguments, rows);
  if (request.topology && request.synthetic)
    throw usage_error(
        "topology: --topology and --synthetic cannot be combined: only one machine is allowed");
  const std::string text =
      request.help
          ? "Usage: syncmeter topology [options]\n\nPrints packages, NUMA nodes, caches, cores and "
            "CPUs, what this process may\nuse, and where each affinity policy pins the "
            "threads.\n\n" +
                options_text(rows)
          : printable(topology_text(request), true);
  std::fputs(text.c_str(), out);
  return 0;
}

command topology_row() {
  return {.name = "topology",
          .purpose = "shows packages, caches, cores, and where threads are pinned",
          .options = unread_rows<topology_request>(rows_of),
          .run = alone(topology_command)};
}

}  // namespace syncmeter
