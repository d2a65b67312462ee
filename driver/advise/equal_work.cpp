#include "driver/advise/equal_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "core/host/host_rig.hpp"
#include "core/ops/spun_work.hpp"
#include "driver/advise/rank_sum.hpp"
#include "driver/advise/seconds_text.hpp"

namespace syncmeter {

namespace {

using std::chrono::steady_clock;

/// When each thread had its work done, by round, as one team of them goes.
std::vector<std::vector<steady_clock::time_point>>
arrivals_of_team(const topology& machine, const std::vector<int>& pus, unsigned threads,
                 std::uint64_t steps, std::size_t rounds) {
  std::vector<std::vector<steady_clock::time_point>> arrivals(threads);
  start_gate all;
  std::promise<bool> is_created;
  const std::shared_future<bool> is_complete = is_created.get_future().share();
  const auto work = [&](unsigned thread) {
    if (!is_complete.get()) return;
    // A thread that may not be bound is where the system puts it.
    if (thread < pus.size()) (void)bind_this_thread(machine, pus[thread]);
    std::vector<steady_clock::time_point> mine(rounds);
    for (steady_clock::time_point& arrival : mine) {
      all.wait(threads);
      ops::spend_wide(steps);
      arrival = steady_clock::now();
    }
    arrivals[thread] = std::move(mine);
  };
  {
    std::vector<std::jthread> team;
    try {
      for (unsigned thread = 0; thread < threads; ++thread) team.emplace_back(work, thread);
    } catch (...) {
      is_created.set_value(false);  // those that were would wait for the others
      throw;
    }
    is_created.set_value(true);
  }
  return arrivals;
}

}  // namespace

double lateness_of_equal_work(const topology& machine, const std::vector<int>& pus,
                              unsigned threads, unsigned work_ns, double seconds) {
  constexpr double least_rounds = 10, most_rounds_of_team = 1e4, ns = 1e9;
  const auto rounds = static_cast<std::size_t>(
      std::clamp(seconds * ns / std::max(1U, work_ns), least_rounds, most_rounds_of_team));
  const std::uint64_t steps = ops::wide_steps_of(work_ns);
  std::chrono::duration<double, std::nano> late{};
  double all_rounds = 0;
  const auto begin = steady_clock::now();
  do {
    const auto arrivals = arrivals_of_team(machine, pus, threads, steps, rounds);
    for (std::size_t round = 0; round < rounds; ++round) {
      steady_clock::time_point last{};
      for (const auto& mine : arrivals) last = std::max(last, mine[round]);
      for (const auto& mine : arrivals) late += last - mine[round];
    }
    all_rounds += static_cast<double>(rounds);
  } while (steady_clock::now() - begin < std::chrono::duration<double>(seconds));
  return late.count() / (threads * all_rounds);
}

void add_cost_of_run(std::vector<site>& sites, const std::vector<site>& of_run) {
  for (site& to : sites) {
    const auto from =
        std::ranges::find_if(of_run, [&](const site& each) { return is_same_site(to, each); });
    if (from == of_run.end() || !is_timed_meeting(*from)) continue;
    if (const auto cost = cost_of(*from)) to.cost_of_runs.push_back(*cost);
  }
}

namespace {

constexpr double level = 0.01;  // of the test

}  // namespace

bool beside_equal_work::is_longer() const {
  if (equal_work_s.empty() || runs_s.empty()) return true;
  return std::ranges::min(runs_s) > std::ranges::max(equal_work_s) ||
         rank_sum_tail(runs_s, equal_work_s) <= level;
}

std::string beside_equal_work::why_unsure(double wall_s) const {
  if (equal_work_s.empty()) return "";
  std::string why;
  constexpr double nearly = 0.9;  // runs differ
  if (measured_s > 0 && measured_s < nearly * share_of_run * wall_s)
    why = fmt::format(" Each of these was measured for {} only, as --budget has room for no more, "
                      "and what disturbs a machine now and then is in a longer run rather than in "
                      "them: it may be that.",
                      seconds_text(measured_s));
  if (const double tail = rank_sum_tail(runs_s, equal_work_s); tail > level)
    why += fmt::format(" Chance alone has so few runs longer in one of {:.0f} looks; a longer "
                       "--budget has more.",
                       1 / tail);
  return why;
}

unsigned equal_work_ns(const site& of, const meeting_pace& pace) {
  constexpr double longest_ns = 2e7;
  return static_cast<unsigned>(std::clamp(work_ns(of, pace), 1.0, longest_ns));
}

bool is_about(unsigned value, unsigned wanted, unsigned nothing) {
  return (value <= nothing && wanted <= nothing) || (value <= 2 * wanted && wanted <= 2 * value);
}

point timed_point(point what) {
  what.op = fmt::format("timed_{}", what.op);
  return what;
}

bool is_timed_as(const point& what, const site& of) {
  const std::string_view op =
      of.kind == "region" ? "timed_region_around_work" : "timed_barrier_after_work";
  return what.op == op && what.lanes == of.times->threads &&
         (what.backend == "posix") == (of.kind == "barrier_wait");
}

namespace {

/// This part of what a site takes, and what `is_like` has measured of about as much work takes.
beside_equal_work of_part(double site_cost::* part, const site& of, const site_cost& cost,
                          const meeting_pace& pace, const std::vector<price>& prices,
                          const std::function<bool(const price&)>& is_like) {
  const unsigned work = equal_work_ns(of, pace);
  beside_equal_work found;
  for (const site_cost& run : of.cost_of_runs) found.runs_s.push_back(run.*part);
  if (found.runs_s.empty()) found.runs_s.push_back(cost.*part);
  const auto is_like_in_work = [&](const price& each) {
    return is_like(each) && is_about(each.what.section_ns, work, least_of_equal_work_ns);
  };
  for (const price& each : nearest_in_work(prices, work, is_like_in_work)) {
    found.equal_work_s.push_back(each.cost_ns.value * static_cast<double>(of.count) * 1e-9);
    found.measured_s = each.equal_work_s;
  }
  return found;
}

/// How many times as long the work of a site is as work that stands for it: threads of more work
/// come later, and those of less not less late.
double times_as_long(const site& of, const meeting_pace& pace, const point& equal_work) {
  return std::max(1.0, work_ns(of, pace) / std::max(1U, equal_work.section_ns));
}

}  // namespace

beside_equal_work lateness_beside(const site& of, const site_cost& cost, const meeting_pace& pace,
                                  const std::vector<price>& prices) {
  std::vector<price> as_long = prices;
  for (price& each : as_long) each.cost_ns.value *= times_as_long(of, pace, each.what);
  return of_part(&site_cost::lateness_s, of, cost, pace, as_long, [&](const price& each) {
    return each.what.op == equal_work_name && each.what.lanes == of.times->threads;
  });
}

beside_equal_work mechanism_beside(const site& of, const site_cost& cost, const meeting_pace& pace,
                                   const std::vector<price>& prices) {
  return of_part(&site_cost::mechanism_s, of, cost, pace, prices,
                 [&](const price& each) { return is_timed_as(each.what, of); });
}

}  // namespace syncmeter
