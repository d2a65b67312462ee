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

/// Rounds of one graph: a step of the timed loop has as many.
inline constexpr unsigned rounds_in_graph = 16;

/// What the kernels of a check report to each other, in memory of the host that all devices reach.
struct round_board {
  struct line {
    alignas(board_line) unsigned rounds;  ///< that this device has done
    unsigned too_early;                   ///< devices that it overtook
  };
  line devices[most_devices];
};

/// The stub of a kernel without a body, and that of one with (round_board*, unsigned self, unsigned
/// devices).
[[nodiscard]] const void* empty_kernel();
[[nodiscard]] const void* checking_kernel();

/// op_info::kind: what makes one round. team: one host thread for each device; the others are of
/// one host thread: plain launches, a library's all-reduce, or a graph of many rounds.
enum class round_by : std::uint8_t { team, launches, library, graph };

class multi_host_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  void describe(nlohmann::json& visit) const override;

  // What the lanes of a sample do. None may leave the others waiting, so that none throws: the
  // first error is kept.
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
  /// How often a kernel of a graph ran before one of the round before it was over.
  [[nodiscard]] std::uint64_t early_rounds();
  [[nodiscard]] unsigned devices() const { return static_cast<unsigned>(indices_.size()); }

 private:
  void prepare_point() override;
  /// One sample: the loop on one host thread, or on one for each device, which are an OpenMP team.
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
  std::vector<std::unique_ptr<device_buffer>> words_;  ///< of each device: what is sent, the sum
  std::vector<void*> ones_, sums_;
  std::vector<cudaStream_t> queues_;
  std::unique_ptr<nccl_group> library_;
  executable_graph graph_;
  std::uint64_t rounds_ = 0;  ///< asked for
  std::atomic<int> error_{cudaSuccess};
};

// One round each: what a loop calls, and the census looks for.

/// Of one thread of a team: its device's kernel, the wait for it, and the meeting.
void host_team_round(multi_host_rig& rig, unsigned place);
/// Of one thread for all: a kernel on each device, and the wait for each.
void host_lone_round(multi_host_rig& rig);
/// One all-reduce, queued.
void host_all_reduce(multi_host_rig& rig);
/// One round of a graph; the last one of them queues it.
void host_graph_round(multi_host_rig& rig);

/// With their rig, and the calls that they are.
[[nodiscard]] row_group multi_host_group();

}  // namespace syncmeter::cuda
