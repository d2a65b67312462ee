// The lane of POSIX threads: every word is one call of the C library. Locks and channels are the
// objects of its own ops.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "backends/posix/posix_kernel.hpp"
#include "backends/posix/posix_objects.hpp"
#include "core/host/gate.hpp"
#include "core/host/host_lane.hpp"
#include "core/host/lateness.hpp"

namespace syncmeter::posix {

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
  /// Its failures are told by the tally.
  SM_FN void expedited_barrier() { this->tally_wrong(posix::expedited_barrier() ? 0 : 1); }
  SM_FN void pause_and_look() const {
    spin_pause();
    auto seen = std::atomic_ref{*looked_at_}.load(std::memory_order_acquire);
    make_opaque(seen);
  }

 private:
  mutex<mutex_kind::normal>* mutex_;
  pthread_barrier_t* barrier_;
  std::uint64_t* looked_at_;
};

}  // namespace syncmeter::posix
