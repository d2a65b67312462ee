#include "driver/advise/meeting_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "driver/advise/advise.hpp"
#include "driver/advise/equal_work.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// A site where threads meet, with all that is known of it.
struct meeting {
  const site& of;
  const advice_setting& setting;
  std::vector<site_cost> runs;  // timed ones, without the disturbed ones where enough are left
  site_cost cost;               // their median, and no longer than the run that all else is of
  double reduction_s = 0;       // of the run, what its reduction takes
  std::optional<interval> price_ns;
  beside_equal_work lateness, mechanism;
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
            .cause = fmt::format("{}: {}", where_text(of), cause)};
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

/// "0.1 s to 0.12 s".
std::string spread_text(const std::vector<double>& each_s) {
  const auto [least, most] = std::ranges::minmax(each_s);
  return range_text(least, most);
}
/// The same, of which none is more than the run.
std::string spread_text(const std::vector<double>& each_s, double wall_s) {
  const auto [least, most] = std::ranges::minmax(each_s);
  return range_text(std::min(least, wall_s), std::min(most, wall_s));
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
                 fmt::format("threads wait for the last one to arrive ({}), which no other "
                             "barrier changes: give the threads equal work, by another schedule{} "
                             "or smaller pieces{}.",
                             m.of.kind, m.of.label ? " (Kokkos::Dynamic)" : "",
                             m.of.kind == "barrier" && !m.of.label
                                 ? ", or leave out the barrier (nowait) where what follows needs "
                                   "nothing of it"
                                 : ""),
                 fmt::format("A thread waits {} of {}{}; perfect balance saves at most that{}.{}",
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

/// Whether a neighbour on the core of one thread could make the others wait as long.
bool may_be_neighbours(const meeting& m) {
  return m.lateness.shown_s() <= m.lateness.by_neighbours_s(m.setting.wall_s, m.of.times->threads);
}

std::string on_neighbours(const meeting& m) {
  return fmt::format(
      "{}, longer than with equal work ({}). But on the same processing unit such work takes up to "
      "{:.2g} times as long at one time as at another, as beside others on its core, which slow "
      "one thread more than another by what it does: up to {} may be theirs, and no reason to "
      "divide the work in another way.",
      late_text(m), spread_text(m.lateness.equal_work_s, m.setting.wall_s), m.lateness.times_slowed,
      seconds_text(m.lateness.by_neighbours_s(m.setting.wall_s, m.of.times->threads)));
}

/// Threads that are woken one after another work in turn. What they take at the same time is not
/// known from runs in which they sleep: a line that each wrote once is then fetched for each store.
constexpr std::string_view awake_may_cost =
    " It may also take longer, as threads that work at the same time fetch cache lines from each "
    "other: --try measures it.";

constexpr double waking_ns = 1e4, not_spinning_ns = 2e3;

/// Whether others had the processors in each timed run, and for so long that a thread may have been
/// without one while all the rest of its team waited for it: what waits, too, for threads that did
/// not run then.
bool may_be_others(const meeting& m, double waits_s) {
  const bool undisturbed =
      std::ranges::any_of(m.runs, [](const site_cost& run) { return !run.is_disturbed; });
  const double threads = m.of.times->threads;
  return !undisturbed && waits_s <= m.setting.others_share * m.setting.usable_pus *
                                        m.setting.wall_s * (threads - 1) / threads;
}

std::string why_posix_sleeps(const meeting& m) {
  return fmt::format("threads sleep at {}, as whoever waits in pthread_barrier_wait does at once, "
                     "and it takes long to wake them. With a processing unit for each thread a "
                     "barrier that spins for a while keeps them awake.{}",
                     m.what(), awake_may_cost);
}

/// Times of counted runs are another program's: how often threads meet stands, what that takes them
/// by themselves, and the CPU time of plain runs, which threads that are awake have to take still.
advice sleeping_by_counts_alone(const meeting& m) {
  const double wall_s = m.setting.plain_wall_s.high;
  // The run with the least CPU time, shared by the most threads: one of them takes that or more.
  const double user_s = m.setting.user_s.low;
  const unsigned threads =
      m.setting.threads_at_work == 0 ? 0 : std::max(m.setting.threads_at_work, m.of.times->threads);
  const double work_s = threads == 0 ? 0 : std::min(user_s / threads, wall_s);
  const std::string of_work =
      work_s > 0 ? fmt::format("{} threads take {} of CPU time or more, and one of them {} of it: "
                               "being",
                               threads, seconds_text(user_s), seconds_text(work_s))
                 : "Being";
  const auto all_s = [&](double each_ns) { return std::min(m.count() * each_ns * 1e-9, wall_s); };
  advice found = m.bound(
      "sleeping", wall_s - work_s, why_posix_sleeps(m),
      fmt::format("By themselves so many take {} of {} on this machine ({} each, of {} threads "
                  "around such work). {} awake saves at most {}.",
                  range_text(all_s(m.price_ns->low), all_s(m.price_ns->high)), seconds_text(wall_s),
                  range_text(m.price_ns->low * 1e-9, m.price_ns->high * 1e-9), m.of.times->threads,
                  of_work, seconds_text(wall_s - work_s)));
  found.of_plain_runs = true;
  found.kind = "may_cost";
  return found;
}

/// Waking a thread takes microseconds, up to tens of them, and spinning for it less than one. A
/// runtime spins before it sleeps, and in a large team takes some microseconds all the same; the C
/// library's barrier sleeps at once, so that there more than a spinning thread needs is waking.
std::optional<advice> about_sleeping(const meeting& m) {
  constexpr double idle_ns = 1e5;
  const bool posix = m.of.kind == "barrier_wait";
  if (posix && m.price_ns && m.setting.is_by_counts())
    return m.price_ns->low > not_spinning_ns ? std::optional(sleeping_by_counts_alone(m))
                                             : std::nullopt;
  const bool late =
      posix ? start_ns(m.of) > not_spinning_ns
            : (m.is_region() ? start_ns(m.of) : m.of.times->mechanism.median_ns) > waking_ns;
  // Threads that are awake by themselves after such a gap are late because of the machine.
  const bool awake = (m.price_ns && m.price_ns->high < waking_ns) || m.hardly_sleeps();
  const bool idle = m.is_region() && m.of.count > 1 && m.gap_ns > idle_ns && !awake;
  if (!late || (!m.setting.sleeps && !idle && !posix)) return std::nullopt;
  // To wake a thread takes that at least, whatever others do.
  if (may_be_others(m, m.in_all_s()) && !m.is_worth_saying(m.count() * waking_ns * 1e-9))
    return std::nullopt;
  const run_waits most = m.most_in_all();
  const std::string saving = fmt::format(
      "Beside its work a thread spends {} of {} there; to stay awake saves at most that{}.",
      seconds_text(m.in_all_s()), seconds_text(m.setting.wall_s), m.beyond(m.in_all_s(), most));
  const std::string pause = m.setting.sleeps ? "as the environment has them do whenever they wait"
                                             : fmt::format("as {} pass from one region to the next",
                                                           seconds_text(m.gap_ns * 1e-9));
  const std::string why =
      posix ? why_posix_sleeps(m)
            : fmt::format("threads sleep before {}, {}, and it takes long to wake them. With a "
                          "processing unit for each thread OMP_WAIT_POLICY=active keeps them "
                          "awake.{}",
                          m.what(), pause, awake_may_cost);
  advice found = m.bound("sleeping", most, why, saving);
  found.kind = "may_cost";
  return found;
}

/// Whether so many take what is worth saying at the least price.
bool is_price_worth_it(const meeting& m) {
  return m.price_ns && m.is_worth_saying(m.count() * m.price_ns->low * 1e-9);
}

/// How far what a meeting takes in the program is from what it takes by itself.
std::string above_floor(const meeting& m) {
  constexpr double well_above = 2;
  const double each_ns = m.in_all_s() / m.count() * 1e9;
  if (each_ns < well_above * m.price_ns->high) return "";
  constexpr double some = 0.01;
  const double share = same_processor_share(m.of);
  const std::string sharing =
      share < some
          ? ""
          : fmt::format(" {:.0f} % of the threads that met found another one on their unit.",
                        100 * share);
  return fmt::format(" In the program each takes {}, of which threads that come late are {:.0f} %: "
                     "the rest is no price of this machine's, but threads that have no processing "
                     "unit, share one or sleep.{}",
                     seconds_text(each_ns * 1e-9), 100 * m.cost.lateness_s / m.in_all_s(), sharing);
}

/// Times of counted runs are another program's: how often threads meet stands, and what it takes
/// them by themselves. That is saved at least, and all of a plain run at most.
advice by_counts_alone(const meeting& m, std::string_view rule, const std::string& cause) {
  const double wall_s = m.setting.plain_wall_s.value, most_s = m.setting.plain_wall_s.high;
  const double low_s = std::min(m.count() * m.price_ns->low * 1e-9, wall_s);
  advice found = m.bound(
      rule, most_s, cause,
      fmt::format("By themselves so many take {} of {} on this machine ({} each, of {} threads "
                  "around such work): without them the program takes that less at least, and all "
                  "of it at most.",
                  range_text(low_s, std::min(m.count() * m.price_ns->high * 1e-9, wall_s)),
                  seconds_text(most_s), range_text(m.price_ns->low * 1e-9, m.price_ns->high * 1e-9),
                  m.of.times->threads));
  found.at_least_s = low_s;
  found.kind = "estimate";
  found.of_plain_runs = true;
  return found;
}

/// What as many take around equal work, where only that makes it advice.
std::string beside_equal_meetings(const meeting& m) {
  if (m.mechanism.equal_work_s.empty() || is_price_worth_it(m)) return "";
  return fmt::format(" As many around equal work take {} in turn with the program.{}",
                     spread_text(m.mechanism.equal_work_s, m.setting.wall_s),
                     m.mechanism.why_unsure(m.setting.wall_s));
}

advice about_mechanism(const meeting& m) {
  const std::string cause =
      m.is_region()
          ? fmt::format("{} begin and end{}", m.what(),
                        m.of.label ? ", one for each call of this kernel. Fewer kernels with more "
                                     "work in each save time."
                                   : ". One region around all of them, or fewer regions, save "
                                     "time.")
          : fmt::format("{}{}. Fewer barriers save time.", m.what(),
                        waits_for_late_threads(m.of)
                            ? ""
                            : ", which take most of their time after the last thread has arrived");
  const std::string_view rule = m.is_region() ? "regions" : "barriers";
  run_waits most = m.most_in_all();
  if (!m.price_ns)
    return m.bound(rule, most, cause,
                   fmt::format("They take {} of {}, of which that saves at most all{}.{}",
                               seconds_text(m.in_all_s()), seconds_text(m.setting.wall_s),
                               m.beyond(m.in_all_s(), most), beside_equal_meetings(m)));
  if (m.setting.is_by_counts()) return by_counts_alone(m, rule, cause);
  // The price is of meetings whose threads arrive as they do on an idle machine, and the least that
  // fewer of them save; what they take here, also by threads that sleep or wait for each other in
  // turn, is saved with them at most: in any of the timed runs, as these differ, and with what each
  // thread adds to the result behind its part. A path without them has all the rest.
  most.waits_s = std::min(most.waits_s + m.reduction_s, most.run_s);
  const double low_s = std::min(m.count() * m.price_ns->low * 1e-9, most.waits_s);
  advice estimated = m.bound(
      rule, most, cause,
      fmt::format("Without them the program takes {} of {} less, the most being what they {}{}: a "
                  "{} of {} threads around such work takes {} on this machine.{}{}",
                  range_text(low_s, most.waits_s), seconds_text(most.run_s),
                  most.is_timed ? "take here" : "may take in the longest run as it is",
                  !m.is_worth_saying(m.reduction_s)
                      ? ""
                      : fmt::format(", {} of it for the reduction", seconds_text(m.reduction_s)),
                  m.is_region() ? "region" : "barrier", m.of.times->threads,
                  range_text(m.price_ns->low * 1e-9, m.price_ns->high * 1e-9), above_floor(m),
                  beside_equal_meetings(m)));
  estimated.at_least_s = low_s;
  estimated.kind = "estimate";
  return estimated;
}

/// Whether the program takes longer than equal work, by what is worth saying.
bool is_shown(const meeting& m, const beside_equal_work& each) {
  if (may_be_others(m, each.shown_s())) return false;
  if (each.equal_work_s.empty()) return true;
  return each.is_longer() && m.is_worth_saying(each.shown_s() - median(each.equal_work_s));
}

/// Whether fewer meetings save what is worth saying, and not only a quiet machine: so many take as
/// much at the least price, or they take longer in the program than around equal work.
bool is_mechanism_shown(const meeting& m) {
  // Times of counted runs show nothing where counting takes much of them.
  if (m.price_ns && m.setting.counts_alone) return is_price_worth_it(m);
  return is_price_worth_it(m) || (m.is_worth_saying(m.in_all_s()) && is_shown(m, m.mechanism));
}

/// Why they are none for advice.
std::string on_equal_meetings(const meeting& m) {
  const std::string_view what = m.is_region() ? "region" : "barrier";
  return fmt::format(
      "{}: {} take {} of {} beyond what threads wait for the last one, in {}. As many around equal "
      "work take {} in {} in turn with the program{}: the rest is what disturbs this machine, and "
      "fewer {}s are not shown to save anything.",
      where_text(m.of), m.what(), spread_text(m.mechanism.runs_s), seconds_text(m.setting.wall_s),
      count_text(m.mechanism.runs_s.size(), "timed run", "timed runs"),
      spread_text(m.mechanism.equal_work_s, m.setting.wall_s),
      count_text(m.mechanism.equal_work_s.size(), "measurement", "measurements"),
      m.price_ns ? fmt::format(", and one by itself {}",
                               range_text(m.price_ns->low * 1e-9, m.price_ns->high * 1e-9))
                 : "",
      what);
}

/// Whether threads begin a region later than any that is awake, and do not sleep: neither a price
/// nor equal work is there to tell what others of the machine take of that.
bool is_preempted(const meeting& m) {
  return m.is_region() && !m.price_ns && m.mechanism.equal_work_s.empty() && !m.setting.sleeps &&
         start_ns(m.of) > waking_ns && m.hardly_sleeps();
}

std::string on_preemption(const meeting& m) {
  return fmt::format(
      "{}: threads begin {} {} late in the mean, and yet gave up their CPU {} times in that run, "
      "far less often than threads that sleep before each region: others had their processing "
      "units meanwhile, and fewer regions are not shown to save anything.",
      where_text(m.of), m.what(), seconds_text(start_ns(m.of) * 1e-9),
      grouped_digits(static_cast<std::uint64_t>(*m.setting.voluntary_switches)));
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

/// With what it takes in each timed run, and no more than the run takes. Of the only one it is not
/// known by itself whether others disturbed it.
site with_runs(site of, const site_cost& first, const advice_setting& setting) {
  if (of.cost_of_runs.empty()) {
    of.cost_of_runs.push_back(first);
    of.cost_of_runs.back().is_disturbed = setting.others_share > most_disturbance;
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
