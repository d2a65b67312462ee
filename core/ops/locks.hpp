// Locks that programs write themselves, of their API's atomics. test - baseline == one more section
// under the lock, holding one add.
#pragma once

#include "core/ops/critical.hpp"

namespace syncmeter::ops {

template <class L>
concept has_spin_lock_add = requires(L& l) { l.spin_lock_add(l.cell(), l.one()); };
template <class L>
concept has_ticket_lock_add = requires(L& l) { l.ticket_lock_add(l.cell(), l.one()); };

struct spin_lock_add {
  static constexpr op_info info =
      lock_info("spin_lock_add", "x += 1 under a test-and-test-and-set spin lock of atomics");
  SM_FN static void common(has_spin_lock_add auto& lane) {
    lane.spin_lock_add(lane.cell(), lane.one());
  }
  SM_FN static void measured(has_spin_lock_add auto& lane) { common(lane); }
};

struct ticket_lock_add {
  static constexpr op_info info =
      lock_info("ticket_lock_add", "x += 1 under a ticket lock of two atomics (FIFO)");
  SM_FN static void common(has_ticket_lock_add auto& lane) {
    lane.ticket_lock_add(lane.cell(), lane.one());
  }
  SM_FN static void measured(has_ticket_lock_add auto& lane) { common(lane); }
};

}  // namespace syncmeter::ops
