// The words of the host's launch lane: a program's calls to start, order and await kernels. Each
// word is a call, to give both sides of a loop the same code.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"

namespace syncmeter::cuda {

/// The kernels' results on the device, all zero before a sample.
struct launch_board {
  unsigned long long count = 0;  ///< kernels, or units of work
  unsigned long long wrong = 0;  ///< kernels that missed their predecessor's result
};

// The launched kernels, as stubs for a host compiler.

/// (launch_board* board): does nothing, or one thread adds one to the board's count.
[[nodiscard]] const void* null_kernel();
/// Does the same with programmatic serialization: lets the next kernel start at once, and works
/// after the previous kernel. cc >= 9.0, and nothing at all on older GPUs.
[[nodiscard]] const void* dependent_kernel();
/// (launch_board* board, unsigned long long number): finds `number` in the count and stores the
/// next number. Accesses are plain: only the order of kernels makes them right.
[[nodiscard]] const void* ordered_kernel();
/// (launch_board* board, unsigned units, float factor): every thread does `units` units of work,
/// then one thread adds them to the count.
[[nodiscard]] const void* work_kernel();
/// Does the same with programmatic serialization: the next kernel may start while this kernel
/// works. This kernel works after the previous kernel. cc >= 9.0, and nothing at all on older GPUs.
[[nodiscard]] const void* dependent_work_kernel();

/// Streams and kernels of a point, the state of the words.
struct launch_queue {
  stream first, second;
  event marks[2]{event{cudaEventDisableTiming}, event{cudaEventDisableTiming}};  ///< after the last
                                                                                 ///< kernel in each
                                                                                 ///< stream, used
                                                                                 ///< alternately
  unsigned blocks = 1, lanes = 1;  ///< for every kernel
  launch_board* board = nullptr;   ///< on the device
  launch_board* counts = nullptr;  ///< null kernels' argument: the board, or null
  executable_graph chain, counting_chain;

  std::uint64_t calls = 0;      ///< words so far
  std::uint64_t queued = 0;     ///< launches since the last wait
  std::uint64_t right = 0;      ///< correct copies
  std::int64_t in_call_ns = 0;  ///< in launch_timed's calls
  unsigned pending = 0;         ///< work units not yet launched
};

/// The launches a word queues before it waits for them: the driver's queue holds about 1024, and a
/// full queue would block the host.
inline constexpr std::uint64_t most_queued = 1000;

/// The board's first bytes, for copy_back.
inline constexpr std::uint32_t copied_word = 0x600d5eed;

/// Makes a graph of `nodes` null kernels in a chain. With `board` they count.
void make_chain(executable_graph& chain, unsigned nodes, unsigned blocks, unsigned lanes,
                launch_board* board);

/// Waits for all work queued by the words.
void wait_for_all(launch_queue& queue);

/// Launches a null kernel, and waits for it.
void launch_and_wait(launch_queue& queue);
/// Launches a null kernel behind the queued kernels.
void launch_another(launch_queue& queue);
/// Launches a null kernel on an idle device, adds up the time inside the call, and waits for the
/// kernel.
void launch_timed(launch_queue& queue);
void launch_cooperative_and_wait(launch_queue& queue);
void launch_another_cooperative(launch_queue& queue);
/// Launches the chain, and waits for its last kernel.
void launch_chain_and_wait(launch_queue& queue);
void launch_another_chain(launch_queue& queue);
/// Launches a null kernel that may start before the queued kernels end.
void launch_programmatic(launch_queue& queue);
/// Adds a unit of work for the next kernel.
void add_work(launch_queue& queue);
/// Launches a kernel with the work added so far.
void cut_work(launch_queue& queue);
/// Adds a unit of work, and launches a kernel with all work added so far.
void end_work(launch_queue& queue);
/// Do the same as cut_work and end_work, with kernels that start while the previous kernel works.
void cut_work_early(launch_queue& queue);
void end_work_early(launch_queue& queue);
/// Copies four bytes from the device and waits for them in cudaMemcpy.
void copy_back(launch_queue& queue);
/// Launches a kernel that needs the previous kernel's result, in the same stream.
void launch_in_order(launch_queue& queue);
/// Does the same in the other stream, after an event in this stream.
void launch_after_event(launch_queue& queue);
/// Records an event in an idle stream, and waits for it on the host.
void record_and_wait(launch_queue& queue);

}  // namespace syncmeter::cuda
