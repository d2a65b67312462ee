#include "driver/advise/equal_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
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
std::vector<price> measured_beside(const site& of, double work, const std::vector<price>& prices) {
  return nearest_in_work(prices, work, [&](const price& each) {
    return each.what.op == equal_work_name && each.what.lanes == of.times->threads;
  });
}

/// The latest of them, for work as long as the site's.
double latest_ns(const std::vector<price>& measured, double work) {
  double latest = 0;
  for (const price& each : measured) latest = std::max(latest, each.cost_ns.value);
  return latest * std::max(1.0, work / std::max(1U, measured.front().what.section_ns));
}

}  // namespace

std::optional<double> latest_of_equal_work(const site& of, const meeting_pace& pace,
                                           const std::vector<price>& prices) {
  const double work = work_ns(of, pace);
  const std::vector<price> measured = measured_beside(of, work, prices);
  if (measured.empty()) return std::nullopt;
  return latest_ns(measured, work);
}

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
  const std::vector<price> measured = measured_beside(of, work, prices);
  std::vector<lateness_beside_equal_work> turns;
  for (const timed_lateness& run : of.lateness_of_runs) {
    std::vector<price> beside;
    std::ranges::copy_if(measured, std::back_inserter(beside), [&](const price& each) {
      return each.after_run == run.run || each.after_run + 1 == run.run;
    });
    if (!beside.empty())
      turns.push_back(
          {.lateness_s = run.lateness_s,
           .equal_work_s = latest_ns(beside, work) * static_cast<double>(of.count) * 1e-9});
  }
  return turns;
}

}  // namespace syncmeter
