// Mutual exclusion around one plain add, so that its cost can be laid beside atomic_add's.
#pragma once

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

consteval op_info critical_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::critical,
          .typed = true,
          .places = places::shared,
          .oracle = oracle::adds,
          .unroll = 1,
          .communicates = true,
          .note = note};
}

// A lock is an object, so that each cell can have its own.
consteval op_info lock_info(std::string_view name, std::string_view note) {
  return critical_info(name, note)
      .with(&op_info::places, places::shared_and_strided)
      .with(&op_info::communicates, false);
}

// test - baseline == one more critical section holding one add
struct critical_add : self_paired<critical_add> {
  static constexpr op_info info =
      critical_info("critical_add", "x += 1 in an unnamed critical section");
  SM_FN static void common(has_critical_add auto& lane) {
    lane.critical_add(lane.cell(), lane.one());
  }
};

struct critical_named_add : self_paired<critical_named_add> {
  static constexpr op_info info =
      critical_info("critical_named_add", "x += 1 in a named critical section")
          .with(&op_info::guard, guard::named_section);
  SM_FN static void common(has_named_critical_add auto& lane) {
    lane.named_critical_add(lane.cell(), lane.one());
  }
};

struct lock_add : self_paired<lock_add> {
  static constexpr op_info info =
      lock_info("lock_add", "x += 1 under the API's lock object, one per variable")
          .with(&op_info::guard, guard::lock_object);
  SM_FN static void common(has_lock_add auto& lane) { lane.lock_add(lane.cell(), lane.one()); }
};

}  // namespace syncmeter::ops
