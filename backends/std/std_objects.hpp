// What the lanes of C++20 threads share beside cells: the library's own objects, one set for each
// worker.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "core/host/thread_team.hpp"

namespace syncmeter::standard {

/// The lock that is fair: whoever draws the next number is served next. Both numbers lie on one
/// line, as they do where the lock is written for its size.
struct ticket_lock {
  std::atomic<std::uint32_t> next{0};
  std::atomic<std::uint32_t> serving{0};
};

/// What guards one cell. Each on lines of its own: adjacent-line prefetch must not couple them.
struct lock_set {
  alignas(128) std::mutex mutex;
  alignas(128) std::shared_mutex shared_mutex;
  alignas(128) std::atomic_flag spin_lock;
  alignas(128) ticket_lock tickets;
};

struct shared_objects {
  explicit shared_objects(wait_policy waiting) : team{waiting} {}

  /// Makes the barrier one of `lanes` lanes, and locks for as many cells. None may be waiting at
  /// it.
  void fit(unsigned lanes) {
    while (locks.size() < lanes) locks.emplace_back();
    if (lanes_ == lanes) return;
    barrier.emplace(static_cast<std::ptrdiff_t>(lanes));
    lanes_ = lanes;
  }

  thread_team team;
  alignas(128) std::optional<std::barrier<>> barrier;
  std::deque<lock_set> locks;  // by cell; its elements stay where they are as it grows

 private:
  alignas(128) unsigned lanes_ = 0;
};

}  // namespace syncmeter::standard
