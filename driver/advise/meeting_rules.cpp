#include "driver/advise/meeting_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/harness/stats.hpp"
#include "driver/advise/advise.hpp"
#include "driver/advise/equal_work.hpp"
#include "driver/advise/mechanism_rules.hpp"
#include "driver/advise/meeting.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

std::optional<advice> about_oversubscription(const meeting& m) {
  const double pus = m.setting.usable_pus;
  if (pus == 0 || m.of.times->threads <= pus || !m.is_worth_saying(m.in_all_s()))
    return std::nullopt;
  const run_waits most = m.most_in_all();
  return m.bound(
      "oversubscription", most,
      fmt::format("{} threads meet in {}, and {:g} processing units run them: those that "
                  "have none keep the others waiting. Take no more threads than that{}.",
                  m.of.times->threads, m.what(), pus,
                  m.of.kind == "barrier_wait"
                      ? ""
                      : fmt::format(" (OMP_NUM_THREADS={:.0f})", std::max(1.0, std::floor(pus)))),
      fmt::format("They take {} of {}, of which that saves at most all{}.",
                  seconds_text(m.in_all_s()), seconds_text(m.setting.wall_s),
                  m.beyond(m.in_all_s(), most)));
}

/// A runtime that creates a team at every other region and more often has none to take. Regions
/// that one thread begins are the ones around those that several do.
std::optional<advice> about_nesting(const meeting& m) {
  constexpr std::uint64_t few = 100;
  if (!m.is_region() || m.of.count < few || (m.others_nest && m.of.threads < 2) ||
      2 * m.threads_created < m.of.count * (m.of.times->threads - 1) ||
      !m.is_worth_saying(m.in_all_s()))
    return std::nullopt;
  const run_waits most = m.most_in_all();
  return m.bound(
      "nested", most,
      fmt::format("{} begin inside other regions, and the runtime has created {} threads "
                  "for them. Let the outer region have all threads "
                  "(OMP_MAX_ACTIVE_LEVELS=1), or use tasks.",
                  m.what(), grouped_digits(m.threads_created)),
      fmt::format("To begin and end them takes {} of {}, of which that saves at most all{}.",
                  seconds_text(m.in_all_s()), seconds_text(m.setting.wall_s),
                  m.beyond(m.in_all_s(), most)));
}

std::optional<advice> about_imbalance(const meeting& m) {
  const double late_s = std::min(m.lateness.shown_s(), m.setting.wall_s);
  if (!m.is_worth_saying(late_s)) return std::nullopt;
  const run_waits most = m.most_late();
  std::string of_runs, machine;
  if (m.lateness.runs_s.size() > 1)
    of_runs = fmt::format(" (the {} of {} timed runs, {})",
                          m.lateness.runs_s.size() == 2 ? "less" : "median",
                          m.lateness.runs_s.size(), spread_text(m.lateness.runs_s));
  if (!m.lateness.equal_work_s.empty())
    machine = fmt::format(" With equal work threads wait {} on this machine, in turn with the "
                          "program.{}",
                          spread_text(m.lateness.equal_work_s, m.setting.wall_s),
                          m.lateness.why_unsure(m.setting.wall_s));
  return m.bound("imbalance", most,
                 fmt::format("threads wait for the last thread to arrive ({}). Give the threads "
                             "equal work, by {}.",
                             m.of.kind,
                             m.of.label ? "another schedule (Kokkos::Dynamic)"
                             : m.of.kind == "barrier_wait"
                                 ? "smaller pieces"
                                 : "another schedule (schedule(dynamic)) or "
                                   "smaller pieces"),
                 fmt::format("{}A thread waits {} of {}{}; perfect balance saves at most that{}.{}",
                             m.of.kind == "barrier" && !m.of.label
                                 ? "Or leave out the barrier (nowait) if the next statements need "
                                   "nothing from it. "
                                 : "",
                             seconds_text(late_s), seconds_text(m.setting.wall_s), of_runs,
                             m.beyond(late_s, most), machine));
}

std::string late_text(const meeting& m) {
  return fmt::format("{}: a thread waits {} of {} for the last one ({})", where_text(m.of),
                     spread_text(m.lateness.runs_s), seconds_text(m.setting.wall_s), m.of.kind);
}

/// Why threads that wait for the last one are none for advice.
std::string on_equal_work(const meeting& m) {
  return fmt::format(
      "{} in {}, and threads with equal work {} in "
      "{} in turn with the program, which is not shown to be less: processing units of this "
      "machine are not equally fast or have other work too, and that is no reason to divide the "
      "work in another way.",
      late_text(m), count_text(m.lateness.runs_s.size(), "timed run", "timed runs"),
      spread_text(m.lateness.equal_work_s, m.setting.wall_s),
      count_text(m.lateness.equal_work_s.size(), "measurement", "measurements"));
}

/// For how long a neighbour on the core of one thread could make the others wait: while the team is
/// at work, as nobody waits there for what one thread does alone before it. What the usual run
/// takes longer than the one that is known may be there, too.
double by_neighbours_s(const meeting& m) {
  std::vector<double> runs_s;
  for (const site_cost& run : m.lateness.runs) runs_s.push_back(run.wall_s);
  const double more_s = runs_s.empty() ? 0 : std::max(0.0, median(runs_s) - m.setting.wall_s);
  return m.lateness.by_neighbours_s(m.in_regions_s + more_s, m.of.times->threads);
}

