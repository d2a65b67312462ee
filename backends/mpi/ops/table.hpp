// All ops of the worker of MPI, in the order of its table (cmake/tables.cmake).
#pragma once

#include "backends/mpi/ops/collectives.hpp"
#include "backends/mpi/ops/messages.hpp"
#include "backends/mpi/ops/rma.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::mpi {

using own_ops = op_list<ops::ibarrier, ops::allreduce_0, ops::allreduce_8, ops::rma_accumulate,
                        ops::rma_fetch_add, ops::rma_cas_pass, ops::rma_put, ops::rma_lock_add,
                        ops::rma_fence_add, ops::window_sync, ops::message_handoff>;

}  // namespace syncmeter::mpi

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::mpi::own_ops{}));
