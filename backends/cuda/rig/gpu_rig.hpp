// What takes the samples of some rows of a worker on one GPU: kernels timed on the device, a host
// that launches, several devices. The base has what all of them do: it remembers the point, counts
// the ops of a sample, keeps the clocks that ran, and describes the visit.
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
  /// `device` must outlive this.
  explicit gpu_rig(const device_facts& device)
      : device_{device}, clock_{device.highest_clock_ghz} {}

  std::int64_t now_ns() final;
  /// Makes ready for a visit of one point. Throws point_refused (core/worker/worker.hpp) when the
  /// device cannot hold it, cuda_error when a call fails.
  void prepare(const measurable& what, const point& where, unsigned visit);
  /// Throws std::runtime_error where the row has no loop of counts[index] measured ops.
  sample take(std::size_t index, std::uint32_t trips) final;
  /// After a point: the calling thread is as it was.
  virtual void finish() {}
  /// Runs a row's litmus on the point made ready; how often it saw what must not be.
  [[nodiscard]] virtual std::uint64_t litmus(const measurable& row) { return row.litmus(*this); }
  /// Adds what only the rig knows to a visit: of every rig "device", and of one that reads the
  /// multiprocessors' clock "sm_clock_ghz", the median or those of several devices.
  virtual void describe(nlohmann::json& visit) const;

  /// For the bodies of rows: how often the loop of the sample under way is repeated.
  [[nodiscard]] std::uint32_t trips() const { return trips_; }

 protected:
  /// The rest of prepare() and take(): what is special to a rig.
  virtual void prepare_point() = 0;
  virtual sample measure(std::size_t index) = 0;

  /// Of each lane in the sample under way.
  [[nodiscard]] std::uint64_t ops(std::size_t index) const;
  /// Keeps the clock that ran in a sample; one that is throttled, of the first device, is dropped.
  void note_clock(sample& taken, double ghz, std::size_t device = 0);
  [[nodiscard]] double last_ghz() const { return clock_.last_ghz(); }
  /// Adds "footprint_bytes" and "fits_l2".
  void describe_footprint(nlohmann::json& visit, std::size_t bytes) const;
  /// Throw point_refused where a block is larger than the device's; where blocks of a `what` must
  /// consist of whole warps, where they do not.
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

/// Rows that one kind of rig measures.
struct row_group {
  std::vector<measurable> rows;
  std::unique_ptr<gpu_rig> (*make_rig)(const device_facts& device) = nullptr;
  /// What one measured op of a row should compile to, by instruction set; empty: not declared.
  nlohmann::json (*declares)(const measurable& row) = nullptr;
};

template <class Rig> std::unique_ptr<gpu_rig> make_rig(const device_facts& device) {
  return std::make_unique<Rig>(device);
}

}  // namespace syncmeter::cuda
