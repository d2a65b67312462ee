// Prints the machine, what the process may use of it, and a table of placements.
#include "cli/topology_command.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "cli/options.hpp"
#include "core/environment.hpp"

namespace syncmeter {
namespace {

namespace po = boost::program_options;

constexpr std::size_t line_width = 100;

po::options_description known_options() {
  po::options_description known("Options of `syncmeter topology`", line_width);
  known.add_options()("help,h", "print this text and end")(
      "topology", po::value<std::string>()->value_name("FILE.xml"),
      "show the machine that lstopo wrote to this file (default: this machine)")(
      "synthetic", po::value<std::string>()->value_name("TEXT"),
      "show the machine of hwloc's synthetic description, e.g. \"package:2 l3:2 core:4 pu:2\" "
      "(default: this machine)");
  return known;
}

po::variables_map parse(const std::vector<std::string>& arguments,
                        const po::options_description& known) {
  constexpr const char* allowed = "allowed are --help, --topology FILE.xml and --synthetic TEXT";
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
        "topology: --topology and --synthetic each name a machine; only one is allowed");
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

/// `text` after `indent` columns, broken at blanks so that lines stay within line_width.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string lines;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > line_width) {
      lines += fmt::format("\n{:{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

std::vector<unsigned> lane_counts(unsigned most) {
  std::vector<unsigned> counts;
  for (unsigned lanes = 1; lanes < most; lanes *= 2) counts.push_back(lanes);
  counts.push_back(most);
  return counts;
}

void print_usable(fmt::memory_buffer& out, const topology& machine, const cpu_grant& grant,
                  bool here) {
  const auto to = std::back_inserter(out);
  const std::vector<int> numbers = sorted_numbers(machine);
  fmt::format_to(to, "\n{}\n", here ? "This process may use" : "A process there may use");
  constexpr std::size_t indent = 12;
  fmt::format_to(to, "  PUs       {}\n",
                 wrapped(fmt::format("{} ({} in all{})", pus_text(numbers), numbers.size(),
                                     here ? ": cpuset and affinity mask" : ""),
                         indent));
  if (here) {
    const std::string quota = grant.quota_cpus ? fmt::format("{:.4g} CPUs, set by {}",
                                                             *grant.quota_cpus, grant.quota_source)
                                               : "none: no cgroup limits CPU time";
    fmt::format_to(to, "  quota     {}\n", wrapped(quota, indent));
  }
  fmt::format_to(to, "  lanes     at most {} without oversubscribing\n", max_lanes(machine, grant));
}

void print_placements(fmt::memory_buffer& out, const topology& machine, unsigned most) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "\nPlacement: the P# of lane 0, 1, ... (a-b: every one, a-b:s: every s-th)\n"
                 "  {:<8}{:>5}  P#\n",
                 "policy", "lanes");
  constexpr std::size_t indent = 17;
  for (const affinity policy : {affinity::close, affinity::spread, affinity::smt}) {
    for (const unsigned lanes : lane_counts(most)) {
      fmt::format_to(to, "  {:<8}{:>5}  {}\n", to_text(policy), lanes,
                     wrapped(pus_text(machine.place(policy, lanes)), indent));
    }
  }
  fmt::format_to(to, "  {:<8}{:>5}  not bound: the system moves lanes as it likes\n",
                 to_text(affinity::none), "any");
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
  const po::variables_map values = parse(arguments, known);
  fmt::memory_buffer text;
  if (values.contains("help")) {
    std::ostringstream help;
    help << "Usage: syncmeter topology [options]\n\nPrints packages, NUMA nodes, caches, cores and "
            "PUs, what this process may use of\nthem, and where each affinity policy puts the "
            "lanes.\n\n"
         << known;
    fmt::format_to(std::back_inserter(text), "{}", help.str());
  } else {
    const bool here = !values.contains("topology") && !values.contains("synthetic");
    const topology machine = machine_of(values);
    const cpu_grant grant = here ? read_cpu_grant() : cpu_grant{};
    fmt::format_to(std::back_inserter(text), "{}", machine.describe());
    print_usable(text, machine, grant, here);
    const std::vector<std::string> notes =
        here ? caveats(describe_machine()) : std::vector<std::string>{};
    if (!notes.empty()) fmt::format_to(std::back_inserter(text), "\nMind\n");
    for (const std::string& note : notes) {
      fmt::format_to(std::back_inserter(text), "  - {}\n", wrapped(note, 4));
    }
    print_placements(text, machine, max_lanes(machine, grant));
  }
  if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0) {
    throw std::runtime_error("topology: cannot write its text");
  }
  return 0;
}

}  // namespace syncmeter
