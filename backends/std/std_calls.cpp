#include "backends/std/std_lane.hpp"

#include <atomic>

namespace syncmeter::standard {

void arrive_and_wait(std::barrier<>& all) { all.arrive_and_wait(); }

void wait_for_token(std::uint64_t& box, std::uint64_t expected) {
  const std::atomic_ref<std::uint64_t> token{box};
  for (;;) {
    const auto found = token.load(std::memory_order_acquire);
    if (found == expected) return;
    token.wait(found, std::memory_order_acquire);
  }
}

void post_token(std::uint64_t& box, std::uint64_t token) {
  const std::atomic_ref<std::uint64_t> next{box};
  next.store(token, std::memory_order_release);
  next.notify_all();
}

}  // namespace syncmeter::standard
