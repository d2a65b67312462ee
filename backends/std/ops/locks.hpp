// Locks that C++ programs have beside std::mutex, which is critical_add and lock_add. test -
// baseline == one more section under the lock, holding one add or one read.
#pragma once

#include "backends/std/ops/words.hpp"
#include "core/ops/critical.hpp"

namespace syncmeter::standard::ops {

using syncmeter::ops::lock_info;

struct spin_lock_add {
  static constexpr op_info info =
      lock_info("spin_lock_add", "x += 1 under a lock of std::atomic_flag, spinning on test()");
  SM_FN static void common(has_spin_lock_add auto& lane) {
    lane.spin_lock_add(lane.cell(), lane.one());
  }
  SM_FN static void measured(has_spin_lock_add auto& lane) { common(lane); }
};

struct ticket_lock_add {
  static constexpr op_info info = lock_info(
      "ticket_lock_add", "x += 1 under a ticket lock of two std::atomic, first come, first served");
  SM_FN static void common(has_ticket_lock_add auto& lane) {
    lane.ticket_lock_add(lane.cell(), lane.one());
  }
  SM_FN static void measured(has_ticket_lock_add auto& lane) { common(lane); }
};

struct shared_mutex_add {
  static constexpr op_info info =
      lock_info("shared_mutex_add", "x += 1 under std::shared_mutex, locked exclusively");
  SM_FN static void common(has_shared_mutex auto& lane) {
    lane.shared_mutex_add(lane.cell(), lane.one());
  }
  SM_FN static void measured(has_shared_mutex auto& lane) { common(lane); }
};

struct shared_mutex_read {  // lanes may be in it together: what they share is the lock's own count
  static constexpr op_info info = [] {
    op_info reads = lock_info("shared_mutex_read",
                              "a plain read under std::shared_mutex, locked by std::shared_lock");
    reads.oracle = oracle::none;
    return reads;
  }();
  SM_FN static void common(has_shared_mutex auto& lane) {
    lane.sink(lane.shared_mutex_read(lane.cell()));
  }
  SM_FN static void measured(has_shared_mutex auto& lane) { common(lane); }
};

}  // namespace syncmeter::standard::ops
