// Locks of libraries, around one add and held for a while (core/ops/queued_add.hpp, held_lock.hpp).
#pragma once

#include "backends/libraries/ops/found_op.hpp"

namespace syncmeter::libraries::ops {

struct absl_mutex_add : where_found<SM_HAS_ABSL, queued_add<absl_mutex>> {
  static constexpr op_info info = add_under<"absl_mutex">("x += 1 under absl::Mutex", no_absl);
};
struct absl_mutex_held : where_found<SM_HAS_ABSL, held_op<absl_mutex>> {
  static constexpr op_info info = held_under<"absl_mutex">("a section under absl::Mutex", no_absl);
};

struct tbb_mutex_add : where_found<SM_HAS_TBB, queued_add<tbb_mutex>> {
  static constexpr op_info info =
      add_under<"tbb_mutex">("x += 1 under tbb::mutex (spins, then sleeps)", no_tbb);
};
struct tbb_mutex_held : where_found<SM_HAS_TBB, held_op<tbb_mutex>> {
  static constexpr op_info info =
      held_under<"tbb_mutex">("a section under tbb::mutex (spins, then sleeps)", no_tbb);
};

struct tbb_spin_mutex_add : where_found<SM_HAS_TBB, queued_add<tbb_spin_mutex>> {
  static constexpr op_info info =
      add_under<"tbb_spin_mutex">("x += 1 under tbb::spin_mutex", no_tbb);
};
struct tbb_spin_mutex_held : where_found<SM_HAS_TBB, held_op<tbb_spin_mutex>> {
  static constexpr op_info info =
      held_under<"tbb_spin_mutex">("a section under tbb::spin_mutex", no_tbb);
};

struct tbb_queuing_mutex_add : where_found<SM_HAS_TBB, queued_add<tbb_queuing_mutex>> {
  static constexpr op_info info =
      add_under<"tbb_queuing_mutex">("x += 1 under tbb::queuing_mutex (FIFO)", no_tbb);
};
struct tbb_queuing_mutex_held : where_found<SM_HAS_TBB, held_op<tbb_queuing_mutex>> {
  static constexpr op_info info =
      held_under<"tbb_queuing_mutex">("a section under tbb::queuing_mutex (FIFO)", no_tbb);
};

struct ck_fas_lock_add : where_found<SM_HAS_CK, queued_add<ck_fas_lock>> {
  static constexpr op_info info =
      add_under<"ck_fas_lock">("x += 1 under ck_spinlock_fas of Concurrency Kit", no_ck);
};
struct ck_fas_lock_held : where_found<SM_HAS_CK, held_op<ck_fas_lock>> {
  static constexpr op_info info =
      held_under<"ck_fas_lock">("a section under ck_spinlock_fas of Concurrency Kit", no_ck);
};

struct ck_ticket_lock_add : where_found<SM_HAS_CK, queued_add<ck_ticket_lock>> {
  static constexpr op_info info = add_under<"ck_ticket_lock">(
      "x += 1 under ck_spinlock_ticket of Concurrency Kit (FIFO)", no_ck);
};
struct ck_ticket_lock_held : where_found<SM_HAS_CK, held_op<ck_ticket_lock>> {
  static constexpr op_info info = held_under<"ck_ticket_lock">(
      "a section under ck_spinlock_ticket of Concurrency Kit (FIFO)", no_ck);
};

struct ck_mcs_lock_add : where_found<SM_HAS_CK, queued_add<ck_mcs_lock>> {
  static constexpr op_info info =
      add_under<"ck_mcs_lock">("x += 1 under ck_spinlock_mcs of Concurrency Kit (FIFO)", no_ck);
};
struct ck_mcs_lock_held : where_found<SM_HAS_CK, held_op<ck_mcs_lock>> {
  static constexpr op_info info =
      held_under<"ck_mcs_lock">("a section under ck_spinlock_mcs of Concurrency Kit (FIFO)", no_ck);
};

struct ck_cohort_lock_add : where_found<SM_HAS_CK, queued_add<ck_cohort_lock>> {
  static constexpr op_info info = add_under<"ck_cohort_lock">(
      "x += 1 under ck_cohort of ticket locks, one for each NUMA node", no_ck);
};
struct ck_cohort_lock_held : where_found<SM_HAS_CK, held_op<ck_cohort_lock>> {
  static constexpr op_info info = held_under<"ck_cohort_lock">(
      "a section under ck_cohort of ticket locks, one for each NUMA node", no_ck);
};

}  // namespace syncmeter::libraries::ops
