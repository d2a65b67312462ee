#include "backends/cuda/handoff/ring_rig.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cell_places.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

std::size_t ring_rig::warps() const { return std::size_t{warps_in(where_.lanes)} * where_.blocks; }

void ring_rig::place_flags() {
  setup_->mailboxes = static_cast<std::byte*>(flags_.get()) + offset_of(draw_);
}

void ring_rig::prepare_more(const measurable& what, const point& where, kernel_setup& setup) {
  const bool in_cluster = what.info.launching == launching::cluster;
  if (in_cluster && where.blocks != where.size) {
    throw point_refused(fmt::format(
        "--blocks {} with --size {}: the ring is one cluster, so that both must be equal",
        where.blocks, where.size));
  }
  if (where.scope == scope::cluster && where.blocks > 1 && !in_cluster)
    throw point_refused("--scope cluster orders within one cluster only, and this op is launched "
                        "without clusters; use device or system, or --blocks 1");
  what_ = &what;
  where_ = where;
  setup_ = &setup;
  notes_.begin();
  flags_.fit(roaming_bytes + warps() * mailbox_bytes);
  setup.board = static_cast<std::byte*>(data_.fit(warps() * mailbox_bytes));
  place_flags();
}

void ring_rig::begin_round() {
  cuda_rig::begin_round();
  draw_ = next_draw(draw_);
  place_flags();
}

sample ring_rig::take(std::size_t index, std::uint32_t trips) {
  sample taken = cuda_rig::take(index, trips);
  const std::uint64_t rotations =
      std::uint64_t{trips} * what_->info.unroll * ops_in_step(what_->info, counts.at(index));
  if (auto lost = count_polls(rotations); !lost.empty()) taken.failure = lost;
  return taken;
}

// Reads what the lanes brought back: empty, or why the token never arrived.
std::string ring_rig::count_polls(std::uint64_t rotations) {
  const std::size_t threads = std::size_t{where_.lanes} * where_.blocks;
  const std::size_t bytes = threads * sizeof(lane_outcome);
  const auto* lanes = static_cast<const lane_outcome*>(outcomes_.fit(bytes));
  cudaStream_t stream = shape().stream;
  SM_CUDA(cudaMemcpyAsync(outcomes_.fit(bytes), setup_->outcomes, bytes, cudaMemcpyDeviceToHost,
                          stream));
  SM_CUDA(cudaStreamSynchronize(stream));
  constexpr unsigned named = 16;
  multiprocessors_.clear();
  std::uint64_t polls = 0;
  for (unsigned block = 0; block < where_.blocks; ++block) {
    const auto* first = lanes + std::size_t{block} * where_.lanes;
    if (block < named) multiprocessors_.push_back(static_cast<unsigned>(first->operand));
    for (unsigned lane = 0; lane < where_.lanes; lane += warp_size) {
      if (first[lane].tally >= most_polls) {
        return fmt::format("timeout: warp {} of block {} polled {} times without seeing its token",
                           lane / warp_size, block, most_polls);
      }
      polls += first[lane].tally;
    }
  }
  notes_.add(polls, rotations * warps());
  return {};
}

std::uint64_t ring_rig::litmus(const measurable& row) {
  const std::uint64_t seen = row.litmus(*this);
  const std::uint64_t rounds = std::max<std::uint64_t>(16, litmus_handoffs / warps());
  return notes_.judge(seen, rounds * warps(), promises_order(row.form, where_.blocks > 1));
}

std::uint64_t ring_rig::look_at_messages(const kernel_call& kernel) {
  cudaStream_t stream = shape().stream;
  SM_CUDA(cudaMemsetAsync(setup_->mailboxes, 0, warps() * mailbox_bytes, stream));
  SM_CUDA(cudaMemsetAsync(setup_->board, 0, warps() * mailbox_bytes, stream));
  return run_litmus(kernel, shape());
}

void ring_rig::describe(nlohmann::json& visit) const {
  cuda_rig::describe(visit);
  if (!multiprocessors_.empty()) visit["multiprocessors"] = multiprocessors_;
  notes_.describe(visit);
}

}  // namespace syncmeter::cuda
