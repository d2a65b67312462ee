// C++'s own ops, in the order of every table; they follow the shared ones.
#pragma once

#include "backends/std/ops/locks.hpp"
#include "backends/std/ops/wait.hpp"
#include "core/measurable.hpp"

namespace syncmeter::standard {

using own_ops = op_list<ops::shared_mutex_add, ops::shared_mutex_read, ops::atomic_wait_handoff>;

}  // namespace syncmeter::standard
