// C++'s own ops, and all ops of the worker for C++20 threads in table order (cmake/tables.cmake).
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "backends/std/ops/regions.hpp"
#include "backends/std/std_lane.hpp"
#include "core/host/channel_ring.hpp"
#include "core/ops/all.hpp"
#include "core/ops/held_lock.hpp"
#include "core/ops/host.hpp"
#include "core/ops/lock_objects.hpp"
#include "core/ops/read_mostly.hpp"

namespace syncmeter::standard {

// Concepts for C++'s own ops: the words that a lane must offer to run an op.
template <class L>
concept has_shared_mutex = requires(L& l) {
  l.shared_mutex_add(l.cell(), l.one());
  l.sink(l.shared_mutex_read(l.cell()));
};

// The token ring with lanes that sleep until another lane wakes them.
template <class L>
concept has_sleeping_ring = requires(L& l) {
  l.sleep_for_token();
  l.pass_token_and_wake();
};

namespace ops {

using syncmeter::ops::accessed;
using syncmeter::ops::handoff_info;
using syncmeter::ops::held;
using syncmeter::ops::lock_info;

// C++ locks besides std::mutex (critical_add, lock_add). test - baseline == one more section with
// one add or one read under the lock.
struct shared_mutex_add : self_paired<shared_mutex_add> {
  static constexpr op_info info =
      lock_info("shared_mutex_add", "x += 1 under std::shared_mutex, locked exclusively");
  SM_FN static void common(has_shared_mutex auto& lane) {
    lane.shared_mutex_add(lane.cell(), lane.one());
  }
};

// several lanes may hold the lock together and share only its count
struct shared_mutex_read : self_paired<shared_mutex_read> {
  static constexpr op_info info =
      lock_info("shared_mutex_read",
                "a plain read under std::shared_mutex, locked by std::shared_lock")
          .with(&op_info::oracle, oracle::none);
  SM_FN static void common(has_shared_mutex auto& lane) {
    lane.sink(lane.shared_mutex_read(lane.cell()));
  }
};

// Sleeping waits for another lane: a handoff and a late lane.
// test - baseline == one more rotation, divided by the lanes to get the cost per handoff
struct atomic_wait_handoff : self_paired<atomic_wait_handoff> {
  static constexpr op_info info = handoff_info(
      "atomic_wait_handoff", "a token of 64 bits by std::atomic's wait and notify_all");
  SM_FN static void common(has_sleeping_ring auto& lane) {
    lane.sleep_for_token(), lane.pass_token_and_wake();
  }
};

/// Channel for late_ring (core/host/channel_ring.hpp).
struct atomic_wait_channel {
  std::uint64_t receive(std::uint64_t& box, std::uint64_t token) {
    wait_for_token(box, token);
    return token;
  }
  void send(std::uint64_t& box, std::uint64_t token) { post_token(box, token); }
};

struct wait_atomic : syncmeter::ops::late_wait<late_ring<atomic_wait_channel>> {
  static constexpr op_info info =
      syncmeter::ops::late_wait_info("wait_atomic", "sleeps by std::atomic's wait");
};

// C++ locks and locks from atomics, held for a while.
struct mutex_held : held<std::mutex, "std::", "mutex", "std::mutex"> {};
struct recursive_mutex_held
    : held<std::recursive_mutex, "std::", "recursive_mutex", "std::recursive_mutex"> {};
struct shared_mutex_held
    : held<std::shared_mutex, "std::", "shared_mutex", "std::shared_mutex, locked exclusively"> {};
struct spin_lock_held : held<syncmeter::ops::spin_lock, "syncmeter::ops::", "spin_lock",
                             "a test-and-test-and-set spin lock"> {};
struct ticket_lock_held
    : held<syncmeter::ops::ticket_lock, "syncmeter::ops::", "ticket_lock", "a ticket lock (FIFO)"> {
};
struct ticket_backoff_lock_held
    : held<syncmeter::ops::ticket_backoff_lock, "syncmeter::ops::", "ticket_backoff_lock",
           "a ticket lock with backoff (FIFO)"> {};
struct mcs_lock_held
    : held<syncmeter::ops::mcs_lock, "syncmeter::ops::", "mcs_lock", "an MCS lock (FIFO)"> {};
struct clh_lock_held
    : held<syncmeter::ops::clh_lock, "syncmeter::ops::", "clh_lock", "a CLH lock (FIFO)"> {};

// Ways to share data with many readers and few writers.
// The first two are named types, which the census finds in a disassembly.
struct under_mutex : syncmeter::ops::under_mutex<std::mutex> {
  using syncmeter::ops::under_mutex<std::mutex>::under_mutex;
};
struct under_shared_mutex : syncmeter::ops::under_shared_mutex<std::shared_mutex> {
  using under_mutex::under_mutex;
};
struct mutex_read_mostly : accessed<under_mutex, "mutex", "a datum under std::mutex",
                                    "syncmeter::standard::ops::under_mutex"> {};
struct shared_mutex_read_mostly
    : accessed<under_shared_mutex, "shared_mutex", "a datum under std::shared_mutex",
               "syncmeter::standard::ops::under_shared_mutex"> {};
struct seqlock_read_mostly
    : accessed<syncmeter::ops::seqlock, "seqlock",
               "a datum of atomic words under a sequence number", "syncmeter::ops::seqlock"> {};
struct snapshot_read_mostly
    : accessed<syncmeter::ops::snapshot_pointer, "snapshot",
               "an atomic pointer to the newest copy, old ones kept by hazard pointers",
               "syncmeter::ops::snapshot_pointer"> {};

}  // namespace ops

using own_ops =
    op_list<ops::shared_mutex_add, ops::shared_mutex_read, ops::atomic_wait_handoff,
            ops::wait_atomic, syncmeter::ops::mcs_lock_add, syncmeter::ops::clh_lock_add,
            syncmeter::ops::ticket_backoff_lock_add, ops::mutex_held, ops::recursive_mutex_held,
            ops::shared_mutex_held, ops::spin_lock_held, ops::ticket_lock_held,
            ops::ticket_backoff_lock_held, ops::mcs_lock_held, ops::clh_lock_held,
            ops::mutex_read_mostly, ops::shared_mutex_read_mostly, ops::seqlock_read_mostly,
            ops::snapshot_read_mostly, ops::thread_create_join, ops::jthread_create_join,
            ops::async_get, ops::pool_submit_wait>;

}  // namespace syncmeter::standard

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::host_ops{}),
                               syncmeter::standard::own_ops{}));
