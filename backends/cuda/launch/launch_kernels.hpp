// The kernels that the launch ops launch, by the stubs with which a host's compiler can do so.
#pragma once

namespace syncmeter::cuda {

/// What the kernels leave behind on the device, all zero before a sample.
struct launch_board {
  unsigned long long count = 0;  ///< of kernels, or of units of work
  unsigned long long wrong = 0;  ///< kernels that did not find what the one before them left
};

/// (launch_board* board): nothing, or with a board one more on its count by one thread.
[[nodiscard]] const void* null_kernel();
/// The same, launched with programmatic serialization: it lets the next kernel start at once, and
/// does its own part when the one before is over. cc >= 9.0; before, nothing at all.
[[nodiscard]] const void* dependent_kernel();
/// (launch_board* board, unsigned long long number): finds `number` in the count and leaves the
/// next one there. Plain accesses: only the order of kernels makes them right.
[[nodiscard]] const void* ordered_kernel();
/// (launch_board* board, unsigned units, float factor): every thread does `units` times the same
/// work, then one thread adds them to the count.
[[nodiscard]] const void* work_kernel();
/// The same, launched with programmatic serialization: the next kernel may come in while this one
/// works, which itself begins when the one before is over. cc >= 9.0; before, nothing at all.
[[nodiscard]] const void* dependent_work_kernel();

}  // namespace syncmeter::cuda
