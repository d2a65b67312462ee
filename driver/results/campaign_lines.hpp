// The lines that the driver itself writes into a results file (docs/reference/results-file.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// Returns the present time as "2026-01-01T00:00:00Z".
[[nodiscard]] std::string utc_now();

/// A backend's part of a plan.
struct plan_share {
  std::size_t points = 0, visits = 0;
};
[[nodiscard]] std::map<std::string, plan_share> shares_of(const campaign_plan& plan);
[[nodiscard]] plan_share whole_share(const campaign_plan& plan);

/// The facts in a campaign's first line.
struct campaign_facts {
  std::vector<std::string> argv;
  run_options options;     ///< with the seed in use
  nlohmann::json machine;  ///< describe_machine()
  cpu_grant grant;
  nlohmann::json scheduler{};                 ///< describe_scheduler(); null: in no job
  std::map<std::string, std::string> gpus{};  ///< each backend's GPU
  std::vector<std::string> gpu_notes{};       ///< busy_gpus()
  nlohmann::json units{};                 ///< places of the PUs in a plan with named PUs, else null
  nlohmann::json busy_pus{};              ///< busy_json() if affinity quiet used it, else null
  std::vector<std::string> lane_notes{};  ///< placement_notes()
  nlohmann::json states;                  ///< placement states; [] for a single state
  std::string states_note;                ///< why the state is single, or the probe's error
};
[[nodiscard]] nlohmann::json campaign_line(const campaign_facts& facts, const campaign_plan& plan);

[[nodiscard]] nlohmann::json same_line(const planned_point& measured, const point& same);
[[nodiscard]] nlohmann::json refused_line(const refused_point& refused);

/// Returns the visit line for a visit without an answer. `status` is failed or timeout.
[[nodiscard]] nlohmann::json lost_visit_line(const planned_point& planned, unsigned visit,
                                             std::string_view status, std::string_view stopped_by,
                                             std::string_view reason);

/// Rounds the numbers in a visit line to seven significant digits. Keeps only the costs of pooled
/// rounds (on a GPU), because nobody reads the rest of a worker's answer again. `visit` is the
/// parsed line. With `keep_rounds`, rounds stay as the worker sent them.
void make_lean(nlohmann::json& line, const visit_record& visit, bool keep_rounds);

/// Returns the lines at a file's end: one per visited point, in order of first appearance, with its
/// estimate in every state. Readers of the file need not estimate again. Points in `same` and
/// `refused` lines have none, because readers apply those lines themselves.
[[nodiscard]] std::vector<nlohmann::json> point_lines(const results_file& file);
/// Returns whether the file ends with a line for every visited point.
[[nodiscard]] bool has_all_point_lines(const results_file& file);

namespace objects {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
/// CPU use by other programs with the same name. The last line has a list of them.
struct programs {
#include "record/programs.def"
};
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
/// CPU use by all programs during a run.
struct cpu_use {
#include "record/cpu_use.def"
};
}  // namespace objects

/// The totals of a campaign's run in the last line.
struct run_totals {
  std::string reason;      ///< "complete", "interrupted", "budget" or "missing"
  std::size_t visits = 0;  ///< visit lines from this run
  double wall_ns = 0;
  double timed_ns = 0;                 ///< inside timed loops and probes
  std::size_t failed = 0;              ///< points in the file that failed or timed out
  std::vector<std::string> missing{};  ///< a sentence for each part of the plan that cannot be
                                       ///< measured
  nlohmann::json scheduler{};          ///< describe_scheduler(); null: in no job
  objects::cpu_use cpu_use{};          ///< cpu_use_between() the run's ends
};
[[nodiscard]] nlohmann::json end_line(const run_totals& totals);

}  // namespace syncmeter
