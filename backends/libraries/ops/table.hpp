// Library locks, around one add and held for a while, and library structures for many readers and
// few writers: all ops of the worker in table order (cmake/tables.cmake).
#pragma once

#include <type_traits>

#include "backends/libraries/library_locks.hpp"
#include "backends/libraries/library_regions.hpp"
#include "core/measurable.hpp"
#include "core/ops/control.hpp"
#include "core/ops/held_lock.hpp"
#include "core/ops/lock_objects.hpp"
#include "core/ops/read_mostly.hpp"

namespace syncmeter::libraries {

struct under_absl_mutex : syncmeter::ops::under_shared_mutex<absl_mutex> {
  using under_mutex::under_mutex;
};
struct under_tbb_rw_mutex : syncmeter::ops::under_shared_mutex<tbb_rw_mutex> {
  using under_mutex::under_mutex;
};

namespace ops {

using syncmeter::ops::literal;

/// An op without a loop. op_info::why_missing has the reason.
struct absent_op {};

inline constexpr literal no_absl{"Abseil was not found when this was built (Debian: libabsl-dev)"};
inline constexpr literal no_tbb{"oneTBB was not found when this was built (Debian: libtbb-dev)"};
inline constexpr literal no_std_par{
    "this standard library had no oneTBB for std::execution::par when this was built"};
inline constexpr literal no_ck{
    "Concurrency Kit was not found when this was built (Debian: libck-dev)"};
inline constexpr literal no_urcu{"liburcu was not found when this was built (Debian: liburcu-dev)"};

/// `Op`, or an op without a loop and with the reason `Missing` if the build lacks the library.
template <bool Found, class Op, literal Missing>
struct found_op : std::conditional_t<Found, Op, absent_op> {
  static constexpr op_info info =
      Op::info.with(&op_info::why_missing, syncmeter::ops::text<Missing>);
};

template <class Lock> inline constexpr bool is_here = !std::is_same_v<Lock, not_found>;
template <class Lock, literal Name, literal What, literal Missing>
using add = found_op<is_here<Lock>,
                     syncmeter::ops::queued<Lock, "syncmeter::libraries::", Name, What>, Missing>;
template <class Lock, literal Name, literal What, literal Missing>
using hold = found_op<is_here<Lock>,
                      syncmeter::ops::held<Lock, "syncmeter::libraries::", Name, What>, Missing>;

struct absl_mutex_add : add<absl_mutex, "absl_mutex", "absl::Mutex", no_absl> {};
struct tbb_mutex_add : add<tbb_mutex, "tbb_mutex", "tbb::mutex (spins, then sleeps)", no_tbb> {};
struct tbb_spin_mutex_add : add<tbb_spin_mutex, "tbb_spin_mutex", "tbb::spin_mutex", no_tbb> {};
struct tbb_queuing_mutex_add
    : add<tbb_queuing_mutex, "tbb_queuing_mutex", "tbb::queuing_mutex (FIFO)", no_tbb> {};
struct ck_fas_lock_add
    : add<ck_fas_lock, "ck_fas_lock", "ck_spinlock_fas of Concurrency Kit", no_ck> {};
struct ck_ticket_lock_add
    : add<ck_ticket_lock, "ck_ticket_lock", "ck_spinlock_ticket of Concurrency Kit (FIFO)", no_ck> {
};
struct ck_mcs_lock_add
    : add<ck_mcs_lock, "ck_mcs_lock", "ck_spinlock_mcs of Concurrency Kit (FIFO)", no_ck> {};
struct ck_cohort_lock_add : add<ck_cohort_lock, "ck_cohort_lock",
                                "ck_cohort of ticket locks, one for each NUMA node", no_ck> {};

struct absl_mutex_held : hold<absl_mutex, "absl_mutex", "absl::Mutex", no_absl> {};
struct tbb_mutex_held : hold<tbb_mutex, "tbb_mutex", "tbb::mutex (spins, then sleeps)", no_tbb> {};
struct tbb_spin_mutex_held : hold<tbb_spin_mutex, "tbb_spin_mutex", "tbb::spin_mutex", no_tbb> {};
struct tbb_queuing_mutex_held
    : hold<tbb_queuing_mutex, "tbb_queuing_mutex", "tbb::queuing_mutex (FIFO)", no_tbb> {};
struct ck_fas_lock_held
    : hold<ck_fas_lock, "ck_fas_lock", "ck_spinlock_fas of Concurrency Kit", no_ck> {};
struct ck_ticket_lock_held : hold<ck_ticket_lock, "ck_ticket_lock",
                                  "ck_spinlock_ticket of Concurrency Kit (FIFO)", no_ck> {};
struct ck_mcs_lock_held
    : hold<ck_mcs_lock, "ck_mcs_lock", "ck_spinlock_mcs of Concurrency Kit (FIFO)", no_ck> {};
struct ck_cohort_lock_held : hold<ck_cohort_lock, "ck_cohort_lock",
                                  "ck_cohort of ticket locks, one for each NUMA node", no_ck> {};

struct absl_mutex_read_mostly
    : found_op<SM_HAS_ABSL,
               syncmeter::ops::accessed<under_absl_mutex, "absl_mutex",
                                        "a datum under absl::Mutex, for readers or writers",
                                        "syncmeter::libraries::under_absl_mutex">,
               no_absl> {};
struct tbb_rw_mutex_read_mostly
    : found_op<SM_HAS_TBB,
               syncmeter::ops::accessed<under_tbb_rw_mutex, "tbb_rw_mutex",
                                        "a datum under tbb::spin_rw_mutex",
                                        "syncmeter::libraries::under_tbb_rw_mutex">,
               no_tbb> {};
struct rcu_read_mostly
    : found_op<SM_HAS_URCU,
               syncmeter::ops::accessed<
                   rcu_snapshot, "rcu",
                   "a pointer to the newest copy, old ones kept by RCU (liburcu, membarrier)",
                   "syncmeter::libraries::rcu_snapshot">,
               no_urcu> {};

// Fork and join by oneTBB. Lane 0 runs the loop in an arena with a thread for each lane. test -
// baseline == one more call.
using syncmeter::ops::own_region_info;
template <class Work, literal Type, literal Name, literal What> struct tbb_region {
  using object = tbb_work;
  static constexpr op_info info =
      own_region_info(syncmeter::ops::text<Name>, syncmeter::ops::text<What>, 1)
          .with(&op_info::compiles_to,
                syncmeter::ops::text<"call:syncmeter::libraries::", Type, "::step 1">);
  SM_FN static void common(auto& lane) { Work::step(lane.object()); }
  SM_FN static void measured(auto& lane) { Work::step(lane.object()); }
  static std::string check(const object& work, const object_use& use) {
    return work.record().check_items(use.ops, Work::items(use.lanes));
  }
};
struct tbb_parallel_for
    : found_op<
          SM_HAS_TBB,
          tbb_region<tbb_for, "tbb_for", "tbb_parallel_for",
                     "tbb::parallel_for of one index a thread, by whichever thread comes first">,
          no_tbb> {};
template <class Work, literal Type, literal Name, literal What>
using tbb_partitioned = found_op<SM_HAS_TBB, tbb_region<Work, Type, Name, What>, no_tbb>;
struct tbb_parallel_for_simple
    : tbb_partitioned<
          tbb_for_simple, "tbb_for_simple", "tbb_parallel_for_simple",
          "tbb::parallel_for of 128 indices a thread, simple_partitioner: one at a time"> {};
struct tbb_parallel_for_auto
    : tbb_partitioned<tbb_for_auto, "tbb_for_auto", "tbb_parallel_for_auto",
                      "tbb::parallel_for of 128 indices a thread, auto_partitioner: the default"> {
};
struct tbb_parallel_for_static
    : tbb_partitioned<
          tbb_for_static, "tbb_for_static", "tbb_parallel_for_static",
          "tbb::parallel_for of 128 indices a thread, static_partitioner: a part each"> {};
struct tbb_parallel_for_affinity
    : tbb_partitioned<tbb_for_affinity, "tbb_for_affinity", "tbb_parallel_for_affinity",
                      "tbb::parallel_for of 128 indices a thread, one affinity_partitioner for all "
                      "loops"> {};
struct tbb_parallel_reduce
    : found_op<SM_HAS_TBB,
               tbb_region<tbb_reduce, "tbb_reduce", "tbb_parallel_reduce",
                          "tbb::parallel_reduce of one index a thread, by whichever comes first">,
               no_tbb> {};
struct tbb_task_group : found_op<SM_HAS_TBB,
                                 tbb_region<tbb_group, "tbb_group", "tbb_task_group",
                                            "tbb::task_group: run a task a thread, and wait">,
                                 no_tbb> {};
struct std_par_for_each
    : found_op<SM_HAS_STD_PAR,
               tbb_region<std_for_each, "std_for_each", "std_par_for_each",
                          "std::for_each(std::execution::par) of one element a thread, by oneTBB">,
               no_std_par> {};
struct tbb_arena : found_op<SM_HAS_TBB,
                            tbb_region<tbb_execute, "tbb_execute", "tbb_arena",
                                       "tbb::task_arena::execute of a function by thread 0">,
                            no_tbb> {};

}  // namespace ops

using library_ops =
    op_list<ops::absl_mutex_add, ops::tbb_mutex_add, ops::tbb_spin_mutex_add,
            ops::tbb_queuing_mutex_add, ops::ck_fas_lock_add, ops::ck_ticket_lock_add,
            ops::ck_mcs_lock_add, ops::ck_cohort_lock_add, ops::absl_mutex_held,
            ops::tbb_mutex_held, ops::tbb_spin_mutex_held, ops::tbb_queuing_mutex_held,
            ops::ck_fas_lock_held, ops::ck_ticket_lock_held, ops::ck_mcs_lock_held,
            ops::ck_cohort_lock_held, ops::absl_mutex_read_mostly, ops::tbb_rw_mutex_read_mostly,
            ops::rcu_read_mostly, ops::tbb_parallel_for, ops::tbb_parallel_for_simple,
            ops::tbb_parallel_for_auto, ops::tbb_parallel_for_static,
            ops::tbb_parallel_for_affinity, ops::tbb_parallel_reduce, ops::tbb_task_group,
            ops::tbb_arena, ops::std_par_for_each, syncmeter::ops::control_aa>;

}  // namespace syncmeter::libraries

using syncmeter_ops = syncmeter::libraries::library_ops;
