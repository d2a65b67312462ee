// The file of a running campaign: every line that goes into it, and which visits it has and lacks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/campaign/revisits.hpp"
#include "driver/plan/plan.hpp"
#include "driver/results/campaign_lines.hpp"
#include "driver/results/results.hpp"
#include "driver/results/results_writer.hpp"
#include "driver/results/resume.hpp"

namespace syncmeter {

/// What is known of every visit that a campaign wants, from its file's earlier lines and from the
/// new ones: what is still to be done, and what failed.
class visit_log {
 public:
  /// `points` must outlive the visit_log.
  visit_log(const std::vector<planned_point>& points, const build_ids& builds);

  /// Notes a visit line; one that belongs to no planned point is ignored. A visit beyond the
  /// planned ones belongs to its point as well.
  void record(const visit_record& line);
  /// Forgets failures and timeouts, so that they are wanted again (--retry).
  void forget_failures();

  /// True when this visit (from 1) is still to be done. A point whose visit was unsupported,
  /// elided, too slow, failed by the worker's own word, or not tried any more is settled.
  [[nodiscard]] bool wants(std::size_t point, unsigned visit) const;
  /// The last visit of the point that is still to be done; 0 when there is none.
  [[nodiscard]] unsigned last_wanted(std::size_t point) const;
  /// Visits still to be done.
  [[nodiscard]] std::size_t remaining() const { return remaining_; }
  /// Visits that have a line.
  [[nodiscard]] std::size_t done() const { return done_; }
  /// Trips that the last good visit of the point calibrated; 0 when there is none.
  [[nodiscard]] std::uint32_t trips(std::size_t point) const { return states_[point].trips; }
  /// True when a visit of the point found that a step of it takes too long to be measured.
  [[nodiscard]] bool took_too_long(std::size_t point) const;
  /// Points with a visit whose last line is failed or timeout.
  [[nodiscard]] std::size_t failed_points() const;

  /// The key of a visit, as its line carries it.
  [[nodiscard]] std::string key(std::size_t point, unsigned visit) const;
  /// The number of the visit behind all that the point was to have and has had.
  [[nodiscard]] unsigned next(std::size_t point) const {
    return static_cast<unsigned>(states_[point].statuses.size()) + 1;
  }
  /// The canonical text of a point.
  [[nodiscard]] const std::string& text(std::size_t point) const { return states_[point].text; }

 private:
  struct point_state {
    std::string text;
    std::string key;                    // but for the number of the visit
    std::vector<std::string> statuses;  // by visit - 1; empty = no line yet
    bool settled = false;
    std::uint32_t trips = 0;
    [[nodiscard]] std::size_t done() const;
    [[nodiscard]] std::size_t wanted() const;
    [[nodiscard]] bool failed() const;
  };
  template <class Change> void update(point_state& state, Change change);

  std::vector<point_state> states_;
  std::map<std::string, std::size_t, std::less<>> point_by_key_;
  std::size_t done_ = 0, remaining_ = 0;  // sums over states_
};

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
  [[nodiscard]] resumed_campaign resume(const campaign_identity& now, bool retry);

  /// The answer to `hello` of a worker that was started. One that comes before the campaign line
  /// (its start-up probe is in there) is written behind it.
  void add_worker(nlohmann::json answer);
  /// Writes the line of a visit of plan.points[point], and returns what it holds.
  visit_record add_visit(std::size_t point, unsigned visit, nlohmann::json line);
  /// The last line of this run; puts the file on the disk. Returns what became of a file that was
  /// removed or moved meanwhile; empty where nothing did.
  [[nodiscard]] std::string end(const run_totals& totals);

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
