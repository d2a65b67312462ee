// FIFO locks that scale: each waiting lane spins on a line of its own (MCS, CLH), or looks the less
// often the farther back it stands (ticket with backoff). Why their memory orders are enough is
// argued in docs/studies/locks.md, step by step.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/cell_object.hpp"

namespace syncmeter::ops {

// The functions are calls, not inlined, as those of the libraries' locks are. `lane` is a number of
// its own for each lane that shares the lock, modulo their number.

/// Mellor-Crummey and Scott 1991, "Algorithms for scalable synchronization on shared-memory
/// multiprocessors": a list of waiters, each spinning on its own node.
class mcs_lock {
 public:
  explicit mcs_lock(sharers who);
  void lock(unsigned lane);
  void unlock(unsigned lane);
  /// Changes whenever a lane queues: for tests of who comes next.
  [[nodiscard]] std::uintptr_t last_in_line() const;

 private:
  struct alignas(128) node {
    std::atomic<node*> next{nullptr};
    std::atomic<bool> waits{false};
  };
  std::unique_ptr<node[]> nodes_;
  unsigned lanes_;
  alignas(128) std::atomic<node*> tail_{nullptr};
};

/// Craig 1993, and Magnusson, Landin and Hagersten 1994: each lane spins on the node of the lane
/// before it, and takes that node over when it leaves.
class clh_lock {
 public:
  explicit clh_lock(sharers who);
  void lock(unsigned lane);
  void unlock(unsigned lane);
  [[nodiscard]] std::uintptr_t last_in_line() const;

 private:
  struct alignas(128) node {
    std::atomic<bool> held{false};
  };
  struct alignas(128) place {
    node* mine = nullptr;
    node* before = nullptr;
  };
  std::unique_ptr<node[]> nodes_;  // one more than lanes: the last holder's stays in line
  std::unique_ptr<place[]> places_;
  unsigned lanes_;
  alignas(128) std::atomic<node*> tail_;
};

/// A ticket lock whose waiters pause for as long as those before them may take (Mellor-Crummey and
/// Scott, section 2.2).
class ticket_backoff_lock {
 public:
  void lock(unsigned lane);
  void unlock(unsigned lane);
  [[nodiscard]] std::uintptr_t last_in_line() const;

 private:
  alignas(128) std::atomic<std::uint32_t> next_{0};
  alignas(128) std::atomic<std::uint32_t> serving_{0};
};

}  // namespace syncmeter::ops
