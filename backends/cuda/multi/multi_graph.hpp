// Rounds of kernels on several devices as one CUDA graph: each kernel comes after all of the round
// before, so that what stands between two rounds is a barrier in which neither the host nor a
// kernel waits. A round's time has its kernels in it, and its part of the launch of the graph.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "backends/cuda/multi/multi_setup.hpp"
#include "backends/cuda/runtime/executable_graph.hpp"

namespace syncmeter::cuda {

/// Rounds of one graph: a step of the timed loop has as many.
inline constexpr unsigned rounds_in_graph = 16;

/// What the kernels of a check tell each other, in memory of the host that all devices reach.
struct round_board {
  struct line {
    alignas(board_line) unsigned rounds;  ///< that this device has done
    unsigned too_early;                   ///< devices that it overtook
  };
  line devices[most_devices];
};

/// A graph of rounds_in_graph rounds that can be launched.
class round_graph {
 public:
  /// Empty kernels of that launch on each device; with a board, kernels of one thread that look on
  /// it, in whose every round another device is late. Replaces the graph that was there.
  void make(const std::vector<int>& devices, unsigned blocks, unsigned lanes, round_board* board);
  /// Queues all of it in a stream of any of the devices.
  [[nodiscard]] cudaError_t launch(cudaStream_t in) const {
    return cudaGraphLaunch(graph_.get(), in);
  }

 private:
  executable_graph graph_;
};

/// The stub of a kernel with (round_board*, unsigned self, unsigned devices).
[[nodiscard]] const void* checking_kernel();

}  // namespace syncmeter::cuda
