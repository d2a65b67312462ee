// What the lanes of POSIX threads share beside cells and the objects of ops: their team, the
// barrier, and the default mutexes.
#pragma once

#include <pthread.h>

#include <deque>
#include <type_traits>

#include "backends/posix/posix_locks.hpp"
#include "core/host/lane_memory.hpp"
#include "core/host/process_team.hpp"
#include "core/host/thread_team.hpp"

namespace syncmeter::posix {

using lane_team = std::conditional_t<lanes_are_processes, process_team, thread_team>;
using default_mutex = mutex<mutex_kind::normal>;

/// In memory that the lanes have in common.
struct shared_objects {
  explicit shared_objects(wait_policy waiting) : team{waiting} {}
  ~shared_objects() { end_barrier(); }
  shared_objects(const shared_objects&) = delete;
  shared_objects& operator=(const shared_objects&) = delete;

  /// Makes the barrier one of `lanes` lanes, and mutexes for as many cells. None may be waiting at
  /// it. Throws std::runtime_error without memory, and what make() throws.
  void fit(unsigned lanes) {
    while (mutexes.size() < lanes) mutexes.emplace_back();
    if (lanes_ == lanes) return;
    end_barrier();
    make(barrier, lanes);
    lanes_ = lanes;
  }

  lane_team team;
  alignas(128) pthread_barrier_t barrier;
  alignas(128) std::deque<default_mutex, lane_allocator<default_mutex>> mutexes;  // by cell

 private:
  void end_barrier() {
    if (lanes_ != 0) pthread_barrier_destroy(&barrier);
    lanes_ = 0;
  }
  unsigned lanes_ = 0;
};

}  // namespace syncmeter::posix
