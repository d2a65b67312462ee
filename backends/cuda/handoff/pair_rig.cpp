#include "backends/cuda/handoff/pair_rig.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/handoff/gpc_map.hpp"
#include "backends/cuda/lane/cell_places.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"
#include "core/harness/stats.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

constexpr unsigned blocks_on_one = 2;
// The flags, and behind them the lines of data of a litmus.
constexpr std::size_t pair_bytes = 4 * mailbox_bytes;

// What comes back from the device.
struct pair_found {
  pair_record ends[2];
  std::uint64_t tokens[2];
};

}  // namespace

void pair_rig::prepare(const measurable& what, const point& where) {
  if (where.blocks != 2 || where.lanes != warp_size)
    throw point_refused(fmt::format(
        "--blocks {} --lanes {}: a handoff between multiprocessors takes --blocks 2 --lanes {}",
        where.blocks, where.lanes, warp_size));
  if (where.size < 1 || where.size > device_.multiprocessors) {
    throw point_refused(
        fmt::format("--size {}: the other multiprocessor is a number from 1 to {} on {}",
                    where.size, device_.multiprocessors, device_.name));
  }
  what_ = &what;
  threads_ = device_.max_threads_per_multiprocessor / blocks_on_one;
  if (threads_ > device_.max_threads_per_block) {
    throw point_refused(fmt::format("{} blocks of the largest size do not fill a multiprocessor of "
                                    "{}, so that a block cannot be pinned to one",
                                    blocks_on_one, device_.name));
  }
  for (const std::size_t index : {0U, 1U}) check_room(what.code(index));
  notes_.begin();
  ghz_seen_.clear();
  flags_.fit(roaming_bytes + pair_bytes);
  const std::size_t counters = 1 + device_.multiprocessors;
  setup_.arrived = static_cast<unsigned*>(counters_.fit(counters * sizeof(unsigned)));
  setup_.here = setup_.arrived + 1;
  setup_.multiprocessors = device_.multiprocessors;
  setup_.partner = where.size - 1;
  setup_.ends = static_cast<pair_record*>(ends_there_.fit(2 * sizeof(pair_record)));
  begin_round();
}

// Each multiprocessor has room for two blocks and no more: as many blocks as that fill them all.
void pair_rig::check_room(const void* stub) const {
  int blocks = 0;
  SM_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, static_cast<int>(threads_), 0));
  if (blocks == static_cast<int>(blocks_on_one)) return;
  throw point_refused(fmt::format("a multiprocessor of {} runs {} blocks of {} threads at once, "
                                  "not {}, so that a block cannot be pinned to one",
                                  device_.name, blocks, threads_, blocks_on_one));
}

void pair_rig::begin_round() {
  draw_ = next_draw(draw_);
  setup_.flags = static_cast<std::byte*>(flags_.get()) + offset_of(draw_);
  setup_.data = setup_.flags + 2 * mailbox_bytes;
}

void pair_rig::launch(const void* stub, std::uint32_t trips) {
  cudaStream_t in = stream_.get();
  SM_CUDA(cudaMemsetAsync(setup_.flags, 0, pair_bytes, in));
  SM_CUDA(
      cudaMemsetAsync(counters_.get(), 0, (1 + device_.multiprocessors) * sizeof(unsigned), in));
  SM_CUDA(cudaMemsetAsync(setup_.ends, 0, 2 * sizeof(pair_record), in));
  const launch_config config{
      {.blocks = blocks_on_one * device_.multiprocessors, .lanes = threads_, .stream = in}};
  void* arguments[] = {&setup_, &trips};
  SM_CUDA(cudaLaunchKernelExC(config.get(), stub, arguments));
  auto& found = *static_cast<pair_found*>(found_.fit(sizeof(pair_found)));
  SM_CUDA(cudaMemcpyAsync(found.ends, setup_.ends, sizeof found.ends, cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaMemcpy2DAsync(found.tokens, sizeof found.tokens[0], setup_.flags, mailbox_bytes,
                            sizeof found.tokens[0], 2, cudaMemcpyDeviceToHost, in));
  SM_CUDA(cudaStreamSynchronize(in));
  ran_on_ = {found.ends[0].multiprocessor, found.ends[1].multiprocessor};
}

std::string pair_rig::problem() const {
  const auto& ends = static_cast<const pair_found*>(found_.get())->ends;
  if (ends[0].ran == 0 || ends[1].ran == 0) {
    return fmt::format("no block ran on multiprocessor {}: another program uses the device, or it "
                       "has no multiprocessor of that number",
                       ends[0].ran == 0 ? 1 : setup_.partner + 1);
  }
  for (const pair_record& end : ends) {
    if (end.polls >= most_polls)
      return fmt::format("timeout: multiprocessor {} polled {} times without seeing its token",
                         end.multiprocessor + 1, most_polls);
  }
  return {};
}

// The time of the first end, by the clock of its own multiprocessor.
sample pair_rig::take(std::size_t index, std::uint32_t trips) {
  require_built(*what_, index);
  launch(what_->code(index), trips);
  const std::uint64_t rotations =
      std::uint64_t{trips} * what_->info.unroll * ops_in_step(what_->info, counts.at(index));
  sample taken;
  taken.failure = problem();
  if (!taken.failure.empty()) return taken;
  const auto& [ends, tokens] = *static_cast<const pair_found*>(found_.get());
  for (const std::size_t end : {0U, 1U}) {
    if (tokens[end] == rotations) continue;
    taken.failure = fmt::format("oracle: flag {} holds token {} after {} rotations", end,
                                tokens[end], rotations);
    return taken;
  }
  notes_.add(ends[0].polls + ends[1].polls, 2 * rotations);
  if (static_cast<double>(ends[0].lane_ns) >= shortest_clocked_ns(1)) {
    ghz_seen_.push_back(static_cast<double>(ends[0].lane_cycles) /
                        static_cast<double>(ends[0].lane_ns));
    if (clock_.is_throttled(ghz_seen_.back())) taken.dropped = drop::throttled;
  }
  taken.cycles = static_cast<double>(ends[0].cycles);
  taken.span_ns = taken.cycles / clock_.last_ghz();
  return taken;
}

std::uint64_t pair_rig::litmus(const measurable& row) {
  const std::uint64_t seen = row.litmus(*this);
  const bool across = setup_.partner != 0;
  return notes_.judge(seen, litmus_handoffs, promises_order(row.form, across));
}

std::uint64_t pair_rig::look_at_messages(const void* stub) {
  launch(stub, litmus_handoffs / 2);
  if (const std::string what = problem(); !what.empty()) throw std::runtime_error(what);
  const auto& ends = static_cast<const pair_found*>(found_.get())->ends;
  return ends[0].stale + ends[1].stale;
}

void pair_rig::describe(nlohmann::json& visit) const {
  visit["device"] = device_.index;
  visit["multiprocessors"] = ran_on_;
  const auto& [gpcs, why_unknown] = gpcs_of(device_);
  if (const auto same = in_one_gpc(gpcs, ran_on_[0], ran_on_[1])) visit["same_gpc"] = *same;
  if (!gpcs.empty()) visit["gpcs_at_most"] = *std::ranges::max_element(gpcs) + 1;
  else visit["gpcs_unknown"] = why_unknown;
  if (!ghz_seen_.empty()) visit["sm_clock_ghz"] = median(ghz_seen_);
  notes_.describe(visit);
}

}  // namespace syncmeter::cuda
