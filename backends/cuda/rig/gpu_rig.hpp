// Samples some rows of a worker on one GPU: kernels timed on the device, a host that launches,
// several devices. The base class keeps the point, counts ops, records clocks, and describes the
// visit.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/cuda/runtime/cuda_device.hpp"
#include "backends/cuda/runtime/sm_clock.hpp"
#include "core/harness/harness.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter::cuda {

class gpu_rig : public bench {
 public:
  /// Keeps a reference to `device`.
  explicit gpu_rig(const device_facts& device)
      : device_{device}, clock_{device.highest_clock_ghz} {}

  std::int64_t now_ns() final;
  /// Prepares for a visit to one point. Throws point_refused (core/worker/worker.hpp) if the device
  /// cannot run it, cuda_error if a call fails.
  void prepare(const measurable& what, const point& where, unsigned visit);
  /// Throws std::runtime_error if the row has no loop of counts[index] measured ops.
  sample take(std::size_t index, std::uint32_t trips) final;
  /// Restores the calling thread after a point.
  virtual void finish() {}
  /// Runs a row's litmus on the prepared point. Returns the number of forbidden outcomes.
  [[nodiscard]] virtual std::uint64_t litmus(const measurable& row) { return row.litmus(*this); }
  /// Adds the rig's own facts to a visit. Every rig adds "device". A rig with the multiprocessors'
  /// clock adds "sm_clock_ghz": the median, or one per device.
  virtual void describe(nlohmann::json& visit) const;

  /// For row bodies: returns the loop repetitions in the current sample.
  [[nodiscard]] std::uint32_t trips() const { return trips_; }

 protected:
  /// The parts of prepare() and take() specific to a rig.
  virtual void prepare_point() = 0;
  virtual sample measure(std::size_t index) = 0;

  /// Returns the ops of each lane in the current sample.
  [[nodiscard]] std::uint64_t ops(std::size_t index) const;
  /// Keeps a sample's clock. Drops a sample of the first device if its clock was throttled.
  void note_clock(sample& taken, double ghz, std::size_t device = 0);
  [[nodiscard]] double last_ghz() const { return clock_.last_ghz(); }
  /// Adds "footprint_bytes" and "fits_l2".
  void describe_footprint(nlohmann::json& visit, std::size_t bytes) const;
  /// Throw point_refused: for a block larger than the device allows, or for blocks of a `what` with
  /// an incomplete warp.
  void require_block_fits() const;
  void require_whole_warps(std::string_view what) const;

  const device_facts& device_;
  const measurable* what_ = nullptr;
  point where_;
  unsigned visit_ = 1;
  std::uint32_t trips_ = 0;

 private:
  sm_clock clock_;
  device_clocks clocks_;
};

/// Rows for one type of rig.
struct row_group {
  std::vector<measurable> rows;
  std::unique_ptr<gpu_rig> (*make_rig)(const device_facts& device) = nullptr;
  /// Returns a row's expected code for one measured op, by instruction set. Empty: not declared.
  nlohmann::json (*declares)(const measurable& row) = nullptr;
};

template <class Rig> std::unique_ptr<gpu_rig> make_rig(const device_facts& device) {
  return std::make_unique<Rig>(device);
}

}  // namespace syncmeter::cuda
