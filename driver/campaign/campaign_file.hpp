// The file of a running campaign: its lines, and the visits present and missing.
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

/// All known facts about a campaign's visits, from earlier and new lines: the remaining visits and
/// the failures.
class visit_log {
 public:
  /// `points` must outlive the visit_log.
  visit_log(const std::vector<planned_point>& points, const build_ids& builds);

  /// Notes a visit line, and ignores a line without a planned point. A visit beyond the plan
  /// belongs to its point as well.
  void record(const visit_record& line);
  /// Forgets failures and timeouts, to try these visits again (--retry).
  void forget_failures();

  /// Returns whether this visit (from 1) remains. A point is settled if a visit was unsupported,
  /// elided, too slow, failed by the worker's own report, or given up.
  [[nodiscard]] bool wants(std::size_t point, unsigned visit) const;
  /// Returns the point's last remaining visit, or 0.
  [[nodiscard]] unsigned last_wanted(std::size_t point) const;
  /// Returns the number of remaining visits.
  [[nodiscard]] std::size_t remaining() const { return remaining_; }
  /// Returns the number of visits with a line.
  [[nodiscard]] std::size_t done() const { return done_; }
  /// Returns the trips calibrated by the point's last good visit, or 0.
  [[nodiscard]] std::uint32_t trips(std::size_t point) const { return states_[point].trips; }
  /// Returns whether a visit to the point found a step too long to be measured.
  [[nodiscard]] bool took_too_long(std::size_t point) const;
  /// Returns the number of points with a visit whose last line is failed or timeout.
  [[nodiscard]] std::size_t failed_points() const;

  /// Returns the key in a visit's line.
  [[nodiscard]] std::string key(std::size_t point, unsigned visit) const;
  /// Returns the number after all planned and past visits to the point.
  [[nodiscard]] unsigned next(std::size_t point) const {
    return static_cast<unsigned>(states_[point].statuses.size()) + 1;
  }
  /// Returns the canonical text of a point.
  [[nodiscard]] const std::string& text(std::size_t point) const { return states_[point].text; }

 private:
  struct point_state {
    std::string text;
    std::string key;                    // without the visit's number
    std::vector<std::string> statuses;  // by visit - 1, empty = no line yet
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
  /// Opens options.output as a new file, or options.resume to continue, and locks it. `plan` must
  /// outlive this object. Throws usage_error.
  campaign_file(const campaign_plan& plan, const run_options& options, build_ids builds);

  /// Writes the campaign line of a new file, and the unmeasured points of the plan.
  void begin(const campaign_facts& facts);

  /// The settings in a reopened file's campaign line.
  struct resumed_campaign {
    std::uint64_t seed = 0;
    nlohmann::json states;
    std::string note;  ///< on a torn last line that was cut off, else empty
  };
  /// Reads the present lines. With `retry`, failures and timeouts count as not done. Throws
  /// usage_error when the campaign's identity differs from the file's.
  [[nodiscard]] resumed_campaign resume(const campaign_identity& now, bool retry);

  /// Adds a started worker's answer to `hello`. Earlier answers follow the campaign line, because
  /// this line has the start-up probe.
  void add_worker(nlohmann::json answer);
  /// Writes the line of a visit to plan.points[point], and returns its contents.
  visit_record add_visit(std::size_t point, unsigned visit, nlohmann::json line);
  /// Writes the last line of this run and flushes the file to the disk. Returns a sentence if the
  /// file was removed or moved meanwhile, or an empty string.
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
  std::set<std::size_t> has_census_;  // points whose census this run has written
  results_writer writer_;
  bool begun_ = false;
  std::vector<nlohmann::json> early_workers_;
};

}  // namespace syncmeter
