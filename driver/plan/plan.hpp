// From options, capabilities and the machine to the list of points that a campaign measures.
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

/// One of two builds, or environments of one build, that a campaign compares.
struct build_arm {
  std::string name;                      ///< "old"
  std::string path;                      ///< a worker, or a folder that holds them
  std::vector<std::string> environment;  ///< NAME=VALUE, besides what every worker has
};

struct compared_arms {
  std::array<build_arm, 2> arms;
  double threshold = 0.01;   ///< a smaller change, as a share, is none
  bool all = false;          ///< points of equal code are measured too
  bool looks_again = false;  ///< undecided points are visited until the budget is spent
  bool any_backend = false;  ///< one worker against another: its backends may have other names
  bool any_wait = false;     ///< the environments name different ways of waiting
  std::size_t equal = 0;     ///< points that are not measured: equal machine code in both arms
  std::array<std::vector<std::string>, 2> only{};  ///< points that one arm alone has
};

/// Equal for those points of the two arms that are compared.
[[nodiscard]] std::string arm_key(point p, const compared_arms& arms);

/// As the campaign line has them.
[[nodiscard]] nlohmann::json arms_json(const compared_arms& arms);
/// What a campaign line says of arms; nothing where it is of a campaign without. Throws usage_error
/// naming the file where it cannot be read.
[[nodiscard]] std::optional<compared_arms> arms_in(const nlohmann::json& campaign,
                                                   const std::string& path);

/// One point to measure, where its lanes sit, and which other points it stands for.
struct planned_point {
  point what;
  std::vector<int> pus;              ///< one per lane; -1 = not bound; none on a GPU
  std::optional<unsigned> device{};  ///< a GPU's index; nothing for a CPU's point
  std::vector<unsigned> devices{};   ///< equal GPUs that its visits take by turns; empty: `device`
  std::vector<point> same_as;  ///< equal machine code on equal cells and PUs: measured once, here
  std::string why;             ///< why same_as are the same, for the reader
  bool additivity = false;
  bool watch_states = false;  ///< pair probes even where its lanes have no line in common
  unsigned visits = 5;
  unsigned rounds_at_once = 1;  ///< that its worker may queue
  unsigned stage = 0;           ///< all visits of a stage come before those of the next
  nlohmann::json census{};  ///< what its loops compiled to, for the results; null when not known
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
  std::size_t worker_starts = 0;        ///< of its workers, over all passes
  std::optional<double> budget_s{};     ///< where the options name none
  bool layouts_together = false;        ///< as in its study
  bool ops_together = false;            ///< as in its study
  bool waits_together = false;          ///< as in its study
  std::string backends_missing{};       ///< a sentence on what the study compares and has no worker
  std::string left_out{};               ///< as in its study, with those backends
  std::vector<std::string> missing{};   ///< with --resume: what the campaign began with and cannot
                                        ///< be measured now, a sentence for each backend
  std::optional<compared_arms> arms{};  ///< where two builds are compared
  std::vector<std::array<std::size_t, 2>> pairs{};  ///< of points: those of the arms' that are
                                                    ///< compared, and visited in turn
};

/// Visits of a point on a CPU, unless --repetitions or its study say another number.
inline constexpr unsigned usual_cpu_visits = 5;

/// Throws usage_error for unknown studies, ops, types, backends, or lanes beyond what is allowed.
[[nodiscard]] campaign_plan make_plan(const run_options& options,
                                      const std::vector<worker_info>& workers,
                                      const topology& machine, const cpu_grant& grant);

/// The longest that one visit of this point may take.
[[nodiscard]] double max_visit_s(const planned_point& point, const run_options& options);

/// Names of the workers that these options measure with where they are installed: those of
/// --backend, else what the study compares.
[[nodiscard]] std::vector<std::string> workers_for(const run_options& options);

/// Backends that its study compares and no worker here has, where --backend does not choose.
[[nodiscard]] std::vector<std::string> backends_lacking(const run_options& options,
                                                        const std::vector<worker_info>& workers);

}  // namespace syncmeter
