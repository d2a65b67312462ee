// Takes samples on several devices at once: one kernel on each, a gate that all of them pass, and
// the longest of their own times. Devices' clocks are never compared with each other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/cuda/multi/multi_setup.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/peer_devices.hpp"

namespace syncmeter::cuda {

class multi_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  /// How often the forbidden came about; 0 for a form that does not forbid it, whose count is only
  /// in the visit.
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "devices", "links", "litmus_seen", "litmus_rounds", "device_shares".
  void describe(nlohmann::json& visit) const override;

  /// Runs a litmus kernel; how often it saw what must not be.
  std::uint64_t run_litmus(const void* stub);

 private:
  /// What the rig has on a device; made while that is the current one.
  struct device_state {
    int index = 0;
    stream queue;
    device_buffer board, boards, records;
    pinned_buffer host_board, host_records;

    [[nodiscard]] const multi_record* first_record() const {
      return static_cast<const multi_record*>(host_records.get());
    }
  };

  void prepare_point() override;
  sample measure(std::size_t index) override;
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
  [[nodiscard]] bool with_host() const { return what_->info.is(across_devices::with_host); }
  /// Calls do_on(device_state) with each device of the point as the current one.
  template <class Do> void on_each_device(const Do& do_on) {
    for (unsigned i = 0; i < devices_; ++i) {
      const scoped_device here{device_states_[i]->index};
      do_on(*device_states_[i]);
    }
  }

  std::vector<std::unique_ptr<device_state>> device_states_;
  unsigned devices_ = 1;
  unsigned round_ = 0;
  bool gates_clear_ = false;
  pinned_buffer host_board_;  ///< mailboxes and data of a token between host and device
  std::string host_timeout_;
  unsigned host_wrong_ = 0;
  std::vector<double> shares_;   ///< of each device in the last sample: rate over the mean rate
  std::uint64_t forbidden_ = 0;  ///< outcomes that the litmus saw
  bool litmus_ran_ = false;
  std::map<std::string, std::string> unreached_;  ///< points whose token never came, and why
};

/// Barriers, adds and handoffs that kernels do.
[[nodiscard]] std::vector<measurable> multi_rows();
[[nodiscard]] nlohmann::json multi_declares(const measurable& row);

/// One device's accesses to its own memory, a peer's and the host's, with the rig of one device
/// whose cells lie there.
[[nodiscard]] std::vector<measurable> remote_rows();
[[nodiscard]] row_group remote_group();

}  // namespace syncmeter::cuda
