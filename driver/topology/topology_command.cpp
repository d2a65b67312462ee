// Prints the machine, what the process may use of it, and a table of placements.
#include "driver/topology/topology_command.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/machine/environment.hpp"
#include "driver/plan/options.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/text/wrapped_text.hpp"
#include "driver/topology/topology_lanes.hpp"

namespace syncmeter {
namespace {

namespace po = boost::program_options;

po::options_description known_options() {
  po::options_description known("Options of `syncmeter topology`", line_width);
  known.add_options()("help,h", "print this help and exit")(
      "topology", po::value<std::string>()->value_name("FILE.xml"),
      "show the machine that lstopo wrote to this file (default: this machine)")(
      "synthetic", po::value<std::string>()->value_name("TEXT"),
      "show the machine of hwloc's synthetic description, e.g. \"package:2 l3:2 core:4 pu:2\" "
      "(default: this machine)")("affinity", po::value<std::string>()->value_name("NAME"),
                                 "show where this policy places each lane: close, spread, smt or "
                                 "none (default: close, where --lanes or --svg is given)")(
      "lanes", po::value<std::string>()->value_name("N"),
      "number of lanes, or max: all that may run at once (default: max)")(
      "svg", po::value<std::string>()->value_name("FILE"),
      "write a drawing of the machine and these lanes to this file (default: no drawing)");
  return known;
}

po::variables_map parse_topology_options(const std::vector<std::string>& arguments,
                                         const po::options_description& known) {
  constexpr const char* allowed = "allowed are --help, --topology FILE.xml, --synthetic TEXT, "
                                  "--affinity NAME, --lanes N and --svg FILE";
  po::options_description with_extra;
  with_extra.add(known).add_options()("extra", po::value<std::vector<std::string>>());
  po::variables_map values;
  try {
    // Whole names only: an abbreviation would change its meaning with the next option.
    const int style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments)
                  .options(with_extra)
                  .positional(po::positional_options_description().add("extra", -1))
                  .style(style)
                  .run(),
              values);
  } catch (const po::error& mistake) {
    throw usage_error(fmt::format("topology: {}; {}", mistake.what(), allowed));
  }
  if (values.contains("extra")) {
    throw usage_error(fmt::format("topology: '{}' is not an option; {}",
                                  values["extra"].as<std::vector<std::string>>().front(), allowed));
  }
  if (values.contains("topology") && values.contains("synthetic")) {
    throw usage_error(
        "topology: --topology and --synthetic cannot be combined: only one machine is allowed");
  }
  return values;
}

/// The machine asked for. What hwloc cannot read is the user's mistake when the user named it.
topology machine_of(const po::variables_map& values) {
  try {
    if (values.contains("topology")) {
      return topology::from_xml(values["topology"].as<std::string>());
    }
    if (values.contains("synthetic")) {
      return topology::synthetic(values["synthetic"].as<std::string>());
    }
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

// Who took PUs away from this process, as far as it can be told.
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
    if (std::ranges::find(grant.offline, pu) != grant.offline.end()) continue;
    if (std::ranges::find(numbers, pu) == numbers.end()) masked.push_back(pu);
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
  fmt::format_to(to, "  PUs       {}\n",
                 wrapped(fmt::format("{} ({} in all{})", pus_text(numbers), numbers.size(),
                                     here ? ": cpuset and affinity mask" : ""),
                         indent));
  if (here) print_taken(out, machine, grant);
  fmt::format_to(to, "  lanes     at most {} without oversubscribing{}\n", most,
                 most < numbers.size() ? ": the quota allows no more at once" : "");
}

void print_placements(fmt::memory_buffer& out, const topology& machine, unsigned most) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "\nPlacement: the P# of lane 0, 1, ... (a-b: every one, a-b:s: every s-th)\n"
                 "  {:<8}{:>5}  P#\n",
                 "policy", "lanes");
  constexpr std::size_t indent = 17;
  for (const affinity policy : {affinity::close, affinity::spread, affinity::smt}) {
    for (const unsigned lanes : lane_counts_to(most)) {
      fmt::format_to(to, "  {:<8}{:>5}  {}\n", to_text(policy), lanes,
                     wrapped(pus_text(machine.place(policy, lanes)), indent));
    }
  }
  fmt::format_to(to, "  {:<8}{:>5}  not bound: the operating system places lanes\n",
                 to_text(affinity::none), "any");
}

