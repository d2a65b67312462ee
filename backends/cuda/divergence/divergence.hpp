// The rows of the study of divergence, the rig that measures them, and what they compile to.
#pragma once

#include "backends/cuda/ops/divergence_paths.hpp"
#include "backends/cuda/rig/checked_rig.hpp"

namespace syncmeter::cuda {

class divergence_rig : public checked_rig {
 public:
  using checked_rig::checked_rig;

 private:
  void prepare_more(const measurable& what, const point& where, kernel_setup& setup) override;
  void queue_check(const kernel_setup& setup, std::uint64_t ops, own_outcome* found,
                   cudaStream_t stream) override;

  const measurable* what_ = nullptr;
  unsigned size_ = 1;
  device_buffer expected_;
};

/// Lanes of a launch, and how they diverge.
struct diverging_lanes {
  unsigned lanes = 1, of_block = 1;
  divergence by = divergence::none;
  unsigned paths = 1;
};
/// Queues the comparison of each lane's word with the one expected of its first path.
void check_words(const diverging_lanes& who, const lane_outcome* outcomes,
                 const std::uint32_t* expected, own_outcome* found, cudaStream_t stream);

[[nodiscard]] std::vector<measurable> divergence_rows();
[[nodiscard]] nlohmann::json divergence_instructions(const measurable& row);
[[nodiscard]] inline row_group divergence_group() {
  return {divergence_rows(), &make_rig<divergence_rig>, &divergence_instructions};
}

}  // namespace syncmeter::cuda
