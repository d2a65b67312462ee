// The ops of POSIX threads and Linux, and all ops of the POSIX worker in table order
// (cmake/tables.cmake).
#pragma once

#include "backends/posix/ops/locks.hpp"
#include "backends/posix/ops/waiting.hpp"
#include "backends/posix/posix_kernel.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::posix {

using own_ops =
    op_list<ops::mutex_adaptive_add, ops::mutex_errorcheck_add, ops::mutex_robust_add,
            ops::mutex_inherit_add, ops::pthread_spin_add, ops::rwlock_add, ops::rwlock_read,
            ops::rwlock_writer_add, ops::rwlock_writer_read, ops::condition_handoff,
            ops::semaphore_handoff, ops::futex_handoff, ops::eventfd_handoff, ops::pipe_handoff,
            ops::membarrier, ops::per_cpu_add, ops::wait_spin, ops::wait_pause, ops::wait_backoff,
            ops::wait_yield, ops::wait_futex, ops::wait_condition, ops::spin_pause,
            ops::work_beside_spin, ops::work_beside_pause, ops::work_beside_backoff,
            ops::work_beside_yield, ops::work_beside_futex, syncmeter::ops::barrier_after_work,
            ops::mutex_adaptive_held, ops::mutex_inherit_held, ops::pthread_spin_held,
            ops::rwlock_read_mostly, ops::rwlock_writer_read_mostly>;

}  // namespace syncmeter::posix

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::host_ops{}),
                               syncmeter::posix::own_ops{}));
