#include "driver/advise/equal_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "core/host/host_rig.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter {

double lateness_of_equal_work(const topology& machine, const std::vector<int>& pus,
                              unsigned threads, unsigned work_ns, double seconds) {
  using clock = std::chrono::steady_clock;
  constexpr double least_rounds = 10, most_rounds = 1e4, ns = 1e9;
  const auto rounds = static_cast<std::size_t>(
      std::clamp(seconds * ns / std::max(1U, work_ns), least_rounds, most_rounds));
  const std::uint64_t steps = ops::steps_of(work_ns);
  std::vector<std::vector<clock::time_point>> arrivals(threads);
  start_gate all;
  const auto work = [&](unsigned thread) {
    // A thread that may not be bound is where the system puts it.
    if (thread < pus.size()) (void)bind_this_thread(machine, pus[thread]);
    std::vector<clock::time_point> mine(rounds);
    for (clock::time_point& arrival : mine) {
      all.wait(threads);
      ops::spend(steps);
      arrival = clock::now();
    }
    arrivals[thread] = std::move(mine);
  };
  {
    std::vector<std::jthread> team;
    for (unsigned thread = 0; thread < threads; ++thread) team.emplace_back(work, thread);
  }
  std::chrono::duration<double, std::nano> late{};
  for (std::size_t round = 0; round < rounds; ++round) {
    clock::time_point last{};
    for (const auto& mine : arrivals) last = std::max(last, mine[round]);
    for (const auto& mine : arrivals) late += last - mine[round];
  }
  return late.count() / (threads * static_cast<double>(rounds));
}

std::optional<double> latest_of_equal_work(const site& of, const meeting_pace& pace,
                                           const std::vector<price>& prices) {
  const double work = work_ns(of, pace);
  const auto nearest = nearest_in_work(prices, work, [&](const price& each) {
    return each.what.op == equal_work_name && each.what.lanes == of.times->threads;
  });
  if (nearest.empty()) return std::nullopt;
  double latest_ns = 0;
  for (const price& each : nearest) latest_ns = std::max(latest_ns, each.cost_ns.value);
  return latest_ns * std::max(1.0, work / std::max(1U, nearest.front().what.section_ns));
}

}  // namespace syncmeter
