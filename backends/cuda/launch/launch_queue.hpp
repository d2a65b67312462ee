// The words of the host's lane for launches: what a program calls to start kernels, to put them in
// order and to wait for them, each behind a call, so that both sides of a loop hold the same of it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"

namespace syncmeter::cuda {

/// What the kernels leave behind on the device, all zero before a sample.
struct launch_board {
  unsigned long long count = 0;  ///< of kernels, or of units of work
  unsigned long long wrong = 0;  ///< kernels that did not find what the one before them left
};

// The kernels that are launched, by the stubs with which a host's compiler can do so.

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

/// Streams and kernels of one point; the words work on it.
struct launch_queue {
  stream first, second;
  event marks[2]{event{cudaEventDisableTiming}, event{cudaEventDisableTiming}};  ///< by turns, of
                                                                                 ///< the last
                                                                                 ///< kernel in each
                                                                                 ///< stream
  unsigned blocks = 1, lanes = 1;  ///< of every kernel
  launch_board* board = nullptr;   ///< on the device
  launch_board* counts = nullptr;  ///< what null kernels get: the board, or nothing
  executable_graph chain, counting_chain;

  std::uint64_t calls = 0;      ///< of words so far
  std::uint64_t queued = 0;     ///< launches since the last wait
  std::uint64_t right = 0;      ///< copies that brought what they had to
  std::int64_t in_call_ns = 0;  ///< inside launch_timed's calls
  unsigned pending = 0;         ///< units of work not yet launched
};

/// As many launches as are queued before a word waits for them: the driver's queue holds about
/// 1024, and would make the host wait itself.
inline constexpr std::uint64_t most_queued = 1000;

/// What the board's first bytes hold for copy_back.
inline constexpr std::uint32_t copied_word = 0x600d5eed;

/// A graph of `nodes` null kernels, each after the one before it; with `board` they count.
void make_chain(executable_graph& chain, unsigned nodes, unsigned blocks, unsigned lanes,
                launch_board* board);

/// All that the words queued is done.
void wait_for_all(launch_queue& queue);

/// A null kernel, and the wait for it.
void launch_and_wait(launch_queue& queue);
/// A null kernel behind those that are queued.
void launch_another(launch_queue& queue);
/// A null kernel on an idle device: the time inside the call is added up, and the kernel waited
/// for.
void launch_timed(launch_queue& queue);
void launch_cooperative_and_wait(launch_queue& queue);
void launch_another_cooperative(launch_queue& queue);
/// The chain, and the wait for its last kernel.
void launch_chain_and_wait(launch_queue& queue);
void launch_another_chain(launch_queue& queue);
/// A null kernel that may start before those that are queued are over.
void launch_programmatic(launch_queue& queue);
/// A unit of work for the kernel to come.
void add_work(launch_queue& queue);
/// A kernel with the work added so far.
void cut_work(launch_queue& queue);
/// A unit of work, and the kernel with it and what was added before.
void end_work(launch_queue& queue);
/// As cut_work and end_work, of kernels that come in while the one before them works.
void cut_work_early(launch_queue& queue);
void end_work_early(launch_queue& queue);
/// Four bytes from the device, for which cudaMemcpy waits.
void copy_back(launch_queue& queue);
/// A kernel that needs what the one before it left, in the same stream.
void launch_in_order(launch_queue& queue);
/// The same in the other stream, after an event in this one.
void launch_after_event(launch_queue& queue);
/// An event in a stream with nothing outstanding, and the host's wait for it.
void record_and_wait(launch_queue& queue);

}  // namespace syncmeter::cuda
