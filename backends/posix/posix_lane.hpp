// The lane of POSIX threads: every word is one call of the C library. Lanes share the team, the
// barrier and the default mutexes. All other locks and channels are objects of their ops.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <type_traits>

#include "backends/posix/posix_kernel.hpp"
#include "backends/posix/posix_locks.hpp"
#include "core/host/host_lane.hpp"
#include "core/host/lane_memory.hpp"
#include "core/host/lateness.hpp"
#include "core/host/teams.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter::posix {

using lane_team = std::conditional_t<lanes_are_processes, process_team, thread_team>;
using default_mutex = mutex<mutex_kind::normal>;

/// Objects in the memory that lanes share.
struct shared_objects {
  explicit shared_objects(wait_policy waiting) : team{waiting} {}
  ~shared_objects() { end_barrier(); }
  shared_objects(const shared_objects&) = delete;
  shared_objects& operator=(const shared_objects&) = delete;

  /// Makes the barrier for `lanes` lanes, and mutexes for as many cells. No lane may wait at the
  /// barrier. Throws std::runtime_error without memory, and errors from make().
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

template <class T> class lane : public host_lane<T>, public late_words {
 public:
  static constexpr order memory_order = order::unordered;

  explicit lane(const lane_setup& s)
      : host_lane<T>{s}, late_words{s},
        mutex_{&static_cast<shared_objects*>(s.backend)->mutexes[s.cell_index]},
        barrier_{&static_cast<shared_objects*>(s.backend)->barrier}, looked_at_{s.mailbox} {}

  SM_FN void barrier() const { pthread_barrier_wait(barrier_); }
  SM_FN void lock_add(T& x, T) const {
    mutex_->lock();
    this->plain_add(x);
    mutex_->unlock();
  }
  /// Issues the barrier and tallies failures.
  SM_FN void expedited_barrier() { this->tally_wrong(posix::expedited_barrier() ? 0 : 1); }
  SM_FN void pause_and_look() const {
    spin_pause();
    auto value = std::atomic_ref{*looked_at_}.load(std::memory_order_acquire);
    make_opaque(value);
  }

 private:
  mutex<mutex_kind::normal>* mutex_;
  pthread_barrier_t* barrier_;
  std::uint64_t* looked_at_;
};

}  // namespace syncmeter::posix
