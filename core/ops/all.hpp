// THE shared primitives, in the order of every table.
#pragma once

#include "core/measurable.hpp"
#include "core/ops/atomic.hpp"
#include "core/ops/barrier.hpp"
#include "core/ops/control.hpp"
#include "core/ops/critical.hpp"
#include "core/ops/fence.hpp"
#include "core/ops/handoff.hpp"

namespace syncmeter {

using shared_ops =
    op_list<ops::barrier, ops::atomic_add, ops::atomic_fetch_add, ops::atomic_sub,
            ops::atomic_max_raise, ops::atomic_max_hold, ops::atomic_min_raise,
            ops::atomic_min_hold, ops::atomic_exchange, ops::atomic_cas_pass, ops::atomic_cas_fail,
            ops::atomic_write, ops::atomic_write_two_lines, ops::atomic_read, ops::plain_write,
            ops::plain_read, ops::plain_add, ops::critical_add, ops::critical_named_add,
            ops::lock_add, ops::fence, ops::fence_between_stores, ops::fence_between_adds,
            ops::handoff, ops::handoff_cas, ops::control_aa, ops::control_multiply<1>,
            ops::control_multiply<2>, ops::control_multiply<4>, ops::control_multiply<8>>;

}  // namespace syncmeter
