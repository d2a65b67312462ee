// A CPU backend of a worker: a table and a team, everything else is shared
// (core/host/host_rig.hpp).
#pragma once

#include <string>
#include <utility>
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
  [[nodiscard]] nlohmann::json declares(const measurable& row) const override;
  void finish() override { rig_->finish(); }
  [[nodiscard]] std::vector<double> probe(const std::vector<int>& pus, double seconds) override;

 private:
  /// What one op of a row should compile to ("lock_add 1"), to which the census holds the compiler;
  /// empty where nothing is declared.
  [[nodiscard]] virtual std::string x86_64(const measurable& /*row*/) const { return {}; }

  const topology& machine_;
  std::vector<measurable> rows_;
  lane_owner<host_rig> rig_;
  bool is_prepared_ = false;  ///< for the last point asked for
};

/// `Objects` is what its lanes share: `team`, and fit(lanes), which makes ready for so many lanes.
template <class Objects> class team_backend : public host_worker_backend {
 public:
  /// `shared` must outlive this. A process has one backend of each kind of objects.
  team_backend(std::vector<measurable> rows, Objects& shared)
      : host_worker_backend{std::move(rows), &run_team, &release_team, &shared} {
    objects_ = &shared;
  }

 private:
  static bool run_team(unsigned lanes, lane_body body, bench& rig) {
    objects_->fit(lanes);
    if constexpr (requires { objects_->team.run(lanes, body, rig); })
      return objects_->team.run(lanes, body, rig);
    else return objects_->team.run(lanes, [&](unsigned lane) { body(rig, lane); });
  }
  static void release_team() { objects_->team.release(); }

  // What the rig calls are plain functions, without an object of ours.
  static inline Objects* objects_ = nullptr;
};

}  // namespace syncmeter
