// All ops that the CUDA worker's rig of kernels measures, in the order of its table
// (cmake/tables.cmake).
#pragma once

#include "backends/cuda/ops/all.cuh"
#include "core/ops/all.hpp"

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::cuda::own_ops{}));
