// The rig of a token between two multiprocessors of the caller's choice. Blocks fill the device, so
// that each multiprocessor has two of them; those of the chosen ones stay, the others leave.
#pragma once

#include <array>

#include "backends/cuda/handoff/handoff_notes.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/sm_clock.hpp"

namespace syncmeter::cuda {

class pair_rig : public gpu_rig {
 public:
  explicit pair_rig(const device_facts& device) : device_{device} {}

  /// A point is two blocks of one warp, its size the partner: 1 is the first multiprocessor itself.
  void prepare(const measurable& what, const point& where) override;
  sample take(std::size_t index, std::uint32_t trips) override;
  void begin_round() override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "multiprocessors", "same_gpc" where it can be told, "gpcs_at_most" (groups of those that
  /// met).
  void describe(nlohmann::json& visit) const override;

  /// Its litmus: how many messages were old.
  std::uint64_t look_at_messages(const void* stub);

 private:
  void check_room(const void* stub) const;
  void launch(const void* stub, std::uint32_t trips);
  [[nodiscard]] std::string problem() const;

  const device_facts& device_;
  stream stream_;
  const measurable* what_ = nullptr;
  unsigned threads_ = 0;  ///< of a block: two of them fill a multiprocessor
  pair_setup setup_;
  device_buffer flags_, counters_, ends_there_;
  pinned_buffer found_;
  std::uint64_t draw_ = 1;
  std::array<unsigned, 2> ran_on_{};
  sm_clock clock_{device_.highest_clock_ghz};
  std::vector<double> ghz_seen_;
  handoff_notes notes_;
};

}  // namespace syncmeter::cuda
