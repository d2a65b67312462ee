// Makes the list of points that a campaign measures, from options, capabilities and the machine.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/machine/topology.hpp"
#include "core/point.hpp"
#include "driver/plan/options.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// A build, or an environment of a build, in a comparison between two.
struct build_arm {
  std::string name;                      ///< "old"
  std::string path;                      ///< a worker, or a folder with workers
  std::vector<std::string> environment;  ///< NAME=VALUE, added to every worker's environment
};

struct compared_arms {
  std::array<build_arm, 2> arms;
  double threshold = 0.01;   ///< a smaller change, as a share, does not count
  bool all = false;          ///< also measures points with equal code
  bool looks_again = false;  ///< visits undecided points until the budget is spent
  bool any_backend = false;  ///< one worker against another: backends may differ in name
  bool any_wait = false;     ///< the environments name different ways of waiting
  std::size_t equal = 0;     ///< points with equal machine code in both arms, not measured
  std::array<std::vector<std::string>, 2> only{};  ///< points that only one arm has
};

/// Returns equal keys for the points that both arms compare.
[[nodiscard]] std::string arm_key(point p, const compared_arms& arms);

/// Returns the form in the campaign line.
[[nodiscard]] nlohmann::json arms_json(const compared_arms& arms);
/// Returns the arms in a campaign line, or nothing for a campaign without arms. Throws usage_error
/// with the file's name if they cannot be read.
[[nodiscard]] std::optional<compared_arms> arms_in(const nlohmann::json& campaign,
                                                   const std::string& path);

/// A point to measure, its lanes' places, and the points that it represents.
struct planned_point {
  point what;
  std::vector<int> pus;              ///< one per lane; -1 = not bound; none on a GPU
  std::optional<unsigned> device{};  ///< a GPU's index, nothing for a CPU's point
  std::vector<unsigned> devices{};   ///< equal GPUs that its visits use by turns; empty: `device`
  std::vector<point> same_as;  ///< equal machine code on equal cells and PUs: measured once, here
  std::string why;             ///< why same_as are the same, for the reader
  bool additivity = false;
  bool watch_states = false;  ///< pair probes even if its lanes share no line
  unsigned visits = 5;
  unsigned rounds_at_once = 1;  ///< rounds that its worker may queue
  unsigned stage = 0;           ///< all visits of a stage come before the next stage
  nlohmann::json census{};      ///< machine code facts about its loops, for the results, or null
};

/// A point that is not measured, and why (status unsupported or elided).
struct refused_point {
  point what;
  std::string status, reason;
};

struct campaign_plan {
  std::vector<planned_point> points;
  std::vector<refused_point> refused;
  double predicted_s = 0;
  std::size_t worker_starts = 0;        ///< starts of its workers, over all passes
  std::optional<double> budget_s{};     ///< for options without a budget
  bool layouts_together = false;        ///< from its study
  bool ops_together = false;            ///< from its study
  bool waits_together = false;          ///< from its study
  std::string backends_missing{};       ///< a sentence on backends that the study compares but no
                                        ///< worker has
  std::string left_out{};               ///< from its study, with missing backends
  std::vector<std::string> missing{};   ///< with --resume: a sentence for each backend of the
                                        ///< campaign that cannot be measured now
  std::optional<compared_arms> arms{};  ///< if two builds are compared
  std::vector<std::array<std::size_t, 2>> pairs{};  ///< compared points of the two arms, visited
                                                    ///< alternately
};

/// Visits to a point on a CPU, unless --repetitions or its study gives another number.
inline constexpr unsigned usual_cpu_visits = 5;

/// Throws usage_error for unknown studies, ops, types, backends, or too many lanes.
[[nodiscard]] campaign_plan make_plan(const run_options& options,
                                      const std::vector<worker_info>& workers,
                                      const topology& machine, const cpu_grant& grant);

/// Returns the longest time for one visit to this point.
[[nodiscard]] double max_visit_s(const planned_point& point, const run_options& options);

/// Returns the names of workers to use with the options if installed: from --backend, else the
/// backends that the study compares.
[[nodiscard]] std::vector<std::string> workers_for(const run_options& options);

/// Returns backends in the study without a worker here, unless --backend chooses.
[[nodiscard]] std::vector<std::string> backends_lacking(const run_options& options,
                                                        const std::vector<worker_info>& workers);

}  // namespace syncmeter
