// The verdict on a program that needs no advice, or of which too little is known to give any.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "driver/advise/advise.hpp"
#include "driver/advise/cuda_rules.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// The site that takes most of the time; none where that is little.
const site* site_that_takes_much(const program_counts& of) {
  const auto most = std::ranges::max_element(of.of_last_run.sites, {}, synchronizing_s);
  return most != of.of_last_run.sites.end() &&
                 synchronizing_s(*most) >= least_worth_saying * of.timed_run()->wall_s
             ? &*most
             : nullptr;
}

/// What threads wait for without any work there; empty of other kinds.
std::string_view awaited(std::string_view kind) {
  return kind == "cond_wait"  ? "a signal"
         : kind == "join"     ? "the end of other threads"
         : kind == "sem_wait" ? "a semaphore"
         : kind == "futex"    ? "another thread by futex"
                              : "";
}

/// That no site takes much, and where a thread waits longest, which is no cost of synchronization.
std::string no_site_takes_much(const program_counts& of, const std::string& besides = "",
                               std::string_view site_or_call = "call site") {
  const double wall_s = of.timed_run()->wall_s;
  const auto waits_s = [](const site& each) {
    const site_cost cost = cost_of(each).value_or(site_cost{});
    if (awaited(each.kind).empty()) return 0.0;
    return each.kind == "cond_wait" ? cost.lateness_s : cost.call_s;
  };
  const auto most = std::ranges::max_element(of.of_last_run.sites, {}, waits_s);
  if (most == of.of_last_run.sites.end() || waits_s(*most) < least_worth_saying * wall_s)
    return fmt::format("no {} takes 2 % of the time{}.", site_or_call, besides);
  return fmt::format("no {} takes 2 % of the time{}, except waits for {}.", site_or_call, besides,
                     awaited(most->kind));
}

/// A call of a kind that is not timed, so often that sleeping at each would take much of the time:
/// the site with most of them.
const site* site_of_unknown_time(const program_counts& of) {
  constexpr double sleep_s = 20e-6;
  const site* most = nullptr;
  for (const site& each : of.of_last_run.sites) {
    constexpr std::array<std::string_view, 3> untimed{"single", "reduce", "sem_post"};
    const double calls = static_cast<double>(each.count) / std::max(1U, each.threads);
    if (contains(untimed, std::string_view(each.kind)) &&
        calls * sleep_s >= least_worth_saying * of.timed_run()->wall_s &&
        (most == nullptr || each.count > most->count))
      most = &each;
  }
  return most;
}

/// In words, of a program whose threads are idle for most of the time and that no call keeps so;
/// empty of others. Threads that wait for others do not: it has none at work all the same.
std::string idle_text(const program_counts& of) {
  // What starts a program may wait for a disk.
  constexpr double least_idle_s = 0.05, most_work = 0.5;
  const program_run* busiest = nullptr;
  const auto works_s = [](const program_run& run) { return run.user_s + run.system_s; };
  for (const program_run& run : of.runs)
    if (run.arm == "plain" &&
        (busiest == nullptr || run.wall_s - works_s(run) < busiest->wall_s - works_s(*busiest)))
      busiest = &run;
  // What a GPU works, and processes that go on, is not known.
  if (busiest == nullptr || works_s(*busiest) <= 0 || of.of_last_run.gpu_processes > 0 ||
      of.leaves_processes)
    return "";
  const double idle_s = busiest->wall_s - works_s(*busiest);
  if (idle_s < least_idle_s || works_s(*busiest) >= most_work * busiest->wall_s) return "";
  const bool others_work = busiest->other_cpu_share.value_or(0) > most_disturbance;
  // The system counts the CPU time of those processes alone that another one waited for.
  const std::string idle =
      of.of_last_run.processes > 1
          ? fmt::format("its processes were at work for {} of {}, not counting those that no other "
                        "one waited for",
                        seconds_text(works_s(*busiest)), seconds_text(busiest->wall_s))
          : fmt::format("for {} of {} no thread was at work", seconds_text(idle_s),
                        seconds_text(busiest->wall_s));
  return fmt::format("{}, and it is not known why: threads sleep, read or write, {}wait in a way "
                     "that is not counted{}",
                     idle, others_work ? "" : "or ",
                     others_work ? ", or have no processor beside other programs" : "");
}

/// Where the program has what is not counted: what that is.
std::string unless_all_is_counted(const program_counts& of) {
  const std::vector<std::string> uncounted = uncounted_parts(of);
  return uncounted.empty()
             ? ""
             : fmt::format(" in what is counted, which is all but {}", join(uncounted, " and "));
}

/// Whether threads run tasks where they meet or wait for these, which is work.
bool runs_tasks(const site& of, const std::vector<site>& all) {
  const bool meets = of.kind == "barrier" || of.kind == "region";
  return of.kind == "taskwait" || (meets && has_tasks_at_each(of, all));
}

