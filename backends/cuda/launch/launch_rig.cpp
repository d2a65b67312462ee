#include "backends/cuda/launch/launch_rig.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/ops/launch.hpp"
#include "core/harness/stats.hpp"
#include "core/machine/topology.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

struct launch_check {
  enum class of : std::uint8_t { kernels, units, order, copies, nothing };
  std::string_view op;
  of kind;
  void (*word)(launch_queue&) = nullptr;  ///< of null kernels: what the op calls
};

namespace {

using of = launch_check::of;

constexpr std::array checks{
    launch_check{ops::launch::info.name, of::kernels, &launch_and_wait},
    launch_check{ops::additional_launch::info.name, of::kernels, &launch_another},
    launch_check{ops::launch_call::info.name, of::kernels, &launch_timed},
    launch_check{ops::cooperative_launch::info.name, of::kernels, &launch_cooperative_and_wait},
    launch_check{ops::additional_cooperative_launch::info.name, of::kernels,
                 &launch_another_cooperative},
    launch_check{ops::graph_launch::info.name, of::kernels, &launch_chain_and_wait},
    launch_check{ops::additional_graph_launch::info.name, of::kernels, &launch_another_chain},
    launch_check{ops::programmatic_launch::info.name, of::kernels, &launch_programmatic},
    launch_check{ops::kernel_split::info.name, of::units},
    launch_check{ops::programmatic_split::info.name, of::units},
    launch_check{ops::blocking_copy::info.name, of::copies},
    launch_check{ops::stream_order::info.name, of::order},
    launch_check{ops::stream_event_order::info.name, of::order},
    launch_check{ops::event_record_wait::info.name, of::nothing}};

const launch_check& check_of(std::string_view op) {
  const auto found = std::ranges::find(checks, op, &launch_check::op);
  if (found == checks.end())
    throw std::logic_error(fmt::format("no check is defined for op {}", op));
  return *found;
}

// A graph of more kernels takes longer to make than all else that is measured here.
constexpr unsigned most_nodes = 16384;

}  // namespace

launch_rig::launch_rig(const device_facts& device) : device_{device} {
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

void launch_rig::check_shape(const point& where) const {
  if (where.lanes > device_.max_threads_per_block) {
    throw point_refused(fmt::format("--lanes {}: a block has at most {} threads on {}", where.lanes,
                                    device_.max_threads_per_block, device_.name));
  }
  if (where.active != 0)
    throw point_refused("--active is not supported by launches: the kernel is empty");
  if (what_->info.launching == launching::cooperative) {
    int at_once = 0;
    SM_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, null_kernel(),
                                                          static_cast<int>(where.lanes), 0));
    const auto fit = static_cast<unsigned>(at_once) * device_.multiprocessors;
    if (where.blocks > fit) {
      throw point_refused(fmt::format("--blocks {}: all blocks of a cooperative launch must be "
                                      "resident at once; {} runs at most {} of {} threads",
                                      where.blocks, device_.name, fit, where.lanes));
    }
  }
  if (what_->info.is(ops::launch_kind::programmatic) && device_.largest_cluster == 0)
    throw point_refused(
        fmt::format("programmatic dependent launch needs compute capability 9.0; {} has {}",
                    device_.name, device_.compute_capability));
  if (what_->info.size_of.empty()) return;
  if (where.size == 0) throw point_refused("needs --size: the number of kernels in the graph");
  if (where.size > most_nodes)
    throw point_refused(
        fmt::format("--size {}: a graph has at most {} kernels here", where.size, most_nodes));
}

void launch_rig::place_thread(const point& where) {
  pus_.clear();
  if (where.home == home::none) return;
  if (!neighbours_) {
    std::array<char, 32> bus_id{};
    SM_CUDA(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device_.index));
    const auto machine = topology::of_this_machine();
    std::vector<int> allowed;
    for (const processing_unit& unit : machine.units()) allowed.push_back(unit.os);
    neighbours_ = neighbours_of(bus_id.data(), allowed);
  }
  try {
    pus_ = pus_for(where.home, *neighbours_);
  } catch (const std::invalid_argument& none) {
    throw point_refused(none.what());
  }
}

