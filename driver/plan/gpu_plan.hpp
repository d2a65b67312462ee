// Plans the points of a study on one GPU (forms, grids and cells) and lists refusals.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/plan/offered_ops.hpp"
#include "driver/plan/options.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/study.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// Visits to a GPU's point unless the user gives a number. The device has no neighbours, and lanes
/// read its own clock.
inline constexpr unsigned usual_gpu_visits = 3;

/// Returns the first and last number of blocks for a list element, given the threads per block.
[[nodiscard]] std::pair<unsigned, unsigned> resolve(const count_range& blocks,
                                                    const gpu_device& gpu, unsigned threads);

class gpu_planner {
 public:
  /// Throws usage_error for --threads beyond the threads of a block. Both must outlive this object.
  gpu_planner(const run_options& options, const gpu_device& gpu);

  /// Adds the points for one op in a study's rule, except points planned already.
  void add(const offered_op& op, const gpu_axes& axes);

  [[nodiscard]] std::vector<planned_point> take_points() { return std::move(points_); }
  [[nodiscard]] std::vector<refused_point> take_refused() { return std::move(refused_); }

 private:
  using grid_shape = std::pair<unsigned, unsigned>;  // blocks, threads

  [[nodiscard]] std::vector<grid_shape> grid_shapes_of(const gpu_axes& axes) const;
  [[nodiscard]] std::vector<const capability*> rows_of(const offered_op& op, form_set forms,
                                                       std::optional<value_type> type,
                                                       placement where) const;
  [[nodiscard]] bool refuse_missing_values(const offered_op& op);
  void add_cells(const offered_op& op, const gpu_axes& axes, const capability& row, point p);
  void add_point(const offered_op& op, const capability& row, point p, bool additivity);
  [[nodiscard]] std::string why_unsupported(const offered_op& op, const capability& row,
                                            const point& p) const;
  void refuse(const point& p, const std::string& reason, bool for_its_grid = false,
              const char* status = "unsupported");

  const run_options& options_;
  const gpu_device& gpu_;
  std::vector<unsigned> threads_;  // from the user, or empty for the study's threads
  std::vector<planned_point> points_;
  std::vector<refused_point> refused_;
  std::set<std::string> planned_, refused_keys_;
};

/// Throws usage_error when an option for GPUs is given and no GPU is in use.
void require_gpu_for(const run_options& options);

}  // namespace syncmeter
