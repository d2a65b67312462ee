// Locks of atomics, as objects: the two shortest, and FIFO locks that scale, around one add. Each
// waiting lane of the latter spins on a line of its own (MCS, CLH), or looks the less often the
// farther back it stands (ticket with backoff). Why their memory orders are enough is argued in
// docs/reference/studies/locks.md, step by step.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/cell_object.hpp"
#include "core/ops/critical.hpp"
#include "core/ops/literal.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter::ops {

/// Test and test-and-set: looks, and tries only when the lock looked free.
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

/// x += 1 between the calls of a lock that is the op's object.
template <class Lock> struct queued_add : self_paired<queued_add<Lock>> {
  using object = Lock;
  using only_type = std::int32_t;
  SM_FN static void common(auto& lane) {
    auto& lock = lane.object();
    lock.lock(lane.number());
    lane.plain_add(lane.cell());
    lock.unlock(lane.number());
  }
};

/// NAME_add: x += 1 under `What`. A disassembly calls the lock SPACE NAME.
template <class Lock, literal Space, literal Name, literal What> struct queued : queued_add<Lock> {
  static constexpr op_info info =
      lock_info(text<Name, "_add">, text<"x += 1 under ", What>)
          .with(&op_info::compiles_to, text<"call:", Space, Name, "::lock 1, call:", Space, Name,
                                            "::unlock 1, load 1, store 1 | call:", Space, Name,
                                            "::lock 1, call:", Space, Name, "::unlock 1, rmw 1">);
};

struct mcs_lock_add : queued<mcs_lock, "syncmeter::ops::", "mcs_lock",
                             "an MCS lock: each waiter spins on its own line (FIFO)"> {};
struct clh_lock_add : queued<clh_lock, "syncmeter::ops::", "clh_lock",
                             "a CLH lock: each waiter spins on the line before its (FIFO)"> {};
struct ticket_backoff_lock_add
    : queued<ticket_backoff_lock, "syncmeter::ops::", "ticket_backoff_lock",
             "a ticket lock whose waiters look the less often the more are before them"> {};

}  // namespace syncmeter::ops
