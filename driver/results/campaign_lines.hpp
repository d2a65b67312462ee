// The lines of a results file that the driver itself writes (docs/results-file.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// Now, as "2026-01-01T00:00:00Z".
[[nodiscard]] std::string utc_now();

/// How much of a plan is of one backend.
struct plan_share {
  std::size_t points = 0, visits = 0;
};
[[nodiscard]] std::map<std::string, plan_share> shares_of(const campaign_plan& plan);
[[nodiscard]] plan_share whole_share(const campaign_plan& plan);

/// What the first line tells of a campaign.
struct campaign_facts {
  std::vector<std::string> argv;
  run_options options;     ///< its seed is the one used
  nlohmann::json machine;  ///< describe_machine()
  cpu_grant grant;
  nlohmann::json scheduler{};                 ///< describe_scheduler(); null: in no job
  std::map<std::string, std::string> gpus{};  ///< the GPU that each backend measures on
  std::vector<std::string> gpu_notes{};       ///< busy_gpus()
  nlohmann::json units{};     ///< where each PU of a plan with named PUs sits; else null
  nlohmann::json busy_pus{};  ///< busy_json(), where affinity quiet went by it; else null
  std::vector<std::string> lane_notes{};  ///< placement_notes()
  nlohmann::json states;                  ///< placement states; [] when there is one
  std::string states_note;                ///< why there is one, or what went wrong with the probe
};
[[nodiscard]] nlohmann::json campaign_line(const campaign_facts& facts, const campaign_plan& plan);

[[nodiscard]] nlohmann::json same_line(const planned_point& measured, const point& same);
[[nodiscard]] nlohmann::json refused_line(const refused_point& refused);

/// The visit line of a visit that has no answer: `status` is failed or timeout.
[[nodiscard]] nlohmann::json lost_visit_line(const planned_point& planned, unsigned visit,
                                             std::string_view status, std::string_view stopped_by,
                                             std::string_view reason);

/// Seven significant digits of every number of a visit line, and of the rounds their costs where
/// they are pooled (on a GPU): a worker's answer says more than anybody reads again. `visit` is
/// what the line holds. `keep_rounds`: the rounds stay as the worker sent them.
void make_lean(nlohmann::json& line, const visit_record& visit, bool keep_rounds);

/// With which a file ends: a line for each point that was visited, in order of first appearance,
/// with its estimate in every state, so that whoever reads the file need not estimate again. Points
/// of `same` and `refused` lines have none: readers apply those themselves.
[[nodiscard]] std::vector<nlohmann::json> point_lines(const results_file& file);
/// Whether the file ends with a line for every point that was visited.
[[nodiscard]] bool has_all_point_lines(const results_file& file);

namespace objects {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
/// What other programs of one name used; the last line has a list of them.
struct programs {
#include "record/programs.def"
};
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
/// Who used the CPUs during a run.
struct cpu_use {
#include "record/cpu_use.def"
};
}  // namespace objects

/// What the last line tells of this run of the campaign.
struct run_totals {
  std::string reason;      ///< "complete", "interrupted", "budget" or "missing"
  std::size_t visits = 0;  ///< visit lines this run wrote
  double wall_ns = 0;
  double timed_ns = 0;                 ///< inside timed loops and probes
  std::size_t failed = 0;              ///< points of the file that failed or timed out
  std::vector<std::string> missing{};  ///< what of the plan cannot be measured: a sentence each
  nlohmann::json scheduler{};          ///< describe_scheduler(); null: in no job
  objects::cpu_use cpu_use{};          ///< cpu_use_between() its ends
};
[[nodiscard]] nlohmann::json end_line(const run_totals& totals);

}  // namespace syncmeter
