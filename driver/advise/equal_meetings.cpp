#include "driver/advise/equal_meetings.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/machine/topology.hpp"
#include "driver/advise/equal_work.hpp"
#include "driver/advise/objects.hpp"
#include "driver/advise/probe_settings.hpp"
#include "driver/campaign/visit_request.hpp"
#include "driver/workers/visit_record.hpp"

namespace syncmeter {
namespace {

/// Of the worker's sites that of the op: a sample has several of these, and few of the worker's
/// own.
const site* site_of_op(const std::vector<site>& sites, const point& what) {
  const auto found = std::ranges::find_if(sites, [&](const site& each) {
    return is_timed_meeting(each) && each.times->threads == what.lanes &&
           is_timed_as(timed_point(what), each);
  });
  return found == sites.end() ? nullptr : &*found;
}

}  // namespace

visit_cost cost_of_visit(const exchange_outcome& outcome) {
  if (outcome.what != exchange_outcome::kind::answered)
    return {.cost_ns = {}, .problem = outcome.reason};
  const visit_record visit = read_visit(outcome.line);
  if (visit.estimates.empty()) return {.cost_ns = {}, .problem = visit.reason};
  return {.cost_ns = visit.estimates.front().cost_ns};
}

timed_meeting mechanism_of_equal_work(const worker_info& worker, const equal_meeting& what,
                                      double seconds) {
  const counts_folder folder;
  std::vector<worker_info> workers{worker};
  std::ranges::move(settings_of_probe(folder, fmt::format("{0},{0}", what.every)),
                    std::back_inserter(workers.front().environment));
  run_options options;
  options.precision = 0;  // all the time that it may take
  options.oversubscribe = true;
  options.max_time_s = seconds;
  worker_pool pool(workers, {.cpus = read_cpu_grant().allowed, .deadlines = {}, .on_start = {}});
  const exchange_outcome outcome = pool.measure(
      what.at.what.backend, what.at.what.wait,
      visit_request(what.at, 1, options, {.seed = 1, .quiet_floor_ns = {}, .state_bounds_ns = {}}));
  pool.close();
  if (const visit_cost found = cost_of_visit(outcome); !found.cost_ns)
    return {.problem = found.problem};
  call_counts counts = read_counts(folder.paths(), 0);
  subtract_clock(counts, costs_of_stamps().stamp_ns);
  const site* const of = site_of_op(counts.sites, what.at.what);
  const std::optional<site_cost> cost = of == nullptr ? std::nullopt : cost_of(*of);
  if (!cost) return {.problem = "its worker's calls were not counted"};
  return {.mechanism_ns = cost->mechanism_s * 1e9 / static_cast<double>(of->count)};
}

}  // namespace syncmeter
