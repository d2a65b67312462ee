// When seconds of a program's runs are another program's, so that advice names none.
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/harness/stats.hpp"
#include "driver/advise/advise.hpp"
#include "driver/advise/grade.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {

double used_by_others_while_timed(const program_counts& of) {
  std::vector<double> shares;
  for (const program_run& run : of.runs)
    if (run.arm == "time") shares.push_back(run.other_cpu_share.value_or(0));
  return shares.empty() ? 0 : std::max(shares.front(), median(shares));
}

std::optional<double> run_delay_while_timed(const program_counts& of) {
  std::optional<double> longest_s = 0;
  for (const program_run& run : of.runs) {
    if (run.arm != "time") continue;
    if (!run.run_delay_s) return std::nullopt;
    longest_s = std::max(longest_s, run.run_delay_s);
  }
  return longest_s;
}

std::string why_disturbed(const program_counts& of) {
  const double others = used_by_others_while_timed(of);
  return others > most_disturbance
             ? fmt::format("other programs used {:.0f} % of the CPUs while it was timed",
                           100 * others)
             : "";
}

double most_used_by_others(const program_counts& of) {
  double share = 0;
  for (const program_run& run : of.runs) share = std::max(share, run.other_cpu_share.value_or(0));
  return share;
}

bool counts_stand_alone(const program_counts& of) {
  // No call takes as long to count, nor does it to those that wait for its thread: where so many
  // stay below what is too much, runs differ by other things, unless each of so many pairs of runs
  // does in the same direction.
  constexpr double longest_s = 1e-6;
  constexpr std::size_t pairs_beyond_chance = 5;
  const auto cost = cost_of_counting(of.runs);
  if (!cost || cost->ratio <= 1 + most_disturbance) return false;
  if (cost->pairs >= pairs_beyond_chance && cost->low > 1 + most_disturbance) return true;
  double calls = 0;
  for (const site& each : of.of_last_run.sites) calls += calls_in_turn(each);
  return calls * longest_s > most_disturbance * plain_wall_s(of.runs).value;
}

std::string why_withheld(const program_counts& of) {
  // Beside other programs, runs that take longer are no sign of what counting costs.
  if (std::string disturbed = why_disturbed(of); !disturbed.empty()) return disturbed;
  return counts_stand_alone(of)
             ? fmt::format("counted runs take {:.2f} times as long as plain ones, and their times "
                           "are those of another program",
                           cost_of_counting(of.runs)->ratio)
             : "";
}

bool is_withheld(const advice& each, const program_counts& of) {
  const grade how = grade_of(each, of);
  return how == grade::rough || how == grade::undetermined;
}

std::vector<std::string> uncounted_parts(const program_counts& of) {
  std::vector<std::string> parts = of.file.uncounted;
  if (!of.of_last_run.problems_of_cuda.empty()) parts.emplace_back("its calls of CUDA");
  if (of.leaves_processes) parts.emplace_back("the processes that it left");
  return parts;
}

std::string why_not_counted(const program_counts& of) {
  if (of.interrupted_by != 0)
    return fmt::format("advise was interrupted by signal {} ({})", of.interrupted_by,
                       ::strsignal(of.interrupted_by));
  if (!of.refused.empty()) return refused_text(of.refused) + " could not be counted";
  const program_run* const timed = of.timed_run();
  if (timed == nullptr) return "a signal ended the program before a run was timed";
  if (WIFSIGNALED(timed->wait_status))
    return fmt::format("the timed run ended with {}", ending_text(timed->wait_status));
  if (of.runs.front().wait_status != timed->wait_status)
    return fmt::format("the timed run ended with {}, the plain run with {}",
                       ending_text(timed->wait_status), ending_text(of.runs.front().wait_status));
  const call_counts& counts = of.of_last_run;
  if (counts.processes == 0) return "no process of the program was counted";
  if (counts.lost_calls > 0)
    return fmt::format("the tables had no room for {} calls", grouped_digits(counts.lost_calls));
  if (const auto parts = uncounted_parts(of); !parts.empty())
    return fmt::format("advise does not count {}", join(parts, " and "));
  if (counts.sites.empty() || cost_of_counting(of.runs)) return "";
  return "the program ran once, and the cost of counting is unknown";
}

bool may_show_shares(const program_counts& of) {
  return cost_of_counting(of.runs) && why_withheld(of).empty();
}

}  // namespace syncmeter
