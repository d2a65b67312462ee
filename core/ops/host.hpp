// The ops that only lanes on a CPU can do; in every table they follow the shared ones.
#pragma once

#include "core/measurable.hpp"
#include "core/ops/late.hpp"

namespace syncmeter {

using host_ops = op_list<ops::barrier_late>;

}  // namespace syncmeter
