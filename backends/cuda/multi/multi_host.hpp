// Host threads that launch on several devices and wait for them, or call a library's all-reduce:
// the host as the barrier.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/cuda/multi/multi_setup.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"
#include "backends/cuda/runtime/nccl.hpp"

namespace syncmeter::cuda {

/// Rounds per graph, and per step of the timed loop.
inline constexpr unsigned rounds_in_graph = 16;

/// The checking kernels' reports to each other, in host memory mapped by all devices.
struct round_board {
  struct line {
    alignas(board_line) unsigned rounds;  ///< finished by this device
    unsigned too_early;                   ///< devices overtaken by this device
  };
  line devices[most_devices];
};

/// Return the stubs of an empty kernel, and of a kernel with (round_board*, unsigned self, unsigned
/// devices).
[[nodiscard]] const void* empty_kernel();
[[nodiscard]] const void* checking_kernel();

/// op_info::kind, by the source of a round. team: one host thread per device. One host thread alone
/// uses plain launches, a library's all-reduce, or a graph of many rounds.
enum class round_by : std::uint8_t { team, launches, library, graph };

class multi_host_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  void describe(nlohmann::json& visit) const override;

  // The calls of a sample's lanes. None throws, because a missing lane would leave the others
  // waiting. The rig keeps the first error.
  void launch(unsigned place);
  void wait(unsigned place) { note(cudaStreamSynchronize(streams_[place]->get())); }
  void use(unsigned place) { note(cudaSetDevice(indices_[place])); }
  void all_reduce() {
    if (!library_->all_reduce(ones_, sums_, queues_)) note(cudaErrorUnknown);
  }
  void queue_round() {
    if (++rounds_ % rounds_in_graph == 0)
      note(cudaGraphLaunch(graph_.get(), streams_.front()->get()));
  }
  /// Returns how often a graph's kernel ran before the previous round was over.
  [[nodiscard]] std::uint64_t early_rounds();
  [[nodiscard]] unsigned devices() const { return static_cast<unsigned>(indices_.size()); }

 private:
  void prepare_point() override;
  /// Runs one sample: the loop on one host thread, or on an OpenMP team with one thread per device.
  sample measure(std::size_t index) override;
  void note(cudaError_t code) {
    int none = cudaSuccess;
    if (code != cudaSuccess) error_.compare_exchange_strong(none, code);
  }
  [[nodiscard]] bool uses_library() const { return what_->info.is(round_by::library); }
  void prepare_library();
  void make_graph(executable_graph& graph, unsigned blocks, unsigned lanes, round_board* board);
  void wait_for_queued();
  void wait_with_timeout();
  [[nodiscard]] std::string check_sums() const;

  std::vector<int> indices_;
  std::vector<std::unique_ptr<stream>> streams_;
  std::vector<std::unique_ptr<device_buffer>> words_;  ///< per device: the sent word, the sum
  std::vector<void*> ones_, sums_;
  std::vector<cudaStream_t> queues_;
  std::unique_ptr<nccl_group> library_;
  executable_graph graph_;
  std::uint64_t rounds_ = 0;  ///< requested
  std::atomic<int> error_{cudaSuccess};
};

// One round each, called in a loop and found by the census.

/// In one thread of a team: launches the device's kernel, waits for it, and joins the barrier.
void host_team_round(multi_host_rig& rig, unsigned place);
/// In one thread for all devices: launches a kernel on each, and waits for each.
void host_lone_round(multi_host_rig& rig);
/// Queues one all-reduce.
void host_all_reduce(multi_host_rig& rig);
/// Counts one round of a graph, and queues the graph at its last round.
void host_graph_round(multi_host_rig& rig);

/// Returns the rows with their rig and their declared calls.
[[nodiscard]] row_group multi_host_group();

}  // namespace syncmeter::cuda
