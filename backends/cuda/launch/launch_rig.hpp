// Takes samples of a host thread that launches: streams, graphs and events for one point, where the
// thread runs, and the check that what was launched has run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/launch/launch_queue.hpp"
#include "backends/cuda/rig/host_loop.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter::cuda {

/// What a sample of an op has to leave behind.
struct launch_check;

class launch_rig final : public host_loop_rig {
 public:
  explicit launch_rig(const device_facts& device);

  void prepare(const measurable& what, const point& where) override;
  sample take(std::size_t index, std::uint32_t trips) override;
  /// Adds "device", and "launching_thread": the PUs it is kept on, and the GPU's NUMA node.
  void describe(nlohmann::json& visit) const override;

  void begin_sample() override;
  void wait() override { wait_for_all(queue_); }
  [[nodiscard]] double counted_ns(double whole_ns, std::uint64_t ops) const override;
  [[nodiscard]] std::string verdict(std::uint64_t ops) override;

  /// What the lane's words work on.
  [[nodiscard]] launch_queue& queue() { return queue_; }

 private:
  void check_shape(const point& where) const;
  void place_thread(const point& where);
  void set_board(const launch_board& board);
  [[nodiscard]] launch_board read_board();
  [[nodiscard]] std::string count_kernels();

  const device_facts& device_;
  const launch_check* check_ = nullptr;
  unsigned kernels_per_op_ = 1;
  launch_queue queue_;
  device_buffer board_;
  double clock_ns_ = 0;                          ///< from one reading of the clock to the next
  std::string before_;                           ///< what was wrong before the clock started
  std::optional<device_neighbours> neighbours_;  ///< asked for once, where a point has a home
  std::vector<int> pus_;                         ///< of the thread that launches; none: anywhere
};

}  // namespace syncmeter::cuda
