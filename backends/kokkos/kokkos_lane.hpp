// The lane of Kokkos' execution spaces on the host: a member of a team.
#pragma once

#include "backends/kokkos/kokkos_team.hpp"
#include "backends/kokkos/kokkos_words.hpp"
#include "core/host_lane.hpp"

namespace syncmeter::kokkos {

/// What the lanes of a worker share beside cells.
struct shared_objects {
  alignas(128) int lock = 0;
  char rest_of_its_lines[128 - sizeof(int)]{};
};

template <class Space, class T, order O>
class lane : public host_lane<T>, public words<T, O>, ring_registers {
 public:
  explicit lane(const lane_setup& s)
      : host_lane<T>{s}, ring_registers{s}, member_{this_member<Space>},
        lock_{&static_cast<shared_objects*>(s.backend)->lock} {}

  SM_FN void barrier() const { team_barrier(*member_); }

  // Kokkos has no critical section, and its UniqueToken is none: that one hands out different
  // indices to as many threads as ask for one, and on the host it aborts when none is left ("It is
  // required that max_size is >= the maximum number of concurrent threads",
  // Kokkos_UniqueToken.hpp). What it gives its users is the lock that they write themselves, as its
  // own atomics on large types do: taken by an atomic, with a fence on each side, for the atomics
  // are relaxed.
  SM_FN void critical_add(T& x, T by) const
    requires has_atomics
  {
    while (Kokkos::atomic_compare_exchange(lock_, 0, 1) != 0) {
    }
    Kokkos::load_fence();
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
    Kokkos::store_fence();
    Kokkos::atomic_store(lock_, 0);
  }

  SM_FN void await_token() const
    requires has_atomics
  {
    while (Kokkos::atomic_load(mailbox_) != expected_) {
    }
    Kokkos::load_fence();
  }
  SM_FN void pass_token()
    requires has_atomics
  {
    Kokkos::store_fence();
    Kokkos::atomic_store(next_mailbox_, expected_ + bump_);
    ++expected_;
    make_opaque(expected_);  // or the tokens of a whole trip are worked out ahead, and spilled
  }

 private:
  const member_of<Space>* member_;
  int* lock_;
};

}  // namespace syncmeter::kokkos