/// The verdict on undisturbed runs without advice.
std::string verdict_on_shares(const program_counts& of) {
  if (const std::string idle =
          idle_gpu_text(of.of_last_run.sites, of.prices, of.timed_run()->wall_s);
      !idle.empty() && of.of_last_run.gpu_processes <= 1)
    return fmt::format("No change is advised, but {}. A graph that has several steps (cudaGraph) "
                       "leaves out of that what the steps repeat.",
                       idle);
  if (const site* const much = site_that_takes_much(of)) {
    const std::string where = fmt::format("{} ({})", where_text(*much), much->kind);
    const double percent = 100 * std::min(1.0, synchronizing_s(*much) / of.timed_run()->wall_s);
    return runs_tasks(*much, of.of_last_run.sites)
               ? fmt::format(
                     "No change is advised: threads spend {:.1f} % of the time at {}, where "
                     "they run tasks. For how long they find none, as tasks wait for each "
                     "other or are made one by one, is not known.",
                     percent, where)
               : fmt::format("No change is advised: {} takes {:.1f} % of the time, but no rule "
                             "knows how it would take less.",
                             where, percent);
  }
  if (const site* const unknown = site_of_unknown_time(of))
    return fmt::format("No change is advised: {} What {} calls of {} at {} take{} is not timed.",
                       no_site_takes_much(of), grouped_digits(unknown->count), unknown->kind,
                       where_text(*unknown),
                       unknown->kind == "sem_post" ? "" : ", and for what threads wait there,");
  if (const auto memory = std::ranges::find(of.of_last_run.sites, "memory", &site::kind);
      memory != of.of_last_run.sites.end())
    return fmt::format("No change is advised: {} Loads and stores of several threads take much of "
                       "the time ({}), and samples cannot tell why.",
                       no_site_takes_much(of, "", "call"), where_text(*memory));
  if (const std::string idle = idle_text(of); !idle.empty())
    return "No change is advised: " + no_site_takes_much(of, ", but " + idle);
  const bool has_threads = std::ranges::any_of(of.of_last_run.sites, [](const site& each) {
    return each.kind == "create" || each.team > 1 || each.threads > 1;
  });
  return fmt::format("Nothing to gain{}: {}{}", unless_all_is_counted(of), no_site_takes_much(of),
                     has_threads ? " Loops that poll a variable are not counted." : "");
}

/// Of a program without a site.
std::string verdict_without_sites(const program_counts& of) {
  if (of.of_last_run.processes == 0)
    return "Nothing is known of it: no process of the program loaded the library that counts; it "
           "may have been started with another environment.";
  const std::string calls = "the program calls nothing that synchronizes";
  if (const std::string idle = idle_text(of); !idle.empty())
    return fmt::format("No change is advised: {}, but {}.", calls, idle);
  return fmt::format("Nothing to gain{}: {}{}", unless_all_is_counted(of), calls,
                     of.sampled ? ", and none of its locked instructions takes 1 % of the CPU time."
                                : ". Atomic operations are no calls, and not counted.");
}

/// Where shares of the time are not known: which run may tell them.
std::string what_to_run_instead(const program_counts& of) {
  const auto cost = cost_of_counting(of.runs);
  if (!cost) return "Give it a file as standard input, so that it can run several times.";
  if (most_used_by_others(of) > most_disturbance) return "Run it again while the machine is idle.";
  const auto pairs = std::ranges::count(of.runs, "count", &program_run::arm);
  if (pairs == 1)
    return "A single pair of runs may differ by chance: a longer --budget compares more.";
  const auto most = std::ranges::max_element(of.of_last_run.sites, {}, &site::count);
  if (cost->low <= 1 + most_disturbance || most->count == 0)
    return "Its runs differ by more than calls can cost: give it more work, so that it runs "
           "longer.";
  return fmt::format("Most calls are at {} ({}): run it with more work between them, or fewer "
                     "threads.",
                     where_text(*most), grouped_digits(most->count));
}

/// Of a program whose runs ended before one was timed.
std::string verdict_without_times(const program_counts& of) {
  return fmt::format("Whether there is something to gain is not known: a signal ended {} before a "
                     "run was timed.{}",
                     of.interrupted_by != 0 ? "advise" : "the program",
                     of.of_last_run.sites.empty()
                         ? ""
                         : " The counts are of what it called until then, in one run.");
}

}  // namespace

std::string conclusion_of(const program_counts& of) {
  if (of.runs.empty()) return "";
  if (!of.refused.empty())
    return fmt::format("{} Not counted: {}.",
                       of.advices.empty() ? "Whether there is something to gain is not known."
                                          : "The advice covers the counted processes alone.",
                       refused_text(of.refused));
  if (of.timed_run() == nullptr) return verdict_without_times(of);
  if (of.of_last_run.sites.empty()) return verdict_without_sites(of);
  const std::string withheld = why_withheld(of);
  if (!of.advices.empty()) return "";
  if (!may_show_shares(of))
    return fmt::format("Whether there is something to gain is not known, as {}. {} {}",
                       withheld.empty() ? "the program ran once" : withheld,
                       of.of_last_run.lost_calls == 0
                           ? "The counts are exact, but not how much of the time the calls take."
                           : "Neither the counts nor the times of the calls are exact.",
                       what_to_run_instead(of));
  const bool has_atomic =
      std::ranges::find(of.of_last_run.sites, "atomic", &site::kind) != of.of_last_run.sites.end();
  return fmt::format("{} {}", verdict_on_shares(of),
                     !of.sampled ? "Atomic operations are no calls, and not timed."
                     : has_atomic
                         ? "Atomic operations are sampled. Below a quarter of the time, a locked "
                           "instruction may cost nothing."
                         : "No atomic operation takes 1 % of the CPU time.");
}

}  // namespace syncmeter
