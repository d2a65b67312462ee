// All ops of the worker of libraries, in the order of its table (cmake/tables.cmake).
#pragma once

#include "backends/libraries/ops/locks.hpp"
#include "backends/libraries/ops/read_mostly.hpp"
#include "core/measurable.hpp"
#include "core/ops/control.hpp"

namespace syncmeter::libraries {

using library_ops =
    op_list<ops::absl_mutex_add, ops::tbb_mutex_add, ops::tbb_spin_mutex_add,
            ops::tbb_queuing_mutex_add, ops::ck_fas_lock_add, ops::ck_ticket_lock_add,
            ops::ck_mcs_lock_add, ops::ck_cohort_lock_add, ops::absl_mutex_held,
            ops::tbb_mutex_held, ops::tbb_spin_mutex_held, ops::tbb_queuing_mutex_held,
            ops::ck_fas_lock_held, ops::ck_ticket_lock_held, ops::ck_mcs_lock_held,
            ops::ck_cohort_lock_held, ops::absl_mutex_read_mostly, ops::tbb_rw_mutex_read_mostly,
            ops::rcu_read_mostly, syncmeter::ops::control_aa>;

}  // namespace syncmeter::libraries

using syncmeter_ops = syncmeter::libraries::library_ops;
