// Target regions that a host thread starts on a device, empty or with a reduction.
#pragma once

#include <cstdint>

#include "core/op.hpp"

namespace syncmeter::omp_target {

/// The host thread and its launch parameters.
class host_thread {
 public:
  using value_type = std::int32_t;
  host_thread(int device, unsigned teams, unsigned threads)
      : device_{device}, teams_{teams}, threads_{threads} {}

  [[nodiscard]] SM_FN int device() const { return device_; }
  [[nodiscard]] SM_FN unsigned teams() const { return teams_; }
  [[nodiscard]] SM_FN unsigned threads() const { return threads_; }
  SM_FN void tally_wrong(std::uint64_t difference) { wrong_ |= difference; }
  [[nodiscard]] SM_FN std::uint64_t outcome() const { return wrong_; }

 private:
  int device_;
  unsigned teams_, threads_;
  std::uint64_t wrong_ = 0;
};

namespace ops {

consteval op_info region_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::launch,
          .unroll = 1,
          .communicates = true,
          .host_lane = true,
          .note = note};
}

// test - baseline == one more empty target region, from start to end
struct target_region : self_paired<target_region> {
  static constexpr op_info info = region_info(
      "target_region", "an empty target region: one team of one thread, started and waited for");
  SM_FN static void common(auto& host) { step(host.device()); }
  SM_LOOP static void step(int device) {
#pragma omp target device(device)
    {
    }
  }
};

// The same with the point's teams and threads.
struct target_teams_region : self_paired<target_teams_region> {
  static constexpr op_info info =
      region_info("target_teams_region", "an empty parallel region in each of the teams");
  SM_FN static void common(auto& host) { step(host.device(), host.teams(), host.threads()); }
  SM_LOOP static void step(int device, unsigned teams, unsigned threads) {
#pragma omp target teams num_teams(teams) thread_limit(threads) device(device)
#pragma omp parallel num_threads(threads)
    {
    }
  }
};

// test - baseline == one more region that adds a number per lane by the clause and returns the sum
// to the host
struct target_reduction_sum : self_paired<target_reduction_sum> {
  static constexpr op_info info =
      region_info(
          "target_reduction_sum",
          "a loop over as many numbers as threads, by reduction(+:sum): the region included")
          .with(&op_info::family, family::reduction)
          .with(&op_info::oracle, oracle::agreed);
  SM_FN static void common(auto& host) {
    host.tally_wrong(step(host.device(), host.teams(), host.threads()));
  }
  /// Returns the difference from the expected sum.
  SM_LOOP static std::uint64_t step(int device, unsigned teams, unsigned threads) {
    const std::uint64_t numbers = std::uint64_t{teams} * threads * 32;
    std::uint64_t sum = 0;
#pragma omp target teams distribute parallel for simd num_teams(teams) thread_limit(threads)       \
    num_threads(threads) reduction(+ : sum) map(tofrom : sum) device(device)
    for (std::uint64_t i = 0; i < numbers; ++i) sum += i;
    return sum - numbers * (numbers - 1) / 2;
  }
};

}  // namespace ops
}  // namespace syncmeter::omp_target
