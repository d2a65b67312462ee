// Takes samples on several devices at once: one kernel on each, a gate that all of them pass, and
// the longest of their own times. Devices' clocks are never compared with each other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/multi/multi_setup.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/sm_clock.hpp"

namespace syncmeter::cuda {

class multi_rig : public gpu_rig {
 public:
  explicit multi_rig(const device_facts& device);
  ~multi_rig() override;
  multi_rig(const multi_rig&) = delete;
  multi_rig& operator=(const multi_rig&) = delete;

  void prepare(const measurable& what, const point& where) override;
  sample take(std::size_t index, std::uint32_t trips) override;
  /// How often the forbidden was seen; 0 for a form that does not forbid it, whose count only the
  /// visit tells.
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "devices", "links", "sm_clock_ghz" (of each device), "litmus_seen", "litmus_rounds",
  /// "device_shares".
  void describe(nlohmann::json& visit) const override;

  /// Runs a litmus kernel; how often it saw what must not be.
  std::uint64_t run_litmus(const void* stub);

 private:
  struct device_state;

  void prepare_devices();
  void check_blocks(const void* stub);
  void clear_gates();
  void clear_boards(std::size_t bytes);
  void launch_all(const void* stub, std::uint32_t trips);
  void wait_for_all();
  [[nodiscard]] std::string why_timed_out() const;
  [[nodiscard]] std::string verdict(std::uint64_t ops) const;
  void read_clocks(sample& taken);
  void copy_results();
  [[nodiscard]] multi_setup setup_of(unsigned place) const;
  /// Whether the point's form promises what its litmus looks for.
  [[nodiscard]] bool promises_order() const;
  /// Whether the host is the other side.
  [[nodiscard]] bool with_host() const;

  const device_facts& device_;
  const measurable* what_ = nullptr;
  point where_;
  std::vector<std::unique_ptr<device_state>> device_states_;
  unsigned devices_ = 1;
  unsigned round_ = 0;
  bool gates_clear_ = false;
  pinned_buffer host_board_;  ///< mailboxes and data of a token between host and device
  std::string host_timeout_;
  unsigned host_wrong_ = 0;
  sm_clock clock_;
  seen_clocks clocks_seen_;
  std::vector<double> shares_;  ///< of each device in the last sample: rate over the mean rate
  std::uint64_t seen_ = 0;
  bool litmus_ran_ = false;
  std::map<std::string, std::string> unreached_;  ///< points whose token never came, and what was
                                                  ///< said of it
};

}  // namespace syncmeter::cuda
