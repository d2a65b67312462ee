// syncmeter-omp-target: OpenMP on a GPU, by g++ offloading.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/omp_target/target_backend.hpp"
#include "backends/omp_target/target_device.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::omp_target {
namespace {

std::vector<measurable> all_rows() {
  std::vector<measurable> all = rows_of<void>();
  for (auto&& some :
       {rows_of<std::int32_t>(), rows_of<std::uint64_t>(), rows_of<float>(), rows_of<double>()})
    all.insert(all.end(), some.begin(), some.end());
  // A g++ thread is a warp, and a lane in ops whose lanes are threads.
  for (measurable& row : all) row.info.ring_of_lanes = row.info.family == family::handoff;
  return all;
}

class openmp_on_device final : public worker_backend {
 public:
  [[nodiscard]] std::string name() const override { return SM_BACKEND_NAME; }
  [[nodiscard]] std::string clock() const override { return "device"; }
  [[nodiscard]] std::string native_of() const override { return "cuda"; }
  [[nodiscard]] const std::vector<measurable>& rows() const override { return rows_; }
  [[nodiscard]] nlohmann::json declares(const measurable& row) const override {
    return declared_instructions(row);
  }
  [[nodiscard]] nlohmann::json runtime() const override {
    return {{"api", fmt::format("OpenMP {}", _OPENMP)}};
  }
  [[nodiscard]] nlohmann::json device() const override {
    return {{"architectures", nlohmann::json::array()}, {"devices", find_devices().devices}};
  }
  [[nodiscard]] std::string problem() const override { return find_devices().problem; }
  [[nodiscard]] unsigned participants(const measurable& row, const point& where) const override {
    if (row.info.host_lane) return 1;
    return row.info.ring_of_lanes ? where.lanes : where.lanes * std::max(where.blocks, 1U);
  }
  [[nodiscard]] double clock_tick_ns(const point& where) const override {
    return where.blocks == 1 ? 1 : 32;
  }
  // Without a device, many threads may share a processing unit.
  [[nodiscard]] double set_up_ns(const measurable&, const point&) const override {
    return runs_on_host() ? 30e9 : 2e9;
  }
  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override {
    const int device = runs_on_host() ? omp_get_initial_device() : lanes.device;
    if (rig_ == nullptr || device != device_) rig_ = std::make_unique<target_rig>(device);
    device_ = device;
    rig_->prepare(row, where, lanes.visit);
    asked_ = lanes.device;
    return *rig_;
  }
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override { return row.litmus(*rig_); }
  void describe_visit(nlohmann::json& visit) const override {
    visit["device"] = asked_;
    if (rig_ != nullptr) rig_->describe(visit);
  }
  void finish() override {
    if (rig_ != nullptr) rig_->finish();
  }
  [[nodiscard]] std::vector<double> probe(const std::vector<int>&, double) override { return {}; }

 private:
  std::vector<measurable> rows_ = all_rows();
  std::unique_ptr<target_rig> rig_;
  int device_ = 0, asked_ = 0;
};

worker_backends make_backends() {
  auto backend = std::make_shared<openmp_on_device>();
  return {backend, {backend.get()}};
}

}  // namespace
}  // namespace syncmeter::omp_target

int main(int argc, char** argv) {
  using namespace syncmeter;
  return worker_main({SM_BACKEND_NAME, SM_COMPILER, SM_FLAGS},
                     &syncmeter::omp_target::make_backends, argc, argv);
}
