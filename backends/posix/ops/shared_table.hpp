// Ops of the worker whose lanes are processes: objects that POSIX shares between processes.
// Eventfds and pipes are missing, because lanes could only inherit descriptors, but each sample
// makes new objects. membarrier's private kind reaches only one process.
#pragma once

#include "backends/posix/ops/locks.hpp"
#include "backends/posix/ops/waiting.hpp"
#include "core/measurable.hpp"
#include "core/ops/barrier.hpp"
#include "core/ops/control.hpp"
#include "core/ops/critical.hpp"

namespace syncmeter::posix {

using process_ops =
    op_list<syncmeter::ops::barrier, syncmeter::ops::lock_add, ops::mutex_adaptive_add,
            ops::mutex_errorcheck_add, ops::mutex_robust_add, ops::mutex_inherit_add,
            ops::pthread_spin_add, ops::rwlock_add, ops::rwlock_read, ops::rwlock_writer_add,
            ops::rwlock_writer_read, ops::condition_handoff, ops::semaphore_handoff,
            ops::futex_handoff, syncmeter::ops::control_aa>;

}  // namespace syncmeter::posix

using syncmeter_ops = syncmeter::posix::process_ops;
