// The CUDA backend of a worker: a table, a device, and the rig that measures on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/cuda_rig.hpp"
#include "core/worker.hpp"

namespace syncmeter::cuda {

class cuda_worker_backend : public worker_backend {
 public:
  explicit cuda_worker_backend(std::vector<measurable> rows) : rows_{std::move(rows)} {}

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] std::string clock() const override { return "device"; }
  [[nodiscard]] const std::vector<measurable>& rows() const override { return rows_; }
  [[nodiscard]] nlohmann::json declares(const measurable& row) const override;
  [[nodiscard]] nlohmann::json runtime() const override;
  [[nodiscard]] nlohmann::json device() const override;
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] unsigned participants(const measurable& row, const point& where) const override;
  [[nodiscard]] double clock_tick_ns(const point& where) const override;
  [[nodiscard]] bool lost() const override;
  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override {
    return row.litmus(rig_.get());
  }
  void describe_visit(nlohmann::json& visit) const override;
  void finish() override {}
  [[nodiscard]] std::vector<double> probe(const std::vector<int>&, double) override { return {}; }

 private:
  std::vector<measurable> rows_;
  bool asked_device_ = false;  ///< then errors may be its own
  const device_facts* device_ = nullptr;
  std::unique_ptr<cuda_rig> rig_;
};

}  // namespace syncmeter::cuda
