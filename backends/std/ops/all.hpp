// C++'s own ops, in the order of every table; they follow the shared ones.
#pragma once

#include "backends/std/ops/holds.hpp"
#include "backends/std/ops/locks.hpp"
#include "backends/std/ops/read_mostly.hpp"
#include "backends/std/ops/wait.hpp"
#include "core/measurable.hpp"
#include "core/ops/queued_add.hpp"

namespace syncmeter::standard {

using own_ops =
    op_list<ops::shared_mutex_add, ops::shared_mutex_read, ops::atomic_wait_handoff,
            ops::wait_atomic, syncmeter::ops::mcs_lock_add, syncmeter::ops::clh_lock_add,
            syncmeter::ops::ticket_backoff_lock_add, ops::mutex_held, ops::recursive_mutex_held,
            ops::shared_mutex_held, ops::spin_lock_held, ops::ticket_lock_held,
            ops::ticket_backoff_lock_held, ops::mcs_lock_held, ops::clh_lock_held,
            ops::mutex_read_mostly, ops::shared_mutex_read_mostly, ops::seqlock_read_mostly,
            ops::snapshot_read_mostly>;

}  // namespace syncmeter::standard
