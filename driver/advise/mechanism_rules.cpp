#include "driver/advise/mechanism_rules.hpp"

#include <algorithm>

namespace syncmeter {
namespace {

/// Threads that are woken one after another work in turn. What they take at the same time is not
/// known from runs in which they sleep: a line that each wrote once is then fetched for each store.
constexpr std::string_view awake_may_cost =
    " It may also take longer, as threads that work at the same time fetch cache lines from each "
    "other: --try measures it.";

constexpr double waking_ns = 1e4, not_spinning_ns = 2e3;

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
  found.seen_share = all_s(m.price_ns->low) / wall_s;
  found.of_plain_runs = true;
  found.kind = "may_cost";
  return found;
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
  found.seen_share = low_s / wall_s;
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

}  // namespace

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

bool is_mechanism_shown(const meeting& m) {
  // Times of counted runs show nothing where counting takes much of them.
  if (m.price_ns && m.setting.counts_alone) return is_price_worth_it(m);
  return is_price_worth_it(m) || (m.is_worth_saying(m.in_all_s()) && is_shown(m, m.mechanism));
}

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

}  // namespace syncmeter
