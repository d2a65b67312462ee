// The shared ops and CUDA's own on one device: what the rig of kernels measures.
#pragma once

#include <vector>

#include "core/measurable.hpp"

namespace syncmeter::cuda {

/// The whole table; its parts are translation units of their own (cmake/tables.cmake).
[[nodiscard]] std::vector<measurable> all_rows();

}  // namespace syncmeter::cuda
