// The rows of the study of coalescing, the rig that measures them, and what they compile to.
#pragma once

#include "backends/cuda/lane/memory_places.hpp"
#include "backends/cuda/rig/checked_rig.hpp"

namespace syncmeter::cuda {

/// The lanes' words: made once for all points. A point's working set begins elsewhere in them each
/// time: nothing of the last sample may be in L2 when it is to come from device memory.
class coalescing_rig : public checked_rig {
 public:
  using checked_rig::checked_rig;
  /// Adds "working_set_bytes".
  void describe(nlohmann::json& visit) const override;

 private:
  void prepare_more(const measurable& what, const point& where, kernel_setup& setup) override;
  void queue_first(kernel_setup& setup, cudaStream_t stream) override;
  void queue_check(const kernel_setup& setup, std::uint64_t ops, own_outcome* found,
                   cudaStream_t stream) override;

  const measurable* what_ = nullptr;
  working_set working_set_;
  bool in_l2_ = false;
  bool has_words_ = false;
  std::uint64_t draw_ = 1;
  device_buffer words_, swept_;
};

/// Queues the filling of memory: word i is word_at(i).
void fill_words(std::byte* words, std::size_t bytes, cudaStream_t stream);
inline constexpr unsigned sweep_blocks = 512;
inline constexpr std::size_t sweep_sinks = std::size_t{sweep_blocks} * 256;
/// Queues the reading of so many bytes, past L1: what is in L2 afterwards.
void sweep(const std::byte* words, std::size_t bytes, std::uint32_t* sink, cudaStream_t stream);

/// What the lanes did.
struct finished_reads {
  pattern how = pattern::coalesced;
  working_set what;
  std::uint32_t first_index = 0;  ///< of the working set's first word
  unsigned of_block = 1;          ///< lanes
  std::uint64_t ops = 0;          ///< of each lane
  bool banks = false;             ///< of a block's own memory
};
/// Queues the comparison of each lane's sum with that of the words it had to read.
void check_sums(const finished_reads& done, const lane_outcome* outcomes, own_outcome* found,
                cudaStream_t stream);

[[nodiscard]] std::vector<measurable> coalescing_rows();
[[nodiscard]] nlohmann::json coalescing_instructions(const measurable& row);
[[nodiscard]] inline row_group coalescing_group() {
  return {coalescing_rows(), &make_rig<coalescing_rig>, &coalescing_instructions};
}

}  // namespace syncmeter::cuda
