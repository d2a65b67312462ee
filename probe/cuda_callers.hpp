// Where a program called a function of CUDA, seen from a callback that CUPTI makes inside it.
#pragma once

#include <cstdint>

namespace syncmeter::probe {

/// A call during its callback.
struct cuda_call {
  bool of_runtime;         ///< else of the driver
  std::uint64_t function;  ///< a number of the function, of a launch also of the kernel: calls of
                           ///< one number take the same path to the callback, as a rule
};

/// Where the program called; of a launch, where it called the kernel, not where the function that
/// the compiler made of that called CUDA. `frame` is the callback's own. 0: not known.
[[nodiscard]] std::uint64_t caller_of_cuda(const cuda_call& call, const void* frame);

}  // namespace syncmeter::probe