bool may_be_neighbours(const meeting& m) { return m.lateness.shown_s() <= by_neighbours_s(m); }

std::string on_neighbours(const meeting& m) {
  return fmt::format(
      "{}, longer than with equal work ({}). But on the same processing unit such work takes up to "
      "{:.2g} times as long at one time as at another, as beside others on its core, which slow "
      "one thread more than another by what it does: up to {} may be theirs, and no reason to "
      "divide the work in another way.",
      late_text(m), spread_text(m.lateness.equal_work_s, m.setting.wall_s), m.lateness.times_slowed,
      seconds_text(by_neighbours_s(m)));
}

/// The cause is the first of these that holds. What happens once cannot happen less often.
std::optional<advice> about_meeting(const meeting& m, std::vector<std::string>& notes) {
  for (const auto rule : {&about_oversubscription, &about_nesting})
    if (auto found = rule(m)) return found;
  if (m.runs_tasks) return std::nullopt;
  // Nor do times of counted runs tell what threads wait for.
  const bool by_counts = m.setting.is_by_counts() && is_price_worth_it(m);
  if (waits_for_late_threads(m.of) && !by_counts) {
    const bool is_longer = is_shown(m, m.lateness);
    if (is_longer && !may_be_neighbours(m)) return about_imbalance(m);
    if (is_longer) notes.push_back(on_neighbours(m));
    else if (!m.lateness.equal_work_s.empty() && m.is_worth_saying(m.cost.lateness_s))
      notes.push_back(on_equal_work(m));
    // Threads that arrive as with equal work meet nevertheless, and that has its price.
    if (m.of.count < 2 || m.setting.counts_alone || !is_price_worth_it(m)) return std::nullopt;
    return about_mechanism(m);
  }
  if (auto found = about_sleeping(m)) return found;
  if (m.of.count < 2) return std::nullopt;
  if (is_preempted(m)) {
    if (m.is_worth_saying(m.cost.mechanism_s)) notes.push_back(on_preemption(m));
    return std::nullopt;
  }
  if (is_mechanism_shown(m)) return about_mechanism(m);
  // Where counts alone stand there may be a price and nothing beside it.
  if (!m.mechanism.equal_work_s.empty() && m.is_worth_saying(m.cost.mechanism_s))
    notes.push_back(on_equal_meetings(m));
  return std::nullopt;
}

/// Sums over threads that did not run, as others had the processors, may pass the time of all.
site_cost within(site_cost cost, double wall_s) {
  cost.lateness_s = std::min(cost.lateness_s, wall_s);
  cost.mechanism_s = std::min(cost.mechanism_s, wall_s - cost.lateness_s);
  return cost;
}

/// With what it takes in each timed run, and no more than the run takes. Where it is the only one,
/// others may have disturbed it as soon as seconds are not named beside them.
site with_runs(site of, const site_cost& first, const advice_setting& setting) {
  if (of.cost_of_runs.empty()) {
    of.cost_of_runs.push_back(first);
    of.cost_of_runs.back().is_disturbed =
        setting.others_share > most_disturbance ||
        is_disturbed(setting.run_delay_s, of.times->threads * setting.wall_s);
  }
  for (site_cost& run : of.cost_of_runs) {
    if (run.wall_s == 0) run.wall_s = setting.wall_s;
    run = within(run, run.wall_s);
  }
  return of;
}

}  // namespace

std::vector<advice> advise_on_meetings(const std::vector<site>& sites,
                                       const advice_setting& setting, const meeting_pace& pace,
                                       std::vector<std::string>& notes) {
  const std::uint64_t created = created_by_runtimes(sites);
  const double wakings = wakings_of_regions(sites);
  const bool others_nest = std::ranges::any_of(
      sites, [](const site& each) { return each.kind == "region" && each.threads > 1; });
  std::vector<advice> all;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const auto cost = cost_of(sites[i]);
    if (!cost || sites[i].times->threads < 2 || sites[i].kind == "task" || sites[i].kind == "chunk")
      continue;
    const site of = with_runs(sites[i], *cost, setting);
    const std::vector<site_cost> runs = undisturbed_runs(of.cost_of_runs);
    const site_cost met = within(median_of_runs(runs), setting.wall_s);
    std::optional<advice> found =
        about_meeting({.of = of,
                       .setting = setting,
                       .runs = runs,
                       .cost = met,
                       .reduction_s = reduction_share(of, sites) * setting.wall_s,
                       .price_ns = price_of(of, pace, setting.prices),
                       .lateness = lateness_beside(of, met, pace, setting.prices),
                       .mechanism = mechanism_beside(of, met, pace, setting.prices),
                       .in_regions_s = in_regions_s(of, sites, setting.wall_s),
                       .gap_ns = pace.before_region_ns,
                       .wakings = wakings,
                       .threads_created = created,
                       .runs_tasks = has_tasks_at_each(of, sites),
                       .others_nest = others_nest},
                      notes);
    if (!found) continue;
    all.push_back(*std::move(found));
    all.back().site_id = i + 1;
  }
  return all;
}

}  // namespace syncmeter