void launch_rig::prepare(const measurable& what, const point& where) {
  what_ = &what;
  check_ = &check_of(what.info.name);
  check_shape(where);
  place_thread(where);
  queue_.blocks = where.blocks;
  queue_.lanes = where.lanes;
  queue_.counts = nullptr;
  kernels_per_op_ = std::max(where.size, 1U);
  if (!what.info.size_of.empty()) {
    queue_.chain.make(where.size, where.blocks, where.lanes, nullptr);
    queue_.counting_chain.make(where.size, where.blocks, where.lanes, queue_.board);
    SM_CUDA(cudaGraphUpload(queue_.chain.get(), queue_.first.get()));
  }
}

sample launch_rig::take(std::size_t index, std::uint32_t trips) {
  const scoped_affinity these{pus_};
  return host_loop_rig::take(index, trips);
}

// In the stream and waited for: a plain cudaMemcpy of so little may return before it is done, and
// these streams do not wait for it.
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

// Kernels that count write to memory, which each of them then waits for: that would be a part of
// what is timed. So those of a sample do nothing, and the same call with kernels that count comes
// before it and after it.
std::string launch_rig::count_kernels() {
  set_board({});
  queue_.counts = queue_.board;
  check_->word(queue_);
  wait_for_all(queue_);
  queue_.counts = nullptr;
  const auto counted = read_board().count;
  if (counted == kernels_per_op_) return {};
  return fmt::format("oracle: {} kernels ran in one {}, expected {}", counted, what_->info.name,
                     kernels_per_op_);
}

void launch_rig::begin_sample() {
  before_ = check_->kind == of::kernels ? count_kernels() : "";
  set_board({.count = check_->kind == of::copies ? copied_word : 0U});
  queue_.calls = queue_.right = 0;
  queue_.pending = 0;
  queue_.in_call_ns = 0;
}

double launch_rig::counted_ns(double whole_ns, std::uint64_t ops) const {
  if (what_->info.name != ops::launch_call::info.name) return whole_ns;
  const double in_calls =
      static_cast<double>(queue_.in_call_ns) - clock_ns_ * static_cast<double>(ops);
  return std::max(in_calls, 0.0);
}

std::string launch_rig::verdict(std::uint64_t ops) {
  if (!before_.empty()) return before_;
  if (queue_.calls != ops)
    return fmt::format("oracle: {} calls were made, expected {}", queue_.calls, ops);
  switch (check_->kind) {
  case of::kernels:
    return count_kernels();
  case of::units: {
    constexpr std::uint64_t units_in_step = 2;
    const auto done = read_board().count;
    if (done == units_in_step * ops) return {};
    return fmt::format("oracle: {} units of work were done, expected {}", done,
                       units_in_step * ops);
  }
  case of::order: {
    const launch_board board = read_board();
    if (board.count == ops && board.wrong == 0) return {};
    return fmt::format("oracle: after {} kernels in order the counter is {}, and {} kernels did "
                       "not see their predecessor's value",
                       ops, board.count, board.wrong);
  }
  case of::copies:
    if (queue_.right == ops) return {};
    return fmt::format("oracle: {} of {} copies returned the device's value", queue_.right, ops);
  case of::nothing:
    break;
  }
  return {};
}

void launch_rig::describe(nlohmann::json& visit) const {
  visit["device"] = device_.index;
  if (pus_.empty()) return;
  visit["launching_thread"] = {{"pus", pus_}};
  if (neighbours_->numa_node >= 0)
    visit["launching_thread"]["device_numa_node"] = neighbours_->numa_node;
}

}  // namespace syncmeter::cuda
