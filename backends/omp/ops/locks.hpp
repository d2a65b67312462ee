// Locks that OpenMP programs have beside omp_lock_t, which is lock_add. test - baseline == one more
// section under the lock, holding one add.
#pragma once

#include <array>

#include "backends/omp/ops/words.hpp"
#include "core/ops/critical.hpp"

namespace syncmeter::omp::ops {

using syncmeter::ops::lock_info;

inline constexpr std::array<std::string_view, lock_hints> lock_hint_names{
    "lock_hint_none_add", "lock_hint_uncontended_add", "lock_hint_contended_add",
    "lock_hint_speculative_add"};

// The hint is said when the lock is made; setting it is the call that lock_add makes. A runtime may
// make nothing of it.
template <lock_hint Hint> struct lock_hint_add {
  static constexpr op_info info = [] {
    op_info hinted = lock_info(
        "-", "x += 1 under omp_lock_t made by omp_init_lock_with_hint, one for each cell");
    hinted.name = lock_hint_names[static_cast<std::size_t>(Hint)];  // no argument, for clang 14
    hinted.in_quick = false;  // most runtimes make nothing of a hint: the study locks shows it
    hinted.why_missing = "this runtime has no omp_init_lock_with_hint (OpenMP 4.5)";
    return hinted;
  }();
  SM_FN static void common(has_hinted_lock_add<Hint> auto& lane) {
    lane.template hinted_lock_add<Hint>(lane.cell(), lane.one());
  }
  SM_FN static void measured(has_hinted_lock_add<Hint> auto& lane) { common(lane); }
};

struct nest_lock_add {
  static constexpr op_info info =
      lock_info("nest_lock_add", "x += 1 under omp_nest_lock_t, a recursive lock");
  SM_FN static void common(has_nest_lock_add auto& lane) {
    lane.nest_lock_add(lane.cell(), lane.one());
  }
  SM_FN static void measured(has_nest_lock_add auto& lane) { common(lane); }
};

}  // namespace syncmeter::omp::ops
