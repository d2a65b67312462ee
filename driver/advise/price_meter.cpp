#include "driver/advise/price_meter.hpp"

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/machine/topology.hpp"
#include "driver/advise/equal_meetings.hpp"
#include "driver/advise/equal_work.hpp"
#include "driver/campaign/visit_request.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

constexpr double start_s = 0.25;

}  // namespace

void note_first(std::vector<std::string>& notes, const std::string& what,
                const std::string& problem) {
  if (std::ranges::none_of(notes, [&](const std::string& each) { return each.starts_with(what); }))
    notes.push_back(fmt::format("{}{}.", what, problem));
}

worker_info worker_of_backend(const std::string& backend) {
  const std::string name = fmt::format("{}{}", worker_prefix, backend);
  for (const auto& folder : folders_of_workers()) {
    if (!is_program(folder / name)) continue;
    if (auto found = workers_at(folder / name); !found.empty()) return std::move(found.front());
  }
  worker_info missing;
  missing.problem = "there is no worker " + name;
  return missing;
}

price_meter::price_meter(wanted_prices& wanted) : wanted_(wanted) {
  const auto is_served = [&](const planned_point& each) {
    return std::ranges::find(workers_, each.what.backend, &worker_info::name) != workers_.end();
  };
  const auto find_worker = [&](const planned_point& each) {
    if (is_served(each)) return;
    worker_info found = worker_of_backend(each.what.backend);
    found.environment = setting_of_environment().settings;
    if (found.problem.empty()) workers_.push_back(std::move(found));
    else add_once(wanted.notes, unpriced_text(found.problem));
  };
  for (const planned_point& each : wanted.points) find_worker(each);
  for (const equal_meeting& each : wanted.equal_meetings) find_worker(each.at);
  std::erase_if(wanted.points, std::not_fn(is_served));
  std::erase_if(wanted.equal_meetings,
                [&](const equal_meeting& each) { return !is_served(each.at); });
  const worker_pool::settings how{
      .cpus = read_cpu_grant().allowed, .deadlines = {}, .on_start = {}};
  pool_.emplace(workers_, how);
}

double price_meter::seconds() const {
  const std::size_t points = wanted_.points.size();
  const std::size_t starts = points == 0 ? 0 : workers_.size();
  return static_cast<double>(points) * visit_of_price_s + static_cast<double>(starts) * start_s +
         equal_work_seconds();
}

double price_meter::equal_work_seconds() const {
  return wanted_.seconds_of_controls() +
         static_cast<double>(wanted_.equal_meetings.size()) * start_s;
}

void price_meter::measure_equal_work(std::size_t after_run, std::vector<price>& prices) {
  const auto add = [&](const point& what, double ns, bool is_disturbed = false,
                       std::vector<slowed_work> narrow = {}) {
    prices.push_back({.what = what,
                      .cost_ns = {ns, ns, ns},
                      .after_run = after_run,
                      .equal_work_s = wanted_.equal_work_s,
                      .is_disturbed = is_disturbed,
                      .narrow = std::move(narrow)});
  };
  const auto refuse = [&](const point& what, const std::string& problem) {
    note_first(wanted_.notes, price_text(what) + " was not timed: ", problem);
  };
  for (const planned_point& each : wanted_.equal_work) {
    try {
      const equal_work_lateness found = lateness_of_equal_work(
          wanted_.machine, each.pus, each.what.lanes, each.what.section_ns, wanted_.equal_work_s);
      add(each.what, found.mean_ns, found.is_disturbed, found.narrow);
    } catch (const std::system_error& error) {
      refuse(each.what, fmt::format("no thread can be created ({})", error.code().message()));
    }
  }
  for (const equal_meeting& each : wanted_.equal_meetings) {
    const auto worker = std::ranges::find(workers_, each.at.what.backend, &worker_info::name);
    const timed_meeting found =
        mechanism_of_equal_work(*worker, each, seconds_of(each, wanted_.equal_work_s));
    if (found.problem.empty()) add(timed_point(each.at.what), found.mechanism_ns);
    else refuse(each.at.what, found.problem);
  }
}

void price_meter::measure_point(const planned_point& what, std::size_t after_run,
                                std::vector<price>& prices) {
  run_options options;
  options.precision = 0.02;
  options.oversubscribe = true;
  options.max_time_s = visit_of_price_s + what.what.gap_us * 50e-6;
  const exchange_outcome outcome =
      pool_->measure(what.what.backend, what.what.wait,
                     visit_request(what, visits_, options,
                                   {.seed = visits_, .quiet_floor_ns = {}, .state_bounds_ns = {}}));
  const visit_cost found = cost_of_visit(outcome);
  if (!found.cost_ns) {
    note_first(wanted_.notes, price_text(what.what) + " was not measured: ", found.problem);
    return;
  }
  prices.push_back({.what = what.what, .cost_ns = *found.cost_ns, .after_run = after_run});
}

void price_meter::measure(std::size_t after_run, std::vector<price>& prices) {
  ++visits_;
  measure_equal_work(after_run, prices);
  for (const planned_point& each : wanted_.points) measure_point(each, after_run, prices);
  pool_->close();
}

}  // namespace syncmeter
