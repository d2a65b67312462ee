// The locks of core/ops/queue_locks.hpp around one add. test - baseline == one more section under
// the lock. int32 only: what a lock costs does not depend on the type that it guards.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/ops/critical.hpp"
#include "core/ops/queue_locks.hpp"

namespace syncmeter::ops {

/// x += 1 between the calls of a lock that is the op's object.
template <class Lock> struct queued_add {
  using object = Lock;
  using only_type = std::int32_t;
  SM_FN static void common(auto& lane) {
    auto& lock = lane.object();
    lock.lock(lane.number());
    lane.plain_add(lane.cell());
    lock.unlock(lane.number());
  }
  SM_FN static void measured(auto& lane) { common(lane); }
};

consteval op_info queued_info(std::string_view name, std::string_view note,
                              std::string_view compiles_to) {
  op_info lock = lock_info(name, note);
  lock.compiles_to = compiles_to;
  return lock;
}

struct mcs_lock_add : queued_add<mcs_lock> {
  static constexpr op_info info = queued_info(
      "mcs_lock_add", "x += 1 under an MCS lock: each waiter spins on its own line (FIFO)",
      "call:syncmeter::ops::mcs_lock::lock 1, call:syncmeter::ops::mcs_lock::unlock 1, load 1, "
      "store 1 | call:syncmeter::ops::mcs_lock::lock 1, call:syncmeter::ops::mcs_lock::unlock 1, "
      "rmw 1");
};

struct clh_lock_add : queued_add<clh_lock> {
  static constexpr op_info info = queued_info(
      "clh_lock_add", "x += 1 under a CLH lock: each waiter spins on the line before its (FIFO)",
      "call:syncmeter::ops::clh_lock::lock 1, call:syncmeter::ops::clh_lock::unlock 1, load 1, "
      "store 1 | call:syncmeter::ops::clh_lock::lock 1, call:syncmeter::ops::clh_lock::unlock 1, "
      "rmw 1");
};

struct ticket_backoff_lock_add : queued_add<ticket_backoff_lock> {
  static constexpr op_info info = queued_info(
      "ticket_backoff_lock_add",
      "x += 1 under a ticket lock whose waiters look the less often the more are before them",
      "call:syncmeter::ops::ticket_backoff_lock::lock 1, "
      "call:syncmeter::ops::ticket_backoff_lock::unlock 1, load 1, store 1 | "
      "call:syncmeter::ops::ticket_backoff_lock::lock 1, "
      "call:syncmeter::ops::ticket_backoff_lock::unlock 1, rmw 1");
};

}  // namespace syncmeter::ops
