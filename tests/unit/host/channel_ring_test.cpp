// Rings through channels: who gets which token, and what their check says of channels that lose or
// forge one.
#include "core/host/channel_ring.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace syncmeter {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct sound_channel {
  std::uint64_t receive(std::uint64_t& box, std::uint64_t token) {
    while (std::atomic_ref{box}.load() != token) std::this_thread::yield();
    return token;
  }
  void send(std::uint64_t& box, std::uint64_t token) { std::atomic_ref{box}.store(token); }
};

// Comes back at once, whether or not anything has come.
struct open_channel : sound_channel {
  std::uint64_t receive(std::uint64_t& box, std::uint64_t) { return std::atomic_ref{box}.load(); }
};

/// Runs `steps` steps of each lane, on threads of their own.
template <class Step> void on_threads(unsigned lanes, unsigned steps, Step step) {
  std::vector<std::thread> threads;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    threads.emplace_back([=]() mutable {
      for (unsigned i = 0; i < steps; ++i) step(lane);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(channel_ring, a_token_goes_around_all_lanes) {
  for (const unsigned lanes : {1U, 2U, 3U}) {
    token_ring<sound_channel> ring{{.lanes = lanes}};
    on_threads(lanes, 50, [&ring](unsigned lane) { ring.pass_on(lane); });
    EXPECT_THAT(ring.check(50), IsEmpty());
    EXPECT_THAT(ring.check(51), HasSubstr("thread 0: 50 steps, not 51"));
  }
}

TEST(channel_ring, who_is_late_next_waits_for_who_is_late_now) {
  for (const unsigned lanes : {2U, 3U}) {
    late_ring<sound_channel> ring{{.lanes = lanes}};
    std::atomic<unsigned> turn{0};
    std::atomic<bool> early{false};
    on_threads(lanes, 30, [&, step = 0U](unsigned lane) mutable {
      // Lanes are late in turn; whoever is late next comes back after it.
      if (step % lanes == lane && turn.fetch_add(1) != step) early = true;
      ring.meet(lane);
      ++step;
    });
    EXPECT_THAT(ring.check(30), IsEmpty());
    EXPECT_FALSE(early) << lanes;
  }
}

TEST(channel_ring, in_the_baseline_nobody_meets) {
  const late_ring<sound_channel> ring{{.lanes = 2}};
  EXPECT_THAT(ring.check(30), IsEmpty());
}

TEST(channel_ring, others_wait_until_the_first_has_worked) {
  for (const unsigned lanes : {1U, 2U, 3U}) {
    worked_ring<sound_channel> ring{{.lanes = lanes}, 20'000};
    std::atomic<unsigned> worked{0};
    std::atomic<bool> early{false};
    on_threads(lanes, 30, [&, step = 0U](unsigned lane) mutable {
      if (lane == 0) worked = step + 1;
      ring.work_or_wait(lane);
      if (lane != 0 && worked <= step) early = true;
      ++step;
    });
    EXPECT_THAT(ring.check(30), IsEmpty());
    EXPECT_FALSE(early) << lanes;
  }
}

TEST(channel_ring, a_channel_that_does_not_wait_is_found_out) {
  token_ring<open_channel> ring{{.lanes = 2}};
  ring.pass_on(1);
  ring.pass_on(0);
  EXPECT_THAT(ring.check(1), HasSubstr("came back without its token"));
  late_ring<open_channel> late{{.lanes = 2}};
  late.meet(1);
  late.meet(0);
  EXPECT_THAT(late.check(1), HasSubstr("thread 1: came back without its token"));
  worked_ring<open_channel> worked{{.lanes = 2}, 1};
  worked.work_or_wait(1);
  worked.work_or_wait(0);
  EXPECT_THAT(worked.check(1), HasSubstr("thread 1: came back without its token"));
}

}  // namespace
}  // namespace syncmeter
