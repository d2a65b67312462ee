// The ops that only lanes on a CPU can do; in every table they follow the shared ones.
#pragma once

#include "core/measurable.hpp"
#include "core/ops/late.hpp"
#include "core/ops/locks.hpp"

namespace syncmeter {

using host_ops = op_list<ops::barrier_late, ops::spin_lock_add, ops::ticket_lock_add>;

}  // namespace syncmeter
