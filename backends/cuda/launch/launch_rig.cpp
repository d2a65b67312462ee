#include "backends/cuda/launch/launch_rig.hpp"

#include <fmt/format.h>

#include "core/harness/stats.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

namespace {

using leaves = launch_word::leaves;

// A graph with more kernels would take longer to make than all other preparations.
constexpr unsigned most_nodes = 16384;

}  // namespace

launch_rig::launch_rig(const device_facts& device) : host_loop_rig{device} {
  queue_.board = static_cast<launch_board*>(board_.fit(sizeof(launch_board)));
  std::vector<double> steps;
  auto last = now_ns();
  for (int i = 0; i < 1001; ++i) {
    const auto next = now_ns();
    steps.push_back(static_cast<double>(next - last));
    last = next;
  }
  clock_ns_ = median(steps);
}

void launch_rig::check_shape() const {
  const point& where = where_;
  require_block_fits();
  if (where.active != 0)
    throw point_refused("--active is not supported by launches: the kernel is empty");
  if (what_->info.launching == launching::cooperative) {
    const unsigned fit = blocks_at_once(null_kernel(), where.lanes) * device_.multiprocessors;
    if (where.blocks > fit) {
      throw point_refused(fmt::format("--blocks {}: all blocks of a cooperative launch must be "
                                      "resident at once; {} runs at most {} of {} threads",
                                      where.blocks, device_.name, fit, where.lanes));
    }
  }
  if (what_->info.is(launch_kind::programmatic) && device_.largest_cluster == 0)
    throw point_refused(
        fmt::format("programmatic dependent launch needs compute capability 9.0; {} has {}",
                    device_.name, device_.compute_capability));
  if (what_->info.size_of.empty()) return;
  if (where.size == 0) throw point_refused("needs --size: the number of kernels in the graph");
  if (where.size > most_nodes)
    throw point_refused(
        fmt::format("--size {}: a graph has at most {} kernels here", where.size, most_nodes));
}

void launch_rig::prepare_point() {
  const point& where = where_;
  word_ = &word_of(what_->info.name);
  check_shape();
  host_loop_rig::prepare_point();
  queue_.blocks = where.blocks;
  queue_.lanes = where.lanes;
  queue_.counts = nullptr;
  kernels_per_op_ = std::max(where.size, 1U);
  if (!what_->info.size_of.empty()) {
    make_chain(queue_.chain, where.size, where.blocks, where.lanes, nullptr);
    make_chain(queue_.counting_chain, where.size, where.blocks, where.lanes, queue_.board);
    SM_CUDA(cudaGraphUpload(queue_.chain.get(), queue_.first.get()));
  }
}

// Copies in the stream and waits: a small plain cudaMemcpy may return early, and these streams do
// not wait for it.
void launch_rig::set_board(const launch_board& board) {
  SM_CUDA(cudaMemcpyAsync(queue_.board, &board, sizeof board, cudaMemcpyHostToDevice,
                          queue_.first.get()));
  wait_for_all(queue_);
}

launch_board launch_rig::read_board() {
  launch_board board;
  SM_CUDA(cudaMemcpyAsync(&board, queue_.board, sizeof board, cudaMemcpyDeviceToHost,
                          queue_.first.get()));
  wait_for_all(queue_);
  return board;
}

// Counting kernels write to memory and wait for the write, which would be timed. Therefore a
// sample's kernels do nothing. The same call runs before and after it with counting kernels.
std::string launch_rig::count_kernels() {
  set_board({});
  queue_.counts = queue_.board;
  word_->call(queue_);
  wait_for_all(queue_);
  queue_.counts = nullptr;
  const auto counted = read_board().count;
  if (counted == kernels_per_op_) return {};
  return fmt::format("oracle: {} kernels ran in one {}, expected {}", counted, what_->info.name,
                     kernels_per_op_);
}

void launch_rig::begin_sample() {
  before_ = word_->what == leaves::kernels ? count_kernels() : "";
  set_board({.count = word_->what == leaves::copies ? copied_word : 0U});
  queue_.calls = queue_.right = 0;
  queue_.pending = 0;
  queue_.in_call_ns = 0;
}

double launch_rig::counted_ns(double whole_ns, std::uint64_t ops) const {
  if (!times_itself(what_->info)) return whole_ns;
  const double in_calls =
      static_cast<double>(queue_.in_call_ns) - clock_ns_ * static_cast<double>(ops);
  return std::max(in_calls, 0.0);
}

std::string launch_rig::verdict(std::uint64_t ops) {
  if (!before_.empty()) return before_;
  if (queue_.calls != ops)
    return fmt::format("oracle: {} calls were made, expected {}", queue_.calls, ops);
  switch (word_->what) {
  case leaves::kernels:
    return count_kernels();
  case leaves::units: {
    constexpr std::uint64_t units_in_step = 2;
    const auto done = read_board().count;
    if (done == units_in_step * ops) return {};
    return fmt::format("oracle: {} units of work were done, expected {}", done,
                       units_in_step * ops);
  }
  case leaves::order: {
    const launch_board board = read_board();
    if (board.count == ops && board.wrong == 0) return {};
    return fmt::format("oracle: after {} kernels in order the counter is {}, and {} kernels did "
                       "not see their predecessor's value",
                       ops, board.count, board.wrong);
  }
  case leaves::copies:
    if (queue_.right == ops) return {};
    return fmt::format("oracle: {} of {} copies returned the device's value", queue_.right, ops);
  case leaves::nothing:
    break;
  }
  return {};
}

}  // namespace syncmeter::cuda
