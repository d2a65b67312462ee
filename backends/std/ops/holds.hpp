// Locks of C++ and of atomics, held for a while (core/ops/held_lock.hpp).
#pragma once

#include <mutex>
#include <shared_mutex>

#include "core/ops/held_lock.hpp"
#include "core/ops/queue_locks.hpp"
#include "core/ops/spinning_locks.hpp"

namespace syncmeter::standard::ops {

using syncmeter::ops::held_op;
using syncmeter::ops::hold_info;

struct mutex_held : held_op<std::mutex> {
  static constexpr op_info info = hold_info("mutex_held", "a section under std::mutex",
                                            "call:syncmeter::ops::held_op<std::mutex>::step 1");
};

struct recursive_mutex_held : held_op<std::recursive_mutex> {
  static constexpr op_info info =
      hold_info("recursive_mutex_held", "a section under std::recursive_mutex",
                "call:syncmeter::ops::held_op<std::recursive_mutex>::step 1");
};

struct shared_mutex_held : held_op<std::shared_mutex> {
  static constexpr op_info info =
      hold_info("shared_mutex_held", "a section under std::shared_mutex, locked exclusively",
                "call:syncmeter::ops::held_op<std::shared_mutex>::step 1");
};

struct spin_lock_held : held_op<syncmeter::ops::spin_lock> {
  static constexpr op_info info =
      hold_info("spin_lock_held", "a section under a test-and-test-and-set spin lock",
                "call:syncmeter::ops::held_op<syncmeter::ops::spin_lock>::step 1");
};

struct ticket_lock_held : held_op<syncmeter::ops::ticket_lock> {
  static constexpr op_info info =
      hold_info("ticket_lock_held", "a section under a ticket lock (FIFO)",
                "call:syncmeter::ops::held_op<syncmeter::ops::ticket_lock>::step 1");
};

struct ticket_backoff_lock_held : held_op<syncmeter::ops::ticket_backoff_lock> {
  static constexpr op_info info =
      hold_info("ticket_backoff_lock_held", "a section under a ticket lock with backoff (FIFO)",
                "call:syncmeter::ops::held_op<syncmeter::ops::ticket_backoff_lock>::step 1");
};

struct mcs_lock_held : held_op<syncmeter::ops::mcs_lock> {
  static constexpr op_info info =
      hold_info("mcs_lock_held", "a section under an MCS lock (FIFO)",
                "call:syncmeter::ops::held_op<syncmeter::ops::mcs_lock>::step 1");
};

struct clh_lock_held : held_op<syncmeter::ops::clh_lock> {
  static constexpr op_info info =
      hold_info("clh_lock_held", "a section under a CLH lock (FIFO)",
                "call:syncmeter::ops::held_op<syncmeter::ops::clh_lock>::step 1");
};

}  // namespace syncmeter::standard::ops
