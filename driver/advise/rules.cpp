#include "driver/advise/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "driver/text/columns.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr double least_worth_saying = 0.02;
constexpr std::array<std::string_view, 7> lock_kinds{
    "critical", "ordered", "omp_lock", "mutex_lock", "rwlock_read", "rwlock_write", "spin_lock"};

std::string seconds_text(double s) {
  return s < 0.01 ? fmt::format("{:.2g} ms", s * 1e3) : fmt::format("{:.2g} s", s);
}

/// A meeting of threads: its cause is that one comes late where those that were not last typically
/// wait longer for it than all take to go on.
advice about_meeting(const site& of, const site_cost& cost, double wall_s) {
  const std::string wall = seconds_text(wall_s);
  if (of.times->lateness.median_ns > of.times->mechanism.median_ns)
    return {.rule = "imbalance",
            .site_id = 0,
            .at_most_s = cost.lateness_s,
            .text =
                fmt::format("{}: a thread waits {} of {} for the last one to arrive ({}). Perfect "
                            "balance saves at most that, and no other barrier helps: give the "
                            "threads equal work, by another schedule or smaller pieces.",
                            where_text(of), seconds_text(cost.lateness_s), wall, of.kind)};
  const double in_all = cost.lateness_s + cost.mechanism_s;
  if (of.kind == "region")
    return {.rule = "regions",
            .site_id = 0,
            .at_most_s = in_all,
            .text =
                fmt::format("{}: to begin and end {} parallel regions takes {} of {}. One region "
                            "around all of them, or fewer, saves at most that.",
                            where_text(of), grouped_digits(of.count), seconds_text(in_all), wall)};
  return {.rule = "barriers",
          .site_id = 0,
          .at_most_s = in_all,
          .text =
              fmt::format("{}: a thread is {} of {} in {} barriers, mostly after the last one has "
                          "arrived. Fewer barriers save at most that.",
                          where_text(of), seconds_text(in_all), wall, grouped_digits(of.count))};
}

advice about_lock(const site& of, const site_cost& cost, double wall_s) {
  return {
      .rule = "locks",
      .site_id = 0,
      .at_most_s = cost.lateness_s,
      .text = fmt::format(
          "{}: {} threads take a lock {} times ({}). The calls that take it are {} of {} for each "
          "of "
          "them, and with the work under the lock and its release {}. A variable for each thread, "
          "an atomic operation, several locks or another one save between nothing and that.",
          where_text(of), of.threads, grouped_digits(of.count), of.kind,
          seconds_text(cost.mechanism_s), seconds_text(wall_s), seconds_text(cost.lateness_s))};
}

/// A processor works on beside an atomic operation that no other thread disturbs: such ones had 22
/// % of the samples and cost nothing. So nothing is said below a quarter.
constexpr double least_share_of_atomic = 0.25;
constexpr std::uint64_t fewest_samples = 50;

bool may_be_dear(const site& of) {
  return of.kind == "atomic" && of.samples && of.samples->taken >= fewest_samples &&
         of.threads > 1 && of.samples->function_share >= least_share_of_atomic;
}

bool is_same_function(const site& a, const site& b) {
  return a.module == b.module && !a.frames.empty() && !b.frames.empty() &&
         !a.frames.back().function.empty() && a.frames.back().function == b.frames.back().function;
}

advice about_atomic(const site& of, double wall_s) {
  // Two standard deviations more than were drawn.
  const double noise = 1 + 2 / std::sqrt(static_cast<double>(of.samples->taken));
  const double at_most_s = std::min(1.0, of.samples->function_path_share * noise) * wall_s;
  constexpr double much_more = 1.05;
  const bool around = of.samples->function_path_share > much_more * of.samples->path_share;
  return {
      .rule = "atomics",
      .site_id = 0,
      .at_most_s = at_most_s,
      .text = fmt::format(
          "{}: up to {} of {} are at a locked instruction ({}){}, in {} threads at the same time. "
          "One that no other thread disturbs costs less than it seems: a variable for each "
          "thread, or fewer updates of this one, save at most that.",
          where_text(of), seconds_text(at_most_s), seconds_text(wall_s), of.operation,
          around ? " and the loads and stores of the same function" : "", of.threads)};
}

}  // namespace

std::optional<site_cost> cost_of(const site& of) {
  if (!of.times || of.times->timed == 0) return std::nullopt;
  const site_times& times = *of.times;
  constexpr double s = 1e-9;
  const double threads = std::max(1U, times.threads);
  // A region is timed once for all its threads; of a barrier each thread times its own part.
  const bool region = of.kind == "region";
  const double events = static_cast<double>(times.timed) / (region ? 1 : threads);
  const double each = static_cast<double>(of.count) / events * s;
  if (times.threads == 0) {
    const double of_thread = each / std::max(1U, of.threads);
    return site_cost{.lateness_s = times.lateness.sum_ns * of_thread,
                     .mechanism_s = times.mechanism.sum_ns * of_thread};
  }
  return site_cost{.lateness_s = times.lateness.sum_ns * each / threads,
                   .mechanism_s = region ? (times.mechanism.sum_ns + times.fork_ns / threads) * each
                                         : times.mechanism.sum_ns * each / threads};
}

std::vector<advice> advise_on(const std::vector<site>& sites, double wall_s) {
  std::vector<advice> all;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const site& of = sites[i];
    // Of several in one function the first has most of the samples.
    if (may_be_dear(of) && std::ranges::none_of(all, [&](const advice& a) {
          return a.rule == "atomics" && is_same_function(sites[a.site_id - 1], of);
        })) {
      all.push_back(about_atomic(of, wall_s));
      all.back().site_id = i + 1;
    }
    const auto cost = cost_of(of);
    if (!cost) continue;
    const bool meeting = of.times->threads > 1;
    if (!meeting && (!contains(lock_kinds, std::string_view(of.kind)) || of.threads < 2)) continue;
    // Work under a lock is no reason for another one; waiting for it is.
    if (!meeting && cost->mechanism_s < least_worth_saying * wall_s) continue;
    all.push_back(meeting ? about_meeting(of, *cost, wall_s) : about_lock(of, *cost, wall_s));
    all.back().site_id = i + 1;
    // Sums over threads that did not run, as others had the processors, may pass the time of all.
    all.back().at_most_s = std::min(all.back().at_most_s, wall_s);
  }
  std::erase_if(all, [&](const advice& a) { return a.at_most_s < least_worth_saying * wall_s; });
  std::ranges::stable_sort(all, std::ranges::greater{}, &advice::at_most_s);
  return all;
}

std::vector<std::string> sentences_on_memory(const std::vector<site>& sites) {
  std::vector<std::string> all;
  for (const site& of : sites)
    if (of.kind == "memory" && of.samples)
      all.push_back(fmt::format(
          "{:.0f} % of the CPU time is at {}, a load or store of memory, in {} threads at the same "
          "time. No call explains it. Samples cannot tell whether the threads write to one cache "
          "line: give the data of each thread lines of its own, and compare.",
          of.samples->share * 100, where_text(of), of.threads));
  return all;
}

}  // namespace syncmeter
