// Locks that C++ programs have beside std::mutex, which is critical_add and lock_add. test -
// baseline == one more section under the lock, holding one add or one read.
#pragma once

#include "backends/std/ops/words.hpp"
#include "core/ops/critical.hpp"

namespace syncmeter::standard::ops {

using syncmeter::ops::lock_info;

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
