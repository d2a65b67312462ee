// What a region or a barrier of a program's takes on this machine by itself: measured by the
// workers of campaigns, in turn with the program's runs, in the environment that the program has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "core/harness/stats.hpp"
#include "core/machine/topology.hpp"
#include "core/point.hpp"
#include "driver/advise/counts.hpp"
#include "driver/advise/program_file.hpp"
#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"
#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {

/// One measurement, by a process of its own.
struct price {
  point what;
  interval cost_ns{};         ///< of one op, beyond the work in it or before it
  std::size_t after_run = 0;  ///< the number of the program's run that came before, from 1 on; 0:
                              ///< of a results file
  std::string swap{};         ///< the lock in the place of its mutex; empty: as it is
};

/// Fewer launches of kernels are no loop that takes time, and need no price.
inline constexpr std::uint64_t fewest_launches = 100;
/// Launches are priced by graphs of so many kernels, beside single ones.
inline constexpr unsigned kernels_of_priced_graph = 16;

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

/// What the program's regions and barriers need of prices.
struct wanted_prices {
  topology machine = topology::of_this_machine();  ///< on which they are placed
  std::vector<planned_point> points{};
  std::vector<planned_point> equal_work{};  ///< threads and work (driver/advise/equal_work.hpp)
  double equal_work_s = 0;                  ///< how long each of these is measured
  std::vector<std::string> notes{};         ///< what has no price, and why, a sentence each
};
/// Of those sites that take a share of `wall_s` that is worth advice; of kernels as many as half of
/// the budget has room for.
[[nodiscard]] wanted_prices prices_for(const program_file& program, const std::vector<site>& sites,
                                       double wall_s, double budget_s);
/// How often each point is measured, at least.
inline constexpr std::size_t measurements_of_price = 5;
/// What one of them takes, about, without the gap that a point may have.
inline constexpr double visit_of_price_s = 0.1;

/// The worker that serves this backend, with a problem where there is none.
[[nodiscard]] worker_info worker_of_backend(const std::string& backend);

/// Throws usage_error for a results file of another machine, or of other allowed PUs.
void require_this_machine(const results_file& file);
/// Those that a results file has: of the program's runtime, so many threads placed and waiting as
/// its own, and of about as much work; over all placement states of the file. What it lacks becomes
/// a note.
[[nodiscard]] std::vector<price> prices_in_file(const results_file& file,
                                                const program_file& program, wanted_prices& wanted);

/// Measures prices by the workers of campaigns.
class price_meter {
 public:
  /// Points that no worker is there for are taken out, and become notes; `wanted` must outlive
  /// this. How late equal work comes is measured by the driver itself.
  explicit price_meter(wanted_prices& wanted);

  /// What one measure() takes, about.
  [[nodiscard]] double seconds() const;
  /// Measures each point once, in new processes, and equal work.
  void measure(std::size_t after_run, std::vector<price>& prices);
  /// How late equal work comes, alone, and what that takes, about.
  void measure_equal_work(std::size_t after_run, std::vector<price>& prices);
  [[nodiscard]] double equal_work_seconds() const;

 private:
  /// With another lock in the place of the mutexes.
  struct swapped_workers {
    swapped_workers(const char* name, worker_info one) : swap(name), workers{std::move(one)} {}
    std::string swap;
    std::vector<worker_info> workers;
    std::optional<worker_pool> pool{};
  };
  [[nodiscard]] std::size_t swapped_points() const;
  /// Adds what one point takes, measured by these workers, to the prices.
  void measure_point(worker_pool& by, const planned_point& what, price as,
                     std::vector<price>& prices);

  wanted_prices& wanted_;
  std::vector<worker_info> workers_;
  std::optional<worker_pool> pool_;
  std::list<swapped_workers> swapped_;
  unsigned visits_ = 0;
};

}  // namespace syncmeter
