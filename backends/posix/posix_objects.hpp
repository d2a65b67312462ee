// What the lanes of POSIX threads share beside cells and the objects of ops: their team, the
// barrier, and the default mutexes.
#pragma once

#include <pthread.h>

#include <deque>
#include <stdexcept>

#include "backends/posix/posix_locks.hpp"
#include "core/host/thread_team.hpp"

namespace syncmeter::posix {

struct shared_objects {
  explicit shared_objects(wait_policy waiting) : team{waiting} {}
  ~shared_objects() { end_barrier(); }
  shared_objects(const shared_objects&) = delete;
  shared_objects& operator=(const shared_objects&) = delete;

  /// Makes the barrier one of `lanes` lanes, and mutexes for as many cells. None may be waiting at
  /// it. Throws std::runtime_error without memory.
  void fit(unsigned lanes) {
    while (mutexes.size() < lanes) mutexes.emplace_back();
    if (lanes_ == lanes) return;
    end_barrier();
    if (pthread_barrier_init(&barrier, nullptr, lanes) != 0)
      throw std::runtime_error("pthread_barrier_init failed");
    lanes_ = lanes;
  }

  thread_team team;
  alignas(128) pthread_barrier_t barrier;
  alignas(128) std::deque<mutex<mutex_kind::normal>> mutexes;  // by cell; they stay where they are

 private:
  void end_barrier() {
    if (lanes_ != 0) pthread_barrier_destroy(&barrier);
    lanes_ = 0;
  }
  unsigned lanes_ = 0;
};

}  // namespace syncmeter::posix
