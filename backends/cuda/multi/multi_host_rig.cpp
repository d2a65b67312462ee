#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "backends/cuda/multi/multi_host.hpp"
#include "core/harness/core_probes.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

void multi_host_rig::launch(unsigned place) {
  void* none[] = {nullptr};
  note(cudaLaunchKernel(empty_kernel(), dim3(where_.blocks), dim3(where_.lanes), none, 0,
                        streams_[place]->get()));
}

void multi_host_rig::prepare_point() {
  const point& where = where_;
  if (where.waves || where.active != 0)
    throw point_refused(fmt::format("{} is not supported by host-side barriers across GPUs",
                                    where.waves ? "--waves" : "--active"));
  const std::vector<int> wanted = devices_of_point(device_.index, std::max(where.size, 1U));
  if (wanted != indices_) {
    library_.reset();
    streams_.clear();
    words_.clear();
    indices_.clear();  // empty until all of them are ready
    const scoped_device back_afterwards{device_.index};
    for (const int index : wanted) {
      static_cast<void>(use_device(index));
      streams_.push_back(std::make_unique<stream>());
      words_.push_back(std::make_unique<device_buffer>());
      cudaFuncAttributes attributes{};
      SM_CUDA(cudaFuncGetAttributes(&attributes, empty_kernel()));
    }
    indices_ = wanted;
  }
  if (uses_library()) prepare_library();
  if (what_->info.is(round_by::graph)) make_graph(graph_, where.blocks, where.lanes, nullptr);
}

// Makes rounds of kernels as one CUDA graph: each kernel depends on all kernels in the previous
// round. Neither the host nor a kernel waits in the barrier between two rounds. A round's time
// includes its kernels and its share of the graph launch. The kernels are empty. With a board, they
// have one thread and check the order, with a different late device in each round. A node belongs
// to the current device.
void multi_host_rig::make_graph(executable_graph& graph, unsigned blocks, unsigned lanes,
                                round_board* board) {
  graph_plan plan;
  std::vector<cudaGraphNode_t> before;
  unsigned count = devices();
  for (unsigned round = 0; round < rounds_in_graph; ++round) {
    std::vector<cudaGraphNode_t> nodes;
    for (unsigned self = 0; self < count; ++self) {
      const scoped_device here{indices_[self]};
      void* arguments[] = {&board, &self, &count};
      nodes.push_back(plan.add(board == nullptr ? empty_kernel() : checking_kernel(), blocks, lanes,
                               arguments, before));
    }
    before = std::move(nodes);
  }
  graph.make(plan);
}

std::uint64_t multi_host_rig::early_rounds() {
  const scoped_device first{indices_.front()};
  pinned_buffer memory;
  auto* const board = static_cast<round_board*>(memory.fit(sizeof(round_board)));
  std::construct_at(board);
  executable_graph checking;
  make_graph(checking, 1, 1, board);
  constexpr unsigned graphs = 2;  // successive graphs keep the order too
  for (unsigned i = 0; i < graphs; ++i)
    SM_CUDA(cudaGraphLaunch(checking.get(), streams_.front()->get()));
  SM_CUDA(cudaStreamSynchronize(streams_.front()->get()));
  std::uint64_t early = 0;
  for (unsigned i = 0; i < devices(); ++i) {
    early += board->devices[i].too_early;
    if (board->devices[i].rounds != graphs * rounds_in_graph)
      throw std::runtime_error(fmt::format("litmus: of {} rounds in graphs, device {} ran {}",
                                           graphs * rounds_in_graph, indices_[i],
                                           board->devices[i].rounds));
  }
  return early;
}

void multi_host_rig::prepare_library() {
  if (devices() < 2)
    throw point_refused(
        fmt::format("--size {}: an all-reduce needs at least 2 devices", where_.size));
  if (library_ != nullptr) return;
  const scoped_device back_afterwards{device_.index};
  ones_.clear();
  sums_.clear();
  queues_.clear();
  for (unsigned i = 0; i < devices(); ++i) {
    SM_CUDA(cudaSetDevice(indices_[i]));
    auto* const words = static_cast<std::byte*>(words_[i]->fit(2 * board_line));
    const std::int32_t one = 1;
    SM_CUDA(cudaMemcpy(words, &one, sizeof one, cudaMemcpyHostToDevice));
    ones_.push_back(words);
    sums_.push_back(words + board_line);
    queues_.push_back(streams_[i]->get());
  }
  library_ = std::make_unique<nccl_group>(indices_);
}

