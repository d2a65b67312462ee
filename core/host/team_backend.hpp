// A CPU backend whose lanes are those of a thread_team or a process_team.
#pragma once

#include <utility>
#include <vector>

#include "core/host/host_worker.hpp"
#include "core/host/thread_team.hpp"

namespace syncmeter {

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
