// Synchronization levels: the words for software barriers, the rig, and the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

/// op_info::kind of the levels with their own rules for points.
enum class level : std::uint8_t { other, tile, coalesced_group, software_barrier, transaction };

/// The layout of counters and flags for grid barriers in software: words in kernel_setup::board,
/// all zero before a launch. Different blocks write different lines at once. The lock-free barrier
/// is the exception: its flags are adjacent as published.
namespace board {

inline constexpr unsigned words_per_line = 32;
inline constexpr unsigned counter = 0;
inline constexpr unsigned flag = words_per_line;
inline constexpr unsigned first_group = 2 * words_per_line;
inline constexpr unsigned most_groups = 256;
inline constexpr unsigned most_blocks = most_groups * most_groups;
inline constexpr unsigned first_flag = first_group + most_groups * words_per_line;

/// Returns the board size for a grid.
[[nodiscard]] constexpr std::size_t bytes_for(unsigned blocks) {
  return (first_flag + 2 * std::size_t{blocks}) * sizeof(unsigned);
}

}  // namespace board

/// The kernels' rig with a board for barriers in software, and a check at the point's own launch.
class levels_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;

  /// Runs a litmus kernel on the point's grid, including its clusters.
  [[nodiscard]] std::uint64_t run_litmus_here(const kernel_call& kernel);

 protected:
  void prepare_more() override;
  void queue_more_resets() override;
  sample measure(std::size_t index) override;
  [[nodiscard]] bool can_wait_in_queue() const override { return false; }

 private:
  bool waits_in_software_ = false;
  std::size_t board_bytes_ = 0;
  device_buffer board_;
};

[[nodiscard]] std::vector<measurable> rows_tiles();
[[nodiscard]] std::vector<measurable> rows_coalesced();
[[nodiscard]] std::vector<measurable> rows_chains();
[[nodiscard]] std::vector<measurable> rows_blocks();
[[nodiscard]] std::vector<measurable> rows_clusters();
[[nodiscard]] std::vector<measurable> rows_grids();

/// Returns all rows with their rig and their declared machine code.
[[nodiscard]] row_group levels_group();

}  // namespace syncmeter::cuda