// The library's kernels wait for each other without limit: the timeout aborts them.
void multi_host_rig::wait_with_timeout() {
  const std::int64_t deadline = steady_ns() + wait_limit_ns;
  for (const cudaStream_t queue : queues_) {
    cudaError_t code = cudaErrorNotReady;
    while ((code = cudaStreamQuery(queue)) == cudaErrorNotReady) {
      if (steady_ns() < deadline) continue;
      library_->abort();
      library_.reset();
      static_cast<void>(cudaGetLastError());
      throw std::runtime_error(fmt::format("timeout: an NCCL all-reduce did not finish within {} s",
                                           wait_limit_ns / 1'000'000'000));
    }
    SM_CUDA(code);
  }
  static_cast<void>(cudaGetLastError());  // "not ready" is no error
}

void multi_host_rig::wait_for_queued() {
  if (uses_library()) wait_with_timeout();
  if (what_->info.is(round_by::graph)) wait(0);
}

sample multi_host_rig::measure(std::size_t index) {
  const lane_body body = what_->by_count.at(index);
  const bool one_thread = !what_->info.is(round_by::team);
  const unsigned threads = one_thread ? 1 : devices();
  std::vector<std::int64_t> start(threads), stop(threads);
  error_ = cudaSuccess;
  rounds_ = 0;
  const scoped_device back_afterwards{device_.index};
  if (one_thread) {
    start[0] = steady_ns();
    body(*this, 0);
    wait_for_queued();
    stop[0] = steady_ns();
  } else {
#if defined(_OPENMP)
    unsigned started = 0;
#pragma omp parallel num_threads(threads) shared(started)
    {
      const auto place = static_cast<unsigned>(omp_get_thread_num());
      if (place == 0) started = static_cast<unsigned>(omp_get_num_threads());
      use(place);
#pragma omp barrier
      if (started == threads) {
        start[place] = steady_ns();
        body(*this, place);
        stop[place] = steady_ns();
      }
    }
    if (started != threads) {
      throw std::runtime_error(fmt::format(
          "OpenMP started {} of the {} threads that were requested, one for each device", started,
          threads));
    }
#endif
  }
  sample taken;
  taken.span_ns =
      static_cast<double>(*std::ranges::max_element(stop) - *std::ranges::min_element(start));
  if (const int code = error_; code != cudaSuccess)
    taken.failure = cudaGetErrorString(static_cast<cudaError_t>(code));
  if (uses_library() && taken.failure.empty()) taken.failure = check_sums();
  return taken;
}

std::string multi_host_rig::check_sums() const {
  for (unsigned i = 0; i < devices(); ++i) {
    const scoped_device here{indices_[i]};
    std::int32_t sum = 0;
    SM_CUDA(cudaMemcpy(&sum, sums_[i], sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != static_cast<std::int32_t>(devices()))
      return fmt::format("oracle: the sum on device {} is {}, expected {}", indices_[i], sum,
                         devices());
  }
  return {};
}

void multi_host_rig::describe(nlohmann::json& visit) const {
  gpu_rig::describe(visit);
  visit["devices"] = indices_;
  if (uses_library() && library_ != nullptr) visit["nccl"] = library_->version();
}

void host_team_round(multi_host_rig& rig, unsigned place) {
  rig.launch(place);
  rig.wait(place);
#if defined(_OPENMP)
#pragma omp barrier
#endif
}

void host_lone_round(multi_host_rig& rig) {
  for (unsigned i = 0; i < rig.devices(); ++i) {
    rig.use(i);
    rig.launch(i);
  }
  for (unsigned i = 0; i < rig.devices(); ++i) rig.wait(i);
}

void host_all_reduce(multi_host_rig& rig) { rig.all_reduce(); }

void host_graph_round(multi_host_rig& rig) { rig.queue_round(); }

}  // namespace syncmeter::cuda
