// The levels of synchronization: where software barriers have their words, the rig, and the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

/// op_info::kind of the levels whose points have rules of their own.
enum class level : std::uint8_t { other, tile, coalesced_group, software_barrier, transaction };

/// Where software barriers of a grid have their counters and flags: words of kernel_setup::board,
/// all zero before a launch. What different blocks write at once is on lines of its own, but for
/// the flags of the lock-free one, which are side by side as published.
namespace board {

inline constexpr unsigned words_per_line = 32;
inline constexpr unsigned counter = 0;
inline constexpr unsigned flag = words_per_line;
inline constexpr unsigned first_group = 2 * words_per_line;
inline constexpr unsigned most_groups = 256;
inline constexpr unsigned most_blocks = most_groups * most_groups;
inline constexpr unsigned first_flag = first_group + most_groups * words_per_line;

/// Of a grid's board.
[[nodiscard]] constexpr std::size_t bytes_for(unsigned blocks) {
  return (first_flag + 2 * std::size_t{blocks}) * sizeof(unsigned);
}

}  // namespace board

/// The rig of kernels, with a board for barriers in software, and a check at the point's own
/// launch.
class levels_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;

  /// Runs a litmus kernel on the grid of the point, clusters and all.
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

/// All of them, their rig, and what their machine code is declared to be.
[[nodiscard]] row_group levels_group();

}  // namespace syncmeter::cuda
