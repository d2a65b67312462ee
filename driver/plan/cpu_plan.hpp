// Plans the points of a study on this machine's CPUs (lanes, their PUs, cells, launches) and lists
// refusals.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/machine/topology.hpp"
#include "driver/plan/offered_ops.hpp"
#include "driver/plan/options.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/plan/study.hpp"

namespace syncmeter {

class cpu_planner {
 public:
  /// Throws usage_error for lanes and PUs that are not available. All three must outlive this
  /// object.
  cpu_planner(const run_options& options, const topology& machine, const cpu_grant& grant);

  /// Adds the points for one op in a study's rule, except points planned already.
  void add(const offered_op& op, const study_axes& axes);

  [[nodiscard]] std::vector<planned_point> take_points() {
    return merge_equal(std::move(candidates_));
  }
  [[nodiscard]] std::vector<refused_point> take_refused() { return std::move(refused_); }

 private:
  void add_lanes(const count_range& range);
  [[nodiscard]] std::vector<order> orders_for(const offered_op& op) const;
  void add_cells(const offered_op& op, const study_axes& axes, std::optional<value_type> type,
                 enum order o, placement where);
  [[nodiscard]] std::vector<unsigned> numbers_of_lanes(const study_axes& axes,
                                                       const std::vector<int>& pus) const;
  [[nodiscard]] std::vector<affinity> affinities_of(const offered_op& op, const study_axes& axes,
                                                    const point& p) const;
  void add_launches(const offered_op& op, const study_axes& axes, const point& p);
  void add_point(const offered_op& op, const point& p, const study_axes& axes);
  void refuse(const point& p, const std::string& status, const std::string& reason,
              unsigned lanes = 0);
  [[nodiscard]] std::vector<int> place(affinity policy, unsigned lanes) const;

  const run_options& options_;
  const topology& machine_;
  const cpu_grant& grant_;
  unsigned max_;
  std::vector<unsigned> lanes_;  // from the user, or empty for the study's lanes
  std::vector<candidate> candidates_;
  std::vector<refused_point> refused_;
  std::set<std::string> refused_keys_, planned_;
};

}  // namespace syncmeter
