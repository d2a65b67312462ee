#include "core/ops/spun_work.hpp"

#include <algorithm>
#include <chrono>

namespace syncmeter::ops {
namespace {

// The fastest of many short tries: what disturbs makes them longer, never shorter.
double step_ns(void (*work)(std::uint64_t)) {
  using clock = std::chrono::steady_clock;
  constexpr std::uint64_t steps = 20'000;
  double fastest = 1e9;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const auto begin = clock::now();
    work(steps);
    const std::chrono::duration<double, std::nano> took = clock::now() - begin;
    fastest = std::min(fastest, took.count() / static_cast<double>(steps));
  }
  return fastest;
}

}  // namespace

std::uint64_t steps_of(unsigned ns) {
  static const double each_ns = step_ns(spend);
  return static_cast<std::uint64_t>(ns / each_ns);
}

std::uint64_t wide_steps_of(unsigned ns) {
  static const double each_ns = step_ns(spend_wide);
  return static_cast<std::uint64_t>(ns / each_ns);
}

std::uint64_t narrow_steps_of(unsigned ns) {
  static const double each_ns = step_ns(spend_narrow);
  return static_cast<std::uint64_t>(ns / each_ns);
}

}  // namespace syncmeter::ops
