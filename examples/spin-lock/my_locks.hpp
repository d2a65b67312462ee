// A spin lock that waits longer after each failed try, to be laid beside std::mutex.
#pragma once

#include <atomic>
#include <mutex>

#include <syncmeter/primitive.hpp>

class backoff_lock {
 public:
  void lock() {
    unsigned pauses = 1;
    while (held_.exchange(true, std::memory_order_acquire)) {
      do {
        for (volatile unsigned i = 0; i < pauses;) i = i + 1;
        if (pauses < 1024) pauses *= 2;
      } while (held_.load(std::memory_order_relaxed));
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

struct backoff_lock_add {  // test - baseline == one more x += 1 under the lock
  using object = backoff_lock;
  static constexpr auto info = syncmeter::locked_add_info("backoff_lock_add");
  SM_FN static void common(auto& lane) {
    const std::lock_guard hold{lane.object()};
    lane.plain_add(lane.cell());
  }
  SM_FN static void measured(auto& lane) { common(lane); }
};

using syncmeter_ops = syncmeter::user_ops<backoff_lock_add>;
