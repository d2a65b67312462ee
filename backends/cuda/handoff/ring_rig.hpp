// The rig of a token that goes around a ring of warps: that of kernels, with flags that move
// between rounds, polls that are counted, and a litmus of message passing.
#pragma once

#include <vector>

#include "backends/cuda/handoff/handoff_notes.hpp"
#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

class ring_rig : public cuda_rig {
 public:
  explicit ring_rig(const device_facts& device) : cuda_rig{device} {}

  sample take(std::size_t index, std::uint32_t trips) override;
  /// Moves the flags too: which slice of L2 serves one is half of what a handoff costs.
  void begin_round() override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "multiprocessors" of the first blocks, and what handoff_notes has.
  void describe(nlohmann::json& visit) const override;

  /// Runs a litmus kernel on the launch of the point.
  std::uint64_t look_at_messages(const kernel_call& kernel);

 protected:
  void prepare_more(const measurable& what, const point& where, kernel_setup& setup) override;

 private:
  [[nodiscard]] std::size_t warps() const;
  void place_flags();
  [[nodiscard]] std::string count_polls(std::uint64_t rotations);

  const measurable* what_ = nullptr;
  point where_;
  kernel_setup* setup_ = nullptr;  ///< the base's own
  device_buffer flags_, data_;
  pinned_buffer outcomes_;
  std::uint64_t draw_ = 1;
  std::vector<unsigned> multiprocessors_;  ///< of the first blocks in the last sample
  handoff_notes notes_;
};

}  // namespace syncmeter::cuda
