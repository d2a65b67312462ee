// Locks of C++ and of atomics, held for a while (core/ops/held_lock.hpp).
#pragma once

#include <mutex>
#include <shared_mutex>

#include "core/ops/held_lock.hpp"
#include "core/ops/queue_locks.hpp"
#include "core/ops/spinning_locks.hpp"

namespace syncmeter::standard::ops {

using syncmeter::ops::hold_info;
using syncmeter::ops::hold_op;

struct mutex_held : hold_op<mutex_held, std::mutex> {
  static constexpr op_info info = hold_info("mutex_held", "a section under std::mutex",
                                            "call:syncmeter::standard::ops::mutex_held::step 1");
  static void step(object& held, unsigned lane);
};

struct recursive_mutex_held : hold_op<recursive_mutex_held, std::recursive_mutex> {
  static constexpr op_info info =
      hold_info("recursive_mutex_held", "a section under std::recursive_mutex",
                "call:syncmeter::standard::ops::recursive_mutex_held::step 1");
  static void step(object& held, unsigned lane);
};

struct shared_mutex_held : hold_op<shared_mutex_held, std::shared_mutex> {
  static constexpr op_info info =
      hold_info("shared_mutex_held", "a section under std::shared_mutex, locked exclusively",
                "call:syncmeter::standard::ops::shared_mutex_held::step 1");
  static void step(object& held, unsigned lane);
};

struct spin_lock_held : hold_op<spin_lock_held, syncmeter::ops::spin_lock> {
  static constexpr op_info info =
      hold_info("spin_lock_held", "a section under a test-and-test-and-set spin lock",
                "call:syncmeter::standard::ops::spin_lock_held::step 1");
  static void step(object& held, unsigned lane);
};

struct ticket_lock_held : hold_op<ticket_lock_held, syncmeter::ops::ticket_lock> {
  static constexpr op_info info =
      hold_info("ticket_lock_held", "a section under a ticket lock (FIFO)",
                "call:syncmeter::standard::ops::ticket_lock_held::step 1");
  static void step(object& held, unsigned lane);
};

struct ticket_backoff_lock_held
    : hold_op<ticket_backoff_lock_held, syncmeter::ops::ticket_backoff_lock> {
  static constexpr op_info info =
      hold_info("ticket_backoff_lock_held", "a section under a ticket lock with backoff (FIFO)",
                "call:syncmeter::standard::ops::ticket_backoff_lock_held::step 1");
  static void step(object& held, unsigned lane);
};

struct mcs_lock_held : hold_op<mcs_lock_held, syncmeter::ops::mcs_lock> {
  static constexpr op_info info = hold_info("mcs_lock_held", "a section under an MCS lock (FIFO)",
                                            "call:syncmeter::standard::ops::mcs_lock_held::step 1");
  static void step(object& held, unsigned lane);
};

struct clh_lock_held : hold_op<clh_lock_held, syncmeter::ops::clh_lock> {
  static constexpr op_info info = hold_info("clh_lock_held", "a section under a CLH lock (FIFO)",
                                            "call:syncmeter::standard::ops::clh_lock_held::step 1");
  static void step(object& held, unsigned lane);
};

}  // namespace syncmeter::standard::ops
