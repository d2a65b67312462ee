// What takes the samples of some rows of a worker on one GPU, and the rows that go with it: kernels
// timed on the device, a host that launches, several devices.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/cuda/runtime/cuda_device.hpp"
#include "core/harness/harness.hpp"
#include "core/measurable.hpp"
#include "core/point.hpp"

namespace syncmeter::cuda {

class gpu_rig : public bench {
 public:
  std::int64_t now_ns() final;
  /// Makes ready for one point. Throws point_refused (core/worker/worker.hpp) when the device
  /// cannot hold it, cuda_error when a call fails.
  virtual void prepare(const measurable& what, const point& where) = 0;
  /// Runs a row's litmus on the point made ready; how often it saw what must not be.
  [[nodiscard]] virtual std::uint64_t litmus(const measurable& row) = 0;
  /// Adds what only the rig knows to a visit.
  virtual void describe(nlohmann::json& visit) const = 0;
};

/// Throws std::runtime_error where a row has no loop of counts[index] measured ops.
void require_built(const measurable& row, std::size_t index);

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
