#include "backends/cuda/handoff/chain_rig.hpp"

#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/runtime/cuda_launch.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

// What all warps have in common, each on a line of its own: the flag is polled by thousands.
struct chain_words {
  alignas(128) unsigned flag;
  alignas(128) unsigned timed_out;
  alignas(128) unsigned long long stale;
};

// A chain that no memory of polls would hold is a chain that would take minutes.
constexpr std::uint64_t longest_chain = 1U << 22U;

}  // namespace

void chain_rig::prepare(const measurable& what, const point& where) {
  if (where.lanes > device_.max_threads_per_block || where.lanes % warp_size != 0) {
    throw point_refused(fmt::format(
        "--lanes {}: a block of a chain must consist of whole warps, at most {} threads",
        where.lanes, device_.max_threads_per_block));
  }
  what_ = &what;
  blocks_ = where.blocks;
  lanes_ = where.lanes;
  waiting_warps_ = 0;
  notes_.begin();
}

void chain_rig::launch(const void* stub) {
  if (length_ > longest_chain)
    throw std::runtime_error(
        fmt::format("a chain of {} warps is too long: at most {} warps can be tracked", length_,
                    longest_chain));
  int fit = 0;
  SM_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, stub, static_cast<int>(lanes_), 0));
  const unsigned waiting = static_cast<unsigned>(fit) * device_.multiprocessors;
  const std::uint64_t warps_of_block = warps_in(lanes_);
  const std::uint64_t blocks = (length_ + warps_of_block - 1) / warps_of_block + waiting;
  const std::size_t bytes = poll_bytes_ = blocks * warps_of_block * sizeof(unsigned);
  waiting_warps_ = waiting * warps_of_block;

  cudaStream_t in = stream_.get();
  auto* words = static_cast<chain_words*>(words_.fit(sizeof(chain_words)));
  setup_ = {.flag = &words->flag,
            .length = static_cast<unsigned>(length_),
            .polls = static_cast<unsigned*>(polls_.fit(bytes)),
            .data = static_cast<unsigned*>(data_.fit(bytes)),
            .stale = &words->stale,
            .timed_out = &words->timed_out};
  SM_CUDA(cudaMemsetAsync(words, 0, sizeof(chain_words), in));
  SM_CUDA(cudaMemsetAsync(setup_.data, 0, bytes, in));
  const launch_config config{
      {.blocks = static_cast<unsigned>(blocks), .lanes = lanes_, .stream = in}};
  void* arguments[] = {&setup_};
  SM_CUDA(cudaStreamSynchronize(in));
  SM_CUDA(cudaEventRecord(begin_.get(), in));
  SM_CUDA(cudaLaunchKernelExC(config.get(), stub, arguments));
  SM_CUDA(cudaEventRecord(end_.get(), in));
  auto* found = static_cast<chain_words*>(found_.fit(sizeof(chain_words)));
  SM_CUDA(cudaMemcpyAsync(found, words, sizeof(chain_words), cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaMemcpyAsync(polls_here_.fit(bytes), setup_.polls, bytes, cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaStreamSynchronize(in));
}

std::string chain_rig::verdict() {
  const auto* const found = static_cast<const chain_words*>(found_.get());
  if (found->timed_out != 0) {
    return fmt::format("timeout: {} warps of the chain waited {} s for the flag without seeing it",
                       found->timed_out, static_cast<double>(chain_deadline_ns) / 1e9);
  }
  if (found->flag != chain_over) {
    return fmt::format("oracle: the flag holds {} at the end of a chain of {} warps", found->flag,
                       length_);
  }
  const auto* const polls = static_cast<const unsigned*>(polls_here_.get());
  notes_.add(std::accumulate(polls, polls + poll_bytes_ / sizeof(unsigned), std::uint64_t{0}),
             length_);
  return {};
}

// A chain of count + 1 times `trips` trips.
sample chain_rig::take(std::size_t index, std::uint32_t trips) {
  require_built(*what_, index);
  const std::uint64_t warps = std::uint64_t{blocks_} * warps_in(lanes_);
  length_ = warps * trips * (static_cast<unsigned>(counts.at(index)) + 1);
  what_->by_count.at(index)(*this, 0);
  sample taken;
  taken.failure = verdict();
  if (!taken.failure.empty()) return taken;
  float event_ms = 0;
  SM_CUDA(cudaEventElapsedTime(&event_ms, begin_.get(), end_.get()));
  taken.span_ns = static_cast<double>(event_ms) * 1e6;
  return taken;
}

// Neighbours of the chain are warps of one block or of two, and these hand on at device scope.
std::uint64_t chain_rig::litmus(const measurable& row) {
  // Warps of one block read by way of one L1: only who is handed to by another block can see what
  // is old.
  const std::uint64_t between_blocks = litmus_handoffs / warps_in(lanes_) - 1;
  return notes_.judge(row.litmus(*this), between_blocks, promises_order(row.form, false));
}

std::uint64_t chain_rig::look_at_messages(const void* stub) {
  length_ = litmus_handoffs;
  launch(stub);
  if (const std::string broke = verdict(); !broke.empty()) throw std::runtime_error(broke);
  return static_cast<const chain_words*>(found_.get())->stale;
}

void chain_rig::describe(nlohmann::json& visit) const {
  visit["device"] = device_.index;
  if (waiting_warps_ > 0) visit["waiting_warps"] = waiting_warps_;
  notes_.describe(visit);
}

}  // namespace syncmeter::cuda
