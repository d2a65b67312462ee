#include "driver/advise/one_unit.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "driver/advise/samples.hpp"
#include "driver/advise/source_lines.hpp"

namespace syncmeter {
namespace {

bool is_in_memory(const site& of) { return of.kind == "memory" && of.samples; }

bool sleeps_for_others(const site& of) {
  return of.kind == "barrier_wait" || of.kind == "cond_wait";
}

/// A runtime of OpenMP has threads spin there, which takes CPU time that is no work.
bool may_spin(const site& of) { return of.kind == "region" || of.kind == "barrier"; }

/// Of the CPU time, at loads, stores and atomic operations of several threads.
double share_of_shared_memory(const std::vector<site>& sites) {
  double share = 0;
  for (const site& of : sites)
    if (of.samples && of.threads > 1 && (of.kind == "memory" || of.kind == "atomic"))
      share += of.samples->share;
  return share;
}

/// By giving each thread lines of its own. It is no bound: caches that threads share there make
/// their work longer, and a unit that is faster makes it shorter. Empty where nothing is known, and
/// where that leaves nothing to save.
std::string saved_about(const advice_setting& setting) {
  const double wall_s = setting.plain_wall_s.high;
  if (!setting.one_unit_user_s || setting.threads_at_work == 0 || wall_s <= 0) return "";
  const double saves_s = wall_s - *setting.one_unit_user_s / setting.threads_at_work;
  if (saves_s < least_worth_saying * wall_s) return "";
  return fmt::format(" If it is such a line, that saves about {} of {}: on one processing unit, "
                     "where no line moves, {} threads take {} of CPU time.",
                     seconds_text(saves_s), seconds_text(wall_s), setting.threads_at_work,
                     seconds_text(*setting.one_unit_user_s));
}

}  // namespace

bool is_worth_one_unit(const std::vector<site>& sites, double wall_s, double user_s) {
  // Where the system counts less CPU time than threads that work take, nothing is known by it.
  constexpr double least_user = 0.5;
  return user_s >= least_user * wall_s && std::ranges::any_of(sites, [](const site& each) {
           return is_in_memory(each) && each.threads > 1 &&
                  each.samples->share >= least_share_of_memory;
         });
}

double longest_on_one_unit_s(double work_s, double left_s) {
  constexpr double times_its_work = 2;
  return work_s > left_s ? 0 : std::min(times_its_work * work_s, left_s);
}

std::vector<std::string> settings_on_one_unit(const std::vector<site>& sites) {
  unsigned team = 0;
  for (const site& of : sites)
    if (of.kind == "region") team = std::max(team, of.team);
  if (team < 2 || std::getenv("OMP_NUM_THREADS") != nullptr) return {};
  return {fmt::format("OMP_NUM_THREADS={}", team), "OMP_DYNAMIC=false"};
}

std::string sentence_on_moving_lines(const std::vector<site>& sites,
                                     const advice_setting& setting) {
  // Whatever n threads share, a core, a cache or the way to memory, an n-th of it is left to each:
  // so they take n times as long at most, but for a clock that is higher by less than a half where
  // one core is busy alone. Of many threads caches that are too small for all make it more.
  constexpr unsigned handful = 4;
  constexpr double faster_clock = 1.5, mostly = 0.5;
  const unsigned threads = setting.threads_at_work;
  if (!setting.one_unit_user_s || threads < 2 || threads > handful ||
      setting.user_s.high <= faster_clock * threads * *setting.one_unit_user_s ||
      share_of_shared_memory(sites) < mostly || std::ranges::any_of(sites, may_spin) ||
      !std::ranges::any_of(sites, sleeps_for_others))
    return "";
  return fmt::format(
      "Its {} threads take {} of CPU time, and {} on one processing unit, most of it at loads and "
      "stores: the difference may be that of cache lines that they write in turn, which move "
      "between the units. Being awake for each other saves none of that, and may cost more: give "
      "each thread lines of its own first, and compare.",
      threads, seconds_text(setting.user_s.high), seconds_text(*setting.one_unit_user_s));
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
          of.samples->share * 100, where_text(of), of.threads, saved_about(setting)));
  return all;
}

}  // namespace syncmeter
