// The words of OpenMP's own ops, as concepts: what a lane must offer for an op to run on it.
#pragma once

#include "backends/omp/omp_objects.hpp"

namespace syncmeter::omp {

template <class L, lock_hint Hint>
concept has_hinted_lock_add =
    requires(L& l) { l.template hinted_lock_add<Hint>(l.cell(), l.one()); };
template <class L>
concept has_nest_lock_add = requires(L& l) { l.nest_lock_add(l.cell(), l.one()); };

}  // namespace syncmeter::omp
