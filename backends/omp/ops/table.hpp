// Locks in OpenMP besides omp_lock_t (lock_add), and all ops of the OpenMP worker in table order
// (cmake/tables.cmake). test - baseline == one more section with one add under the lock.
#pragma once

#include <array>

#include "backends/omp/omp_objects.hpp"
#include "backends/omp/ops/regions.hpp"
#include "backends/omp/ops/tasking.hpp"
#include "backends/omp/ops/worksharing.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::omp {

// Concepts for OpenMP's own ops: the words that a lane must offer to run an op.
template <class L, lock_hint Hint>
concept has_hinted_lock_add =
    requires(L& l) { l.template hinted_lock_add<Hint>(l.cell(), l.one()); };
template <class L>
concept has_nest_lock_add = requires(L& l) { l.nest_lock_add(l.cell(), l.one()); };

namespace ops {

using syncmeter::ops::lock_info;

inline constexpr std::array<std::string_view, lock_hints> lock_hint_names{
    "lock_hint_none_add", "lock_hint_uncontended_add", "lock_hint_contended_add",
    "lock_hint_speculative_add"};

// The hint is given at lock creation, and the set call is the same as in lock_add. A runtime may
// ignore the hint.
template <lock_hint Hint> struct lock_hint_add : self_paired<lock_hint_add<Hint>> {
  static constexpr op_info info = [] {
    op_info hinted = lock_info(
        "-", "x += 1 under omp_lock_t made by omp_init_lock_with_hint, one for each variable");
    hinted.name = lock_hint_names[static_cast<std::size_t>(Hint)];  // clang 14 rejects an argument
                                                                    // here
    hinted.in_quick = false;  // most runtimes ignore hints: the study locks shows the effect
    hinted.why_missing = "this runtime has no omp_init_lock_with_hint (OpenMP 4.5)";
    return hinted;
  }();
  SM_FN static void common(has_hinted_lock_add<Hint> auto& lane) {
    lane.template hinted_lock_add<Hint>(lane.cell(), lane.one());
  }
};

struct nest_lock_add : self_paired<nest_lock_add> {
  static constexpr op_info info =
      lock_info("nest_lock_add", "x += 1 under omp_nest_lock_t, a recursive lock");
  SM_FN static void common(has_nest_lock_add auto& lane) {
    lane.nest_lock_add(lane.cell(), lane.one());
  }
};

}  // namespace ops

using own_ops =
    op_list<ops::lock_hint_add<lock_hint::none>, ops::lock_hint_add<lock_hint::uncontended>,
            ops::lock_hint_add<lock_hint::contended>, ops::lock_hint_add<lock_hint::speculative>,
            ops::nest_lock_add, syncmeter::ops::reduce_max, ops::parallel_region,
            ops::region_after_gap, ops::region_around_work, syncmeter::ops::barrier_after_work,
            ops::parallel_region_fewer, ops::region_after_resize, ops::nested_region,
            ops::first_region, ops::parallel_for, ops::reduction_sum, ops::reduction_max,
            ops::reduction_array, ops::reduction_declared, ops::for_static, ops::for_static_chunk,
            ops::for_dynamic, ops::for_guided, ops::for_nowait, ops::simd_reduction, ops::sections,
            ops::single, ops::single_copyprivate, ops::masked, ops::ordered, ops::task_by_one,
            ops::task_by_all, ops::taskwait, ops::taskgroup, ops::taskloop, ops::task_chain,
            ops::taskwait_by_one, ops::task_fan, ops::cancellation_point>;

}  // namespace syncmeter::omp

using syncmeter_ops = decltype(syncmeter::joined(
    syncmeter::shared_ops{}, syncmeter::joined(syncmeter::host_ops{}, syncmeter::omp::own_ops{})));