affinity policy_of(const po::variables_map& values) {
  if (!values.contains("affinity")) return affinity::close;
  return parse_names<affinity>("topology: --affinity", "policy",
                               values["affinity"].as<std::string>())
      .front();
}

unsigned lanes_of(const po::variables_map& values, const topology& machine,
                  const cpu_grant& grant) {
  const unsigned most = max_lanes(machine, grant);
  if (!values.contains("lanes")) return most;
  const auto ranges = parse_lanes("topology: --lanes", values["lanes"].as<std::string>());
  if (ranges.size() != 1 || ranges.front().first != ranges.front().last)
    throw usage_error(fmt::format("topology: --lanes: '{}' is not one number or max",
                                  values["lanes"].as<std::string>()));
  if (ranges.front().max) return most;
  const unsigned lanes = ranges.front().last;
  // More than a quota pays for can be placed, and is said; more than PUs cannot.
  if (lanes > machine.units().size())
    throw usage_error(fmt::format("topology: --lanes: {} lanes are more than the {} PUs that may "
                                  "be used",
                                  lanes, machine.units().size()));
  return lanes;
}

std::string machine_name(const po::variables_map& values, const nlohmann::json& about) {
  for (const char* const given : {"topology", "synthetic"}) {
    if (values.contains(given)) return values[given].as<std::string>();
  }
  return fmt::format("{}: {}", about.value("host", ""), about.value("cpu_model", ""));
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
  const po::options_description known = known_options();
  const po::variables_map values = parse_topology_options(arguments, known);
  fmt::memory_buffer text;
  if (values.contains("help")) {
    std::ostringstream help;
    help << "Usage: syncmeter topology [options]\n\nPrints packages, NUMA nodes, caches, cores and "
            "PUs, what this process may use of\nthem, and where each affinity policy puts the "
            "lanes; or draws them.\n\n"
         << known;
    fmt::format_to(std::back_inserter(text), "{}", help.str());
  } else {
    const bool here = !values.contains("topology") && !values.contains("synthetic");
    const topology machine = machine_of(values);
    const cpu_grant grant = here ? read_cpu_grant() : cpu_grant{};
    fmt::format_to(std::back_inserter(text), "{}", machine.describe());
    print_usable(text, machine, grant, here);
    const nlohmann::json about = here ? describe_machine() : nlohmann::json::object();
    std::vector<std::string> notes = caveats(about);
    if (!here && !machine.knows_cores()) notes.emplace_back(cores_unknown);
    if (!notes.empty()) fmt::format_to(std::back_inserter(text), "\nMind\n");
    for (const std::string& note : notes) {
      fmt::format_to(std::back_inserter(text), "  - {}\n", wrapped(note, 4));
    }
    print_placements(text, machine, max_lanes(machine, grant));
    if (values.contains("affinity") || values.contains("lanes") || values.contains("svg")) {
      const affinity policy = policy_of(values);
      const std::vector<int> pus = machine.place(policy, lanes_of(values, machine, grant));
      fmt::format_to(std::back_inserter(text), "{}", lanes_text(machine, grant, policy, pus));
      if (values.contains("svg"))
        write_svg(values["svg"].as<std::string>(), machine, machine_name(values, about), policy,
                  pus);
    }
  }
  if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0) {
    throw std::runtime_error("topology: cannot write its text");
  }
  return 0;
}

}  // namespace syncmeter
