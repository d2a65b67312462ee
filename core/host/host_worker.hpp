// A CPU backend of a worker: a table and a team, everything else is shared
// (core/host/host_rig.hpp).
#pragma once

#include <string>
#include <vector>

#include "core/host/host_rig.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter {

/// The machine as this process sees it. In static memory: lanes that are processes of one program,
/// loaded at one address, find their own where the leading one has its.
[[nodiscard]] const topology& machine_of_this_process();

class host_worker_backend : public worker_backend {
 public:
  /// `objects` is handed to every lane (lane_setup::backend) and must outlive this.
  host_worker_backend(std::vector<measurable> rows, team_runner runner, team_releaser releaser,
                      void* objects);

  [[nodiscard]] std::string clock() const override { return "host lanes"; }
  [[nodiscard]] const std::vector<measurable>& rows() const override { return rows_; }
  bench& prepare(const measurable& row, const point& where, const lane_request& lanes) override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override { return row.litmus(*rig_); }
  void describe_visit(nlohmann::json& visit) const override;
  void finish() override { rig_->finish(); }
  [[nodiscard]] std::vector<double> probe(const std::vector<int>& pus, double seconds) override;

 private:
  const topology& machine_;
  std::vector<measurable> rows_;
  lane_owner<host_rig> rig_;
};

}  // namespace syncmeter
