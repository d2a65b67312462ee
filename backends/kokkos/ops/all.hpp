// Kokkos' own ops, in the order of every table; they follow the shared ones.
#pragma once

#include "backends/kokkos/ops/launch.hpp"
#include "backends/kokkos/ops/scatter.hpp"
#include "backends/kokkos/ops/team.hpp"
#include "core/measurable.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::kokkos {

using own_ops = op_list<ops::team_broadcast, ops::team_reduce, ops::kokkos_fence, ops::launch_for,
                        ops::launch_team, ops::launch_reduce, ops::scatter_add,
                        ops::scatter_add_atomic, syncmeter::ops::reduce_max>;

}  // namespace syncmeter::kokkos
