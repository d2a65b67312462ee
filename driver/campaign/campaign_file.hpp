// The results file of a running campaign: new or reopened, and every line that goes into it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/campaign/revisits.hpp"
#include "driver/campaign/visit_log.hpp"
#include "driver/plan/plan.hpp"
#include "driver/results/campaign_lines.hpp"
#include "driver/results/results_writer.hpp"
#include "driver/results/resume.hpp"

namespace syncmeter {

class campaign_file {
 public:
  /// Opens options.output as a new file, or options.resume to go on with, and locks it. `plan` must
  /// outlive this object. Throws usage_error.
  campaign_file(const campaign_plan& plan, const run_options& options, build_ids builds);

  /// Writes the campaign line of a new file, and what the plan does not measure.
  void begin(const campaign_facts& facts);

  /// What the campaign line of a reopened file fixes.
  struct resumed_campaign {
    std::uint64_t seed = 0;
    nlohmann::json states;
    std::string note;  ///< that a torn last line was cut off; else empty
  };
  /// Reads what is there. With `retry`, failures and timeouts count as not done. Throws usage_error
  /// when the identity of the campaign differs from the one in the file.
  [[nodiscard]] resumed_campaign go_on(const campaign_identity& now, bool retry);

  /// The answer to `hello` of a worker that was started. One that comes before the campaign line
  /// (its start-up probe is in there) is written behind it.
  void add_worker(nlohmann::json answer);
  /// Writes the line of a visit of plan.points[point], and returns what it holds.
  visit_record add_visit(std::size_t point, unsigned visit, nlohmann::json line);
  /// The last line of this run; puts the file on the disk.
  void end(const run_totals& totals);

  [[nodiscard]] const visit_log& visits() const { return visit_log_; }
  [[nodiscard]] const revisits& again() const { return again_; }
  [[nodiscard]] const undecided_pairs& undecided() const { return undecided_; }
  [[nodiscard]] const std::string& path() const { return writer_.path(); }

 private:
  void write_unmeasured(const std::vector<same_point>& same,
                        const std::vector<unmeasured_point>& refused);

  const campaign_plan& plan_;
  build_ids builds_;
  visit_log visit_log_;
  revisits again_;
  undecided_pairs undecided_;
  bool keep_rounds_;
  std::set<std::size_t> has_census_;  // points a visit line of which has it, written by this run
  results_writer writer_;
  bool begun_ = false;
  std::vector<nlohmann::json> early_workers_;
};

}  // namespace syncmeter
