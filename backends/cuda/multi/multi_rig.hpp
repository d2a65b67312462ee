// Samples on several devices at once: one kernel per device, a common gate, and the longest device
// time. Clocks of different devices are never compared.
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

  /// Returns the number of forbidden outcomes. Returns 0 for a form that allows them, and only the
  /// visit has the count.
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "devices", "links", "litmus_seen", "litmus_rounds", "device_shares".
  void describe(nlohmann::json& visit) const override;

  /// Runs a litmus kernel. Returns the number of forbidden outcomes.
  std::uint64_t run_litmus(const void* stub);

 private:
  /// The rig's objects on a device, made while the device is current.
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
  /// Returns true if the point's form promises the order checked by its litmus.
  [[nodiscard]] bool promises_order() const;
  /// Returns true if the host is the other side.
  [[nodiscard]] bool with_host() const { return what_->info.is(across_devices::with_host); }
  /// Calls do_on(device_state) for each device of the point, as the current device.
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
  pinned_buffer host_board_;  ///< mailboxes and data of host tokens
  std::string host_timeout_;
  unsigned host_wrong_ = 0;
  std::vector<double> shares_;   ///< per device in the last sample: rate over the mean rate
  std::uint64_t forbidden_ = 0;  ///< in the litmus
  bool litmus_ran_ = false;
  std::map<std::string, std::string> unreached_;  ///< points with a lost token, and the reasons
};

/// Returns barriers, adds and handoffs within kernels.
[[nodiscard]] std::vector<measurable> multi_rows();
[[nodiscard]] nlohmann::json multi_declares(const measurable& row);

/// Return one device's accesses to its own, a peer's and the host's memory, with the single-device
/// rig for cells there.
[[nodiscard]] std::vector<measurable> remote_rows();
[[nodiscard]] row_group remote_group();

}  // namespace syncmeter::cuda
