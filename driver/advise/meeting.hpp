// A site where threads meet, and what its rules have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "driver/advise/equal_work.hpp"
#include "driver/advise/rules.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {

/// A site where threads meet, with all that is known of it.
struct meeting {
  const site& of;
  const advice_setting& setting;
  std::vector<site_cost> runs;  // timed ones, without the disturbed ones where enough are left
  site_cost cost;               // their median, and no longer than the run that all else is of
  double reduction_s = 0;       // of the run, what its reduction takes
  std::optional<interval> price_ns;
  beside_equal_work lateness, mechanism;
  double in_regions_s = 0;            ///< of the run that all else is of, that its teams work
  double gap_ns = 0;                  ///< before each region, by one thread
  double wakings = 0;                 ///< of all regions, where their threads sleep before each
  std::uint64_t threads_created = 0;  ///< by the runtime
  bool runs_tasks = false;            ///< whoever waits does tasks meanwhile
  bool others_nest = false;           ///< other regions are begun by several threads

  [[nodiscard]] bool is_region() const { return of.kind == "region"; }
  [[nodiscard]] double in_all_s() const { return cost.in_all_s(); }
  [[nodiscard]] run_waits most_in_all() const {
    return longest_waits(
        runs, [](const site_cost& run) { return run.in_all_s(); }, setting.plain_wall_s.high);
  }
  [[nodiscard]] run_waits most_late() const {
    return longest_waits(
        lateness.runs, [](const site_cost& run) { return run.lateness_s; },
        setting.plain_wall_s.high);
  }
  [[nodiscard]] double count() const { return static_cast<double>(of.count); }
  /// A thread that sleeps gives up its CPU each time. One that does not, and is late nevertheless,
  /// was taken off it.
  [[nodiscard]] bool hardly_sleeps() const {
    constexpr double most_of_them = 0.5;
    return setting.voluntary_switches && *setting.voluntary_switches < most_of_them * wakings;
  }
  [[nodiscard]] bool is_worth_saying(double s) const {
    return s >= least_worth_saying * setting.wall_s;
  }
  [[nodiscard]] std::string what() const {
    return fmt::format("{} {}", grouped_digits(of.count),
                       is_region() ? "parallel regions" : "barriers");
  }
  [[nodiscard]] advice bound(std::string_view rule, double at_most_s, const std::string& cause,
                             const std::string& saving) const {
    return {.rule = std::string(rule),
            .site_id = 0,
            .at_most_s = at_most_s,
            .text = fmt::format("{}: {} {}", where_text(of), cause, saving),
            .cause = fmt::format("{}: {}", where_text(of), cause),
            .seen_share = (rule == "imbalance" ? lateness.shown_s() : in_all_s()) / setting.wall_s};
  }
  [[nodiscard]] advice bound(std::string_view rule, const run_waits& most, const std::string& cause,
                             const std::string& saving) const {
    advice found = bound(rule, most.waits_s, cause, saving);
    found.run_s = most.run_s;
    return found;
  }
  /// ", and 0.7 s of the longest run as it is, 1.3 s", behind what is saved at most of the time
  /// that threads wait in the timed runs; empty where no run has more of it.
  [[nodiscard]] std::string beyond(double typical_s, const run_waits& most) const {
    if (seconds_text(most.waits_s) == seconds_text(typical_s) &&
        seconds_text(most.run_s) == seconds_text(setting.wall_s))
      return "";
    return fmt::format(", and {} of the {}, {}", seconds_text(most.waits_s),
                       most.is_timed ? "timed run with the greatest share of waits"
                                     : "longest run as it is",
                       seconds_text(most.run_s));
  }
};

/// "0.1 s to 0.12 s".
[[nodiscard]] std::string spread_text(const std::vector<double>& each_s);
/// The same, of which none is more than the run.
[[nodiscard]] std::string spread_text(const std::vector<double>& each_s, double wall_s);
/// Whether others had the processors in each timed run, and a thread may have been without one for
/// so long, while all the rest of its team waited for it: no longer than others had them, nor than
/// threads of the program were ready to run.
[[nodiscard]] bool may_be_others(const meeting& m, double waits_s);
/// Whether so many take what is worth saying at the least price.
[[nodiscard]] bool is_price_worth_it(const meeting& m);
/// Whether the program takes longer than equal work, by what is worth saying.
[[nodiscard]] bool is_shown(const meeting& m, const beside_equal_work& each);

}  // namespace syncmeter
