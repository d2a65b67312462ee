// The two shortest locks of atomics, as objects.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/spin_pause.hpp"

namespace syncmeter::ops {

/// Test and test-and-set: looks, and tries only when the lock was seen free.
class spin_lock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) {
      while (held_.load(std::memory_order_relaxed)) spin_pause();
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

/// Whoever draws the next number is served next.
class ticket_lock {
 public:
  void lock() {
    const auto mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (serving_.load(std::memory_order_acquire) != mine) spin_pause();
  }
  void unlock() {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::atomic<std::uint32_t> next_{0}, serving_{0};
};

}  // namespace syncmeter::ops
