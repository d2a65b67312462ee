// The rig of host threads that launch on several devices and wait for them.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <vector>

#include "backends/cuda/multi/multi_graph.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/nccl.hpp"

namespace syncmeter::cuda {

class multi_host_rig;

/// op_info::kind: what makes one round. team: one host thread for each device; the others are of
/// one host thread: plain launches, a library's all-reduce, or a graph of many rounds.
enum class round_by : std::uint8_t { team, launches, library, graph };

class multi_host_rig : public gpu_rig {
 public:
  explicit multi_host_rig(const device_facts& device) : device_{device} {}

  void prepare(const measurable& what, const point& where) override;
  /// One sample: the loop on one host thread, or on one for each device, which are an OpenMP team.
  sample take(std::size_t index, std::uint32_t trips) override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override { return row.litmus(*this); }
  void describe(nlohmann::json& visit) const override;

  [[nodiscard]] std::uint32_t trips() const { return trips_; }

  // What the lanes of a sample do. None may leave the others waiting, so that none throws: the
  // first error is kept.
  void launch(unsigned place);
  void wait(unsigned place) { note(cudaStreamSynchronize(streams_[place]->get())); }
  void use(unsigned place) { note(cudaSetDevice(indices_[place])); }
  void all_reduce() {
    if (!library_->all_reduce(ones_, sums_, queues_)) note(cudaErrorUnknown);
  }
  void queue_round() {
    if (++rounds_ % rounds_in_graph == 0) note(graph_.launch(streams_.front()->get()));
  }
  void wait_with_timeout();
  /// How often a kernel of a graph ran before one of the round before it was over.
  [[nodiscard]] std::uint64_t early_rounds();
  [[nodiscard]] unsigned devices() const { return static_cast<unsigned>(indices_.size()); }

 private:
  void note(cudaError_t said) {
    int none = cudaSuccess;
    if (said != cudaSuccess) error_.compare_exchange_strong(none, said);
  }
  [[nodiscard]] bool uses_library() const { return what_->info.is(round_by::library); }
  void prepare_library();
  void wait_for_queued();

  const device_facts& device_;
  const measurable* what_ = nullptr;
  point where_;
  std::uint32_t trips_ = 0;
  std::vector<int> indices_;
  std::vector<std::unique_ptr<stream>> streams_;
  std::vector<std::unique_ptr<device_buffer>> words_;  ///< of each device: what is sent, the sum
  std::vector<void*> ones_, sums_;
  std::vector<cudaStream_t> queues_;
  std::unique_ptr<nccl_group> library_;
  round_graph graph_;
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

}  // namespace syncmeter::cuda
