#include "driver/advise/equal_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <limits>
#include <thread>

#include "core/host/host_rig.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter {

namespace {

using std::chrono::steady_clock;

/// When each thread had its work done, by round, as one team of them goes.
std::vector<std::vector<steady_clock::time_point>>
arrivals_of_team(const topology& machine, const std::vector<int>& pus, unsigned threads,
                 std::uint64_t steps, std::size_t rounds) {
  std::vector<std::vector<steady_clock::time_point>> arrivals(threads);
  start_gate all;
  const auto work = [&](unsigned thread) {
    // A thread that may not be bound is where the system puts it.
    if (thread < pus.size()) (void)bind_this_thread(machine, pus[thread]);
    std::vector<steady_clock::time_point> mine(rounds);
    for (steady_clock::time_point& arrival : mine) {
      all.wait(threads);
      ops::spend(steps);
      arrival = steady_clock::now();
    }
    arrivals[thread] = std::move(mine);
  };
  {
    std::vector<std::jthread> team;
    for (unsigned thread = 0; thread < threads; ++thread) team.emplace_back(work, thread);
  }
  return arrivals;
}

}  // namespace

double lateness_of_equal_work(const topology& machine, const std::vector<int>& pus,
                              unsigned threads, unsigned work_ns, double seconds) {
  constexpr double least_rounds = 10, most_rounds_of_team = 1e4, ns = 1e9;
  const auto rounds = static_cast<std::size_t>(
      std::clamp(seconds * ns / std::max(1U, work_ns), least_rounds, most_rounds_of_team));
  const std::uint64_t steps = ops::steps_of(work_ns);
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

namespace {

/// All measurements at the length of work that is nearest to a site's.
std::vector<price> equal_work_of(const site& of, double work, const std::vector<price>& prices) {
  return nearest_in_work(prices, work, [&](const price& each) {
    return each.what.op == equal_work_name && each.what.lanes == of.times->threads;
  });
}

/// How long a thread waits in the latest of them, where it has work as long as the site's as often.
double latest_s(const std::vector<price>& measured, const site& of, double work) {
  double latest_ns = 0;
  for (const price& each : measured) latest_ns = std::max(latest_ns, each.cost_ns.value);
  return latest_ns * std::max(1.0, work / std::max(1U, measured.front().what.section_ns)) *
         static_cast<double>(of.count) * 1e-9;
}

/// Those that were measured just before a timed run, and first behind it and before the next timed
/// run: a run with patched kernels may lie between a run and its prices.
std::vector<price> measured_beside(std::size_t run, std::size_t next_run,
                                   const std::vector<price>& measured) {
  std::size_t behind = next_run;
  for (const price& each : measured)
    if (each.after_run >= run) behind = std::min(behind, each.after_run);
  std::vector<price> beside;
  std::ranges::copy_if(measured, std::back_inserter(beside), [&](const price& each) {
    return each.after_run + 1 == run || (behind < next_run && each.after_run == behind);
  });
  return beside;
}

}  // namespace

void add_lateness_of_run(std::vector<site>& sites, const std::vector<site>& of_run,
                         std::size_t run) {
  for (site& to : sites) {
    const auto from =
        std::ranges::find_if(of_run, [&](const site& each) { return is_same_site(to, each); });
    if (from == of_run.end() || !is_timed_meeting(*from)) continue;
    if (const auto cost = cost_of(*from))
      to.lateness_of_runs.push_back({.run = run, .lateness_s = cost->lateness_s});
  }
}

std::vector<lateness_beside_equal_work> lateness_in_turn(const site& of, const meeting_pace& pace,
                                                         const std::vector<price>& prices) {
  const double work = work_ns(of, pace);
  const std::vector<price> measured = equal_work_of(of, work, prices);
  std::vector<lateness_beside_equal_work> turns;
  for (std::size_t i = 0; i < of.lateness_of_runs.size(); ++i) {
    const timed_lateness& timed = of.lateness_of_runs[i];
    const std::size_t next_run = i + 1 < of.lateness_of_runs.size()
                                     ? of.lateness_of_runs[i + 1].run
                                     : std::numeric_limits<std::size_t>::max();
    const std::vector<price> beside = measured_beside(timed.run, next_run, measured);
    if (!beside.empty())
      turns.push_back({.lateness_s = timed.lateness_s, .equal_work_s = latest_s(beside, of, work)});
  }
  return turns;
}

std::vector<lateness_beside_equal_work> judged_turns(const site& of, const meeting_pace& pace,
                                                     const std::vector<price>& prices,
                                                     double lateness_s) {
  constexpr std::size_t enough_turns = 3;
  std::vector<lateness_beside_equal_work> turns = lateness_in_turn(of, pace, prices);
  if (turns.size() >= enough_turns) return turns;
  const double work = work_ns(of, pace);
  const std::vector<price> measured = equal_work_of(of, work, prices);
  if (measured.empty()) return {};
  return {{.lateness_s = lateness_s, .equal_work_s = latest_s(measured, of, work)}};
}

const lateness_beside_equal_work&
deciding_turn(const std::vector<lateness_beside_equal_work>& turns) {
  return *std::ranges::min_element(turns, {}, &lateness_beside_equal_work::more_s);
}

}  // namespace syncmeter
