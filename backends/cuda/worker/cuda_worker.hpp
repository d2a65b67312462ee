// The CUDA backend of a worker: a table, a device, and its rigs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/rig/gpu_rig.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

class cuda_worker_backend : public worker_backend {
 public:
  cuda_worker_backend(std::string name, std::vector<row_group> groups);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string clock() const override { return "device"; }
  [[nodiscard]] const std::vector<measurable>& rows() const override { return rows_; }
  [[nodiscard]] nlohmann::json declares(const measurable& row) const override;
  [[nodiscard]] nlohmann::json runtime() const override;
  [[nodiscard]] nlohmann::json device() const override;
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] unsigned participants(const measurable& row, const point& where) const override;
  [[nodiscard]] double clock_tick_ns(const point& where) const override;
  [[nodiscard]] double set_up_ns(const measurable& row, const point& where) const override;
  [[nodiscard]] bool lost() const override;
  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override { return rig_->litmus(row); }
  void describe_visit(nlohmann::json& visit) const override;
  void finish() override;
  [[nodiscard]] std::vector<double> probe(const std::vector<int>&, double) override { return {}; }

 private:
  [[nodiscard]] std::size_t group_of(const measurable& row) const;

  std::string name_;
  std::vector<row_group> groups_;
  std::vector<measurable> rows_;       ///< from all groups, in group order
  std::vector<std::size_t> group_at_;  ///< for each row
  bool asked_device_ = false;          ///< only then an error may come from the device
  const device_facts* device_ = nullptr;
  std::vector<std::unique_ptr<gpu_rig>> rigs_;  ///< per group, made on demand
  gpu_rig* rig_ = nullptr;                      ///< of the prepared point
};

}  // namespace syncmeter::cuda
