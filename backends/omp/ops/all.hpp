// OpenMP's own ops, in the order of every table; they follow the shared ones.
#pragma once

#include "backends/omp/ops/locks.hpp"
#include "core/measurable.hpp"
#include "core/ops/reduction.hpp"

namespace syncmeter::omp {

using own_ops =
    op_list<ops::lock_hint_add<lock_hint::none>, ops::lock_hint_add<lock_hint::uncontended>,
            ops::lock_hint_add<lock_hint::contended>, ops::lock_hint_add<lock_hint::speculative>,
            ops::nest_lock_add, syncmeter::ops::reduce_max>;

}  // namespace syncmeter::omp
