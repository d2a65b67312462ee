#include "driver/advise/one_unit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "driver/advise/samples.hpp"
#include "driver/advise/source_lines.hpp"

namespace syncmeter {
namespace {

bool is_in_memory(const site& of) { return of.kind == "memory" && of.samples; }

bool sleeps_for_others(const site& of) {
  return of.kind == "barrier_wait" || of.kind == "cond_wait";
}

/// By giving each thread lines of its own; empty where that is not known.
std::string saved_at_most(const advice_setting& setting) {
  const double wall_s = setting.plain_wall_s.high;
  if (!setting.one_unit_user_s || setting.threads_at_work == 0 || wall_s <= 0) return "";
  const double saves_s = std::max(0.0, wall_s - *setting.one_unit_user_s / setting.threads_at_work);
  const std::string of_units =
      fmt::format("on one processing unit, where no line moves, {} threads take {} of CPU time",
                  setting.threads_at_work, seconds_text(*setting.one_unit_user_s));
  return saves_s < least_worth_saying * wall_s
             ? fmt::format(" That saves next to nothing of {}: {}.", seconds_text(wall_s), of_units)
             : fmt::format(" That saves at most {} of {}: {}.", seconds_text(saves_s),
                           seconds_text(wall_s), of_units);
}

}  // namespace

bool is_worth_one_unit(const std::vector<site>& sites, double wall_s, double user_s) {
  // Where the system counts less CPU time than threads that work take, nothing is known by it.
  constexpr double least_user = 0.5;
  if (user_s < least_user * wall_s) return false;
  return std::ranges::any_of(sites, [wall_s](const site& each) {
    const auto cost = cost_of(each);
    return (is_in_memory(each) && each.threads > 1 &&
            each.samples->share >= least_share_of_memory) ||
           (sleeps_for_others(each) && cost && cost->mechanism_s >= least_worth_saying * wall_s);
  });
}

bool moves_lines(const advice_setting& setting) {
  // Two threads of one core make each other twice as slow at most, and the clock of a core that is
  // busy alone is higher by less than a half.
  constexpr double less_than = 1.0 / 3;
  // Threads that sleep for each other are on one unit in some runs, where no line moves either.
  return setting.one_unit_user_s && *setting.one_unit_user_s < less_than * setting.user_s.high;
}

std::string why_not_awake(const std::vector<site>& sites, const advice_setting& setting) {
  if (!moves_lines(setting) || !std::ranges::any_of(sites, sleeps_for_others)) return "";
  return fmt::format(
      "Its threads take {} of CPU time, and {} on one processing unit: most is that of cache lines "
      "that they write in turn, which move between the units. Being awake for each other saves "
      "none of that, and may cost more: give each thread lines of its own first.",
      seconds_text(setting.user_s.high), seconds_text(*setting.one_unit_user_s));
}

std::vector<std::string> sentences_on_memory(const std::vector<site>& sites,
                                             const advice_setting& setting) {
  std::vector<std::string> all;
  for (const site& of : sites)
    if (is_in_memory(of))
      all.push_back(fmt::format(
          "{:.0f} % of the CPU time is at {}, a load or store of memory, in {} threads at the same "
          "time. No call explains it. It may be work, misses of the caches, or a line that "
          "several threads write to, and samples cannot tell which: give the data of each thread "
          "lines of its own, and compare.{}",
          of.samples->share * 100, where_text(of), of.threads, saved_at_most(setting)));
  return all;
}

}  // namespace syncmeter
