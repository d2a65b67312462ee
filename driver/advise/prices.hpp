// What a region or a barrier of a program's takes on this machine by itself: measured by the
// workers of campaigns, in turn with the program's runs, in the environment that the program has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/harness/stats.hpp"
#include "core/machine/topology.hpp"
#include "core/point.hpp"
#include "driver/advise/counts.hpp"
#include "driver/advise/program_file.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// How long equal work of the narrow kind took on one processing unit, which a neighbour on the
/// same core slows most.
struct slowed_work {
  int pu = 0;          ///< as the system numbers it
  double fast_ns = 0;  ///< a tenth of its pieces took less
  double mean_ns = 0;
};

/// One measurement, by a process of its own.
struct price {
  point what;
  interval cost_ns{};         ///< of one op, beyond the work in it or before it
  std::size_t after_run = 0;  ///< the number of the program's run that came before, from 1 on; 0:
                              ///< of a results file
  double equal_work_s = 0;    ///< how long equal work was measured; 0: no equal work
  bool is_disturbed = false;  ///< others had the processors meanwhile
  std::vector<slowed_work> narrow{};  ///< of equal work
};

/// Fewer launches of kernels are no loop that takes time, and need no price.
inline constexpr std::uint64_t fewest_launches = 100;
/// Launches are priced by graphs of so many kernels, beside single ones.
inline constexpr unsigned kernels_of_priced_graph = 16;

/// "region_around_work of 2 threads with 768 ns of work".
[[nodiscard]] std::string price_text(const point& p);
/// Of what the program calls.
[[nodiscard]] std::string unpriced_text(const std::string& why);

/// Of prices of one point: over all measurements, of a single one as it is; nothing without any.
[[nodiscard]] std::optional<interval> over_measurements(const std::vector<price>& of_one_point);

/// The op that a site calls, with as much work as the program has there; nothing where no op is
/// like it. Work and gaps are rounded, so that sites have points in common.
[[nodiscard]] std::optional<point> priced_point(const site& of, const meeting_pace& pace,
                                                const program_file& program);

/// Of the measurements that are like it those of one point, whose work is the nearest to this.
[[nodiscard]] std::vector<price> nearest_in_work(std::vector<price> prices, double work,
                                                 const std::function<bool(const price&)>& is_like);

/// A site's price over all measurements of its op and team with the work that is nearest to its
/// own; nothing without a measurement.
[[nodiscard]] std::optional<interval> price_of(const site& of, const meeting_pace& pace,
                                               const std::vector<price>& prices);

/// How the program has its threads placed and waiting, as far as its environment says so.
struct thread_setting {
  affinity placed = affinity::none;
  std::string why_not_placed{};         ///< as no worker would place them; empty: as one would
  std::vector<std::string> settings{};  ///< of a worker's environment (program_to_start)
};
[[nodiscard]] thread_setting setting_of_environment();
/// Whether the environment has threads of OpenMP sleep whenever they wait.
[[nodiscard]] bool has_passive_waits();

/// An op of workers with work as long as a site's, timed as that is.
struct equal_meeting {
  planned_point at;
  std::uint64_t every = 1;  ///< of how many one is timed
};
/// What one of them takes where equal work is measured for so long: five rounds at least of both
/// sides, of four times the work each.
[[nodiscard]] double seconds_of(const equal_meeting& what, double equal_work_s);

/// What the program's regions and barriers need of prices.
struct wanted_prices {
  topology machine = topology::of_this_machine();  ///< on which they are placed
  std::vector<planned_point> points{};
  std::vector<planned_point> equal_work{};      ///< of sites that wait for late threads: threads
                                                ///< and work (driver/advise/equal_work.hpp)
  std::vector<equal_meeting> equal_meetings{};  ///< of other ones where threads meet
  double equal_work_s = 0;                      ///< how long each of these is measured
  std::vector<std::string> notes{};             ///< what has no price, and why, a sentence each
  /// What one measurement of each takes.
  [[nodiscard]] double seconds_of_controls() const;
  [[nodiscard]] std::size_t controls() const { return equal_work.size() + equal_meetings.size(); }
};
/// Of those sites that take a share of `wall_s` that is worth advice; of kernels as many as half of
/// the budget has room for.
[[nodiscard]] wanted_prices prices_for(const program_file& program, const std::vector<site>& sites,
                                       double wall_s, double budget_s);
/// What disturbs a machine now and then is in each long run and in few short measurements, whose
/// ranks then tell nothing: equal work is measured for so much of a run.
inline constexpr double share_of_run = 0.2;
/// For so long, but for no longer than the least number of measurements has room for, and for half
/// a second (or a run) in any case.
void set_equal_work_time(wanted_prices& wanted, double wall_s, double room_s);
/// How often each point is measured, at least.
inline constexpr std::size_t measurements_of_price = 5;
/// What one of them takes, about, without the gap that a point may have.
inline constexpr double visit_of_price_s = 0.1;

/// Throws usage_error for a results file of another machine, or of other allowed PUs.
void require_this_machine(const results_file& file);
/// Those that a results file has: of the program's runtime, so many threads placed and waiting as
/// its own, and of about as much work; over all placement states of the file. What it lacks becomes
/// a note.
[[nodiscard]] std::vector<price> prices_in_file(const results_file& file,
                                                const program_file& program, wanted_prices& wanted);

}  // namespace syncmeter
