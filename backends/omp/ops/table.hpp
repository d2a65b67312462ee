// All ops of the OpenMP worker, in the order of its table (cmake/tables.cmake).
#pragma once

#include "backends/omp/ops/all.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

using syncmeter_ops = decltype(syncmeter::joined(
    syncmeter::shared_ops{}, syncmeter::joined(syncmeter::host_ops{}, syncmeter::omp::own_ops{})));
