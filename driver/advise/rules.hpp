// What may be gained at the sites of a program: bounds, from what was timed there, and estimates,
// from what the same costs on this machine by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/advise/counts.hpp"
#include "driver/advise/objects.hpp"
#include "driver/advise/prices.hpp"
#include "driver/advise/seconds_text.hpp"

namespace syncmeter {

/// A row of rules.def.
struct advice_rule {
  std::string_view name, title;
  bool is_of_setting, is_of_waits;
  std::string_view study;
};
[[nodiscard]] std::span<const advice_rule> advice_rules();
/// The study that measures what stands behind advice of this rule; empty where none does.
[[nodiscard]] std::string_view study_of(std::string_view rule);

/// What runs with a change took less than runs without it, in turn.
struct tried_saving {
  double low_s = 0, high_s = 0;
  bool is_shown = false;  ///< it is better, beyond chance
};

/// CPU time over all threads for removed calls, as an upper estimate.
struct removed_work {
  double cpu_s = 0;
  double cpu_share = 0;  ///< part relative to all CPU time
};

/// What a change of all sites of one rule saves, of one run.
struct summed_saving {
  std::size_t sites = 0;
  double low_s = 0, high_s = 0;
  double run_s = 0;
};

struct advice {
  std::string rule;       ///< a name of rules.def
  std::size_t site_id;    ///< as in the file: from 1 on
  double at_most_s = 0;   ///< that a change can save
  std::string text{};     ///< a few sentences
  std::string cause{};    ///< what is left of them where seconds are withheld
  double at_least_s = 0;  ///< that it saves
  /// Of the run in which it was seen, what a thread spends in the cause, the mean of those that
  /// have it: as timed, or where counts alone stand so many at the lowest price; no bound.
  double seen_share = 0;
  std::string kind = "bound";           ///< estimate, from a price on; bound, from times;
                                        ///< may_cost, a bound of what may also take longer
  std::vector<std::size_t> more_ids{};  ///< further sites of the same lock
  std::optional<tried_saving> tried{};
  bool of_plain_runs = false;  ///< its seconds are of plain runs and a GPU's clock, or of counts
                               ///< and prices: what counting the calls costs is not in them
  double run_s = 0;            ///< the run that its seconds are of: the timed one, or a plain one
  /// Set if the change only ends sharing. The run alone then bounds the gain.
  std::optional<removed_work> removes{};
  std::optional<summed_saving> with_others{};  ///< of several of its rule the first one has it

  /// Of that run, at most.
  [[nodiscard]] double share_of_run() const { return at_most_s / run_s; }
  /// That leaves less of the run than is worth saying.
  [[nodiscard]] bool is_bound_by_run() const { return share_of_run() > 1 - least_worth_saying; }
};
/// Returns whether the cause of this rule is how the program is set up.
[[nodiscard]] bool is_of_setting(std::string_view rule);
/// Returns the heading for this rule.
[[nodiscard]] std::string_view title_of(std::string_view rule);
/// Whether one of them is about this site.
[[nodiscard]] bool is_in_advice(const std::vector<advice>& advices, std::size_t id);
/// "saves 0.1 s to 0.2 s of 1 s", as the report has it.
[[nodiscard]] std::string saving_text(const advice& of);

/// What else advice goes by.
struct advice_setting {
  double wall_s = 0;        ///< of the run in which the sites were timed
  interval plain_wall_s{};  ///< of a run as it is: the median of the plain ones, and with the
                            ///< sampled one the least and the greatest; 0: none
  /// From the first call of CUDA to the end: of runs in which nothing else is looked at, as above,
  /// and of the timed one.
  interval cuda_span_s{};
  double timed_cuda_span_s = 0;
  std::vector<price> prices{};
  double usable_pus = 0;  ///< the allowed PUs, or the quota where it is less; 0: not known
  bool sleeps = false;    ///< the environment has threads of OpenMP sleep whenever they wait
  std::optional<double> voluntary_switches{};  ///< in that run, how often a thread gave up its CPU
                                               ///< to wait
  std::vector<lock_object> objects{};
  stamp_costs stamps{};
  interval user_s{};  ///< CPU time of a run as it is: the median of the plain ones, and with the
                      ///< sampled one the least and the greatest; 0: not known
  unsigned threads_at_work = 0;  ///< that have most of it, by samples; 0: not known
  bool counts_alone = false;     ///< counting takes so much that times of counted runs are another
                                 ///< program's: counts stand, and what has a price
  double others_share = 0;       ///< of the allowed PUs, that others had while it was timed
  double allowed_pus = 0;
  /// The longest of the timed runs' times that threads were ready to run and had no processor, all
  /// together; nothing where one of them is not known.
  std::optional<double> run_delay_s{};
  unsigned gpu_processes = 0;           ///< that had a GPU do something
  std::optional<double> alone_cpu_s{};  ///< see run_alone.hpp

  /// Whether savings are of plain runs, by counts and prices.
  [[nodiscard]] bool is_by_counts() const { return counts_alone && plain_wall_s.value > 0; }
};
/// As the environment and the system say, but for the time and the prices.
[[nodiscard]] advice_setting setting_of_run();

/// First what makes all else slow: too many threads, teams inside teams, threads that sleep; then
/// the greatest saving, and where the run is its only bound what was seen of it. Nothing below two
/// hundredths of the time. Adds a sentence to `notes` for
/// each site where threads wait for the last one no longer than with equal work here.
[[nodiscard]] std::vector<advice> advise_on(const std::vector<site>& sites,
                                            const advice_setting& setting,
                                            std::vector<std::string>& notes);

}  // namespace syncmeter
