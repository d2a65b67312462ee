// The rig of the one-shot chain: a grid of many blocks, whose warps wait for one flag until it is
// their turn. Of a chain of 2^20 warps the cost of one handoff is needed, not the whole: both sides
// launch the same kernel, the test side with a chain that is `trips` launches of the point longer.
// Behind the chain stand as many blocks more as run at once, so that at its end it still has all
// the pollers that it has in the middle; the last handoff lets them go.
#pragma once

#include "backends/cuda/handoff/handoff_notes.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {

class chain_rig : public gpu_rig {
 public:
  explicit chain_rig(const device_facts& device) : device_{device} {}

  /// A point is the blocks and threads of one trip; one lane of each warp works.
  void prepare(const measurable& what, const point& where) override;
  sample take(std::size_t index, std::uint32_t trips) override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "waiting_warps", which poll at any time.
  void describe(nlohmann::json& visit) const override;

  /// Runs a kernel of chain_rows.cu on the chain made ready.
  void launch(const void* stub);
  /// Its litmus: how many messages were old.
  std::uint64_t look_at_messages(const void* stub);

 private:
  /// What is wrong with what the chain left behind; empty when nothing is.
  [[nodiscard]] std::string verdict();

  const device_facts& device_;
  stream stream_;
  event begin_, end_;
  const measurable* what_ = nullptr;
  unsigned blocks_ = 0, lanes_ = 0;
  std::uint64_t waiting_warps_ = 0;
  std::uint64_t length_ = 0;  ///< of the chain, in warps
  std::size_t poll_bytes_ = 0;
  chain_setup setup_;
  device_buffer words_, polls_, data_;
  pinned_buffer found_, polls_here_;
  handoff_notes notes_;
};

}  // namespace syncmeter::cuda
