#include "driver/advise/turn_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// Sites at which threads wait for each other.
struct waits {
  const std::vector<site>& sites;
  const advice_setting& setting;
  std::vector<std::size_t> ids{};  ///< as in the file; the one that takes most of the time first
  std::uint64_t count = 0;
  unsigned threads = 0;   ///< who waits at several sites is one
  double all_late_s = 0;  ///< of all threads together, until the signal
  double all_wake_s = 0;  ///< and from there on, or of calls the whole call
  double least_late_s = 0;

  void add(std::size_t id, double part = 1) {
    const site& of = sites[id - 1];
    const site_cost cost = cost_of(of).value_or(site_cost{});
    const double late_s = cost.lateness_s * part;
    least_late_s = ids.empty() ? late_s : std::min(least_late_s, late_s);
    ids.push_back(id);
    count += static_cast<std::uint64_t>(static_cast<double>(of.count) * part);
    threads = threads_at(ids, sites);
    all_late_s += late_s * of.threads;
    all_wake_s += cost.in_calls_s() * part * of.threads;
    std::ranges::stable_sort(ids, std::ranges::greater{}, [this](std::size_t each) {
      return cost_of(sites[each - 1]).value_or(site_cost{}).in_calls_s();
    });
  }
  [[nodiscard]] std::string where() const { return places_text(ids, sites); }
  [[nodiscard]] double of_thread_s() const { return all_wake_s / threads; }
  [[nodiscard]] std::string each_text() const {
    return seconds_text(all_wake_s / static_cast<double>(count));
  }
  [[nodiscard]] advice found(const char* rule, double at_most_s, const std::string& cause,
                             const std::string& saving) const {
    const double bound_s = std::min(at_most_s, setting.wall_s);
    return {.rule = rule,
            .site_id = ids.front(),
            .at_most_s = bound_s,
            .text = fmt::format("{} {} saves at most {} of {}.", cause, saving,
                                seconds_text(bound_s), seconds_text(setting.wall_s)),
            .cause = cause,
            .seen_share = of_thread_s() / setting.wall_s,
            .more_ids = {ids.begin() + 1, ids.end()}};
  }
};

/// Threads of one lock that take turns: less than one of them works in the mean, and each hand-over
/// has a wait for a signal. Without them nobody is woken, and what one thread does at its turn the
/// others do at the same time as theirs: that cannot be more than the shortest time for which one
/// waits until its signal.
std::optional<advice> about_handoffs(const lock_object& lock, const std::vector<site>& sites,
                                     const advice_setting& setting,
                                     const std::vector<advice>& advised) {
  constexpr std::uint64_t few = 100;
  waits all{.sites = sites, .setting = setting};
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const site& of = sites[id - 1];
    const auto use = of.locks.find(lock.number);
    if (of.kind != "cond_wait" || use == of.locks.end() || !cost_of(of) || of.count == 0) continue;
    if (is_in_advice(advised, id)) return std::nullopt;
    all.add(id,
            std::min(1.0, static_cast<double>(use->second.count) / static_cast<double>(of.count)));
  }
  const auto threads = static_cast<double>(lock.threads.size());
  const double working_s = threads * setting.wall_s - all.all_late_s - all.all_wake_s;
  // Readers and writers of what one thread compresses wait for that, not for being woken.
  constexpr double some = 0.05;
  if (all.count < few || threads < 2 || working_s >= setting.wall_s ||
      all.all_wake_s < some * setting.wall_s)
    return std::nullopt;
  return all.found(
      "handoffs", all.all_wake_s + all.least_late_s,
      fmt::format(
          "{}: {} {} {} times for a signal of another one, and less than one of them works "
          "in the mean: they take turns, and from the signal it takes {} until the next one "
          "runs. Let them hand over many items at a time, by a queue that has room for them "
          "or in larger pieces, so that who comes finds work and needs no signal.",
          all.where(), count_text(all.threads, "thread", "threads"),
          all.threads == 1 ? "waits" : "wait", grouped_digits(all.count), all.each_text()),
      "To wake nobody, and to work at the same time,");
}

/// Threads that wait for Python's interpreter. Without them what one of them does while it has it
/// is done at the same time as the others' work, on as many processing units as there are: of the
/// time in which nobody is being woken, all but the share of one unit.
std::optional<advice> about_interpreter(const std::vector<site>& sites,
                                        const advice_setting& setting,
                                        const std::set<std::uint64_t>& locks) {
  std::set<std::uint64_t> conditions, waiters;
  for (const site& of : sites)
    for (const auto& [number, use] : of.conditions)
      if (locks.contains(use.lock)) conditions.insert(number);
  waits all{.sites = sites, .setting = setting};
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const part_of_waits part = waits_for(conditions, sites[id - 1]);
    if (part.share == 0) continue;
    all.add(id, part.share);
    waiters.insert(part.waiters.begin(), part.waiters.end());
  }
  if (waiters.size() < 2 || all.count == 0) return std::nullopt;
  const double waited_s = all.all_late_s + all.all_wake_s;
  const auto threads = static_cast<double>(waiters.size());
  const double at_once =
      setting.usable_pus == 0 ? threads : std::max(1.0, std::min(threads, setting.usable_pus));
  const double one_has_it_s = std::max(0.0, setting.wall_s - all.all_wake_s);
  advice found = all.found(
      "interpreter", std::min(waited_s, setting.wall_s - one_has_it_s / at_once),
      fmt::format("{}: {} threads wait {} times for Python's interpreter, which runs one thread at "
                  "a time (the global interpreter lock), {} each time. Processes "
                  "(multiprocessing, concurrent.futures.ProcessPoolExecutor) run Python code at "
                  "the same time, and threads do so in functions that give the interpreter back "
                  "while they work, as those of numpy and of I/O do; else fewer threads wait less.",
                  all.where(), waiters.size(), grouped_digits(all.count),
                  seconds_text(waited_s / static_cast<double>(all.count))),
      fmt::format("All threads together wait {}; to work at the same time",
                  seconds_text(waited_s)));
  found.seen_share = waited_s / threads / setting.wall_s;
  return found;
}

/// An ordered loop holds threads back in turn, as does one whose iterations wait for named ones,
/// and those that are through first wait at its end.
std::optional<advice> about_ordered(std::size_t id, const std::vector<site>& sites,
                                    const advice_setting& setting) {
  const site& of = sites[id - 1];
  const bool names_iteration = of.kind == "doacross";
  if ((of.kind != "ordered" && !names_iteration) || of.threads < 2 || !cost_of(of))
    return std::nullopt;
  waits all{.sites = sites, .setting = setting};
  all.add(id);
  const double late_s =
      all.of_thread_s() < least_worth_saying * setting.wall_s ? 0 : late_in_team_s(of, sites);
  return all.found(
      "ordered", all.of_thread_s() + late_s,
      names_iteration
          ? fmt::format("{}: {} threads wait {} times for another iteration of a loop "
                        "(depend(sink)), {} each time. Let an iteration be a larger block of each "
                        "level, so that fewer are waited for, and hand out those of the outer "
                        "level in turn (schedule(static, 1)).",
                        all.where(), all.threads, grouped_digits(all.count), all.each_text())
          : fmt::format(
                "{}: {} threads come {} times to an ordered part of a loop, and wait {} each time "
                "for the iteration before. Leave in it only what needs the order, hand out "
                "iterations in turn (schedule(static, 1)), or keep what they compute "
                "in an array and go through it behind the loop.",
                all.where(), all.threads, grouped_digits(all.count), all.each_text()),
      fmt::format("A thread waits {}{}; to wait nowhere", seconds_text(all.of_thread_s()),
                  late_s < least_worth_saying * setting.wall_s
                      ? ""
                      : fmt::format(" there, and {} for the last thread where its team meets",
                                    seconds_text(late_s))));
}

/// A library's loops are not the program's to change, and one thread that waits for the others
/// alone waits for their work.
std::optional<advice> about_yields(const std::vector<site>& sites, const advice_setting& setting) {
  waits all{.sites = sites, .setting = setting};
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const site& of = sites[id - 1];
    if (of.kind == "yield" && cost_of(of) && of.module.find(".so") == std::string::npos &&
        !is_in_kokkos(of))
      all.add(id);
  }
  if (all.threads < 2 || all.of_thread_s() < least_worth_saying * setting.wall_s)
    return std::nullopt;
  const bool crowded = setting.usable_pus != 0 && all.threads > setting.usable_pus;
  return all.found(
      "yields", all.all_wake_s,
      fmt::format(
          "{}: {} threads give up their processing unit {} times (sched_yield), {} each "
          "time, until another one has done something. {} Let them hand over more at a time, "
          "so that they wait less often.",
          all.where(), all.threads, grouped_digits(all.count), all.each_text(),
          crowded ? fmt::format("{:g} processing units run them: let them sleep until they "
                                "are woken (a condition variable; std::atomic wait, latches and "
                                "semaphores of libstdc++ yield some times before they sleep).",
                                setting.usable_pus)
                  : "Each has a unit of its own: a loop that pauses in place of the call "
                    "sees the change sooner, and a sleep (std::atomic wait, a condition "
                    "variable) costs no CPU time where waits are long."),
      fmt::format("The calls take {} for each of them in the mean; not to wait",
                  seconds_text(all.of_thread_s())));
}

/// Semaphores, and futexes, by which std::atomic and other languages wait: what a thread waits for
/// is not known, but how often and for how long. Who waits by a futex may have given up its
/// processing unit some times before. Where less than half of a site's calls wait, those that do
/// may be few, and wait for work that no hand-over makes shorter.
std::optional<advice> about_sleeps(std::string_view kind, const std::vector<site>& sites,
                                   const advice_setting& setting) {
  // To sleep and to be woken takes longer, and a call that does neither less than the second.
  constexpr double least_sleep_s = 2e-6, least_mean_s = 0.5e-6;
  waits all{.sites = sites, .setting = setting};
  double sleeps_s = 0, rare_s = 0, yields_s = 0;
  std::vector<std::size_t> yields;
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const site& of = sites[id - 1];
    const auto cost = cost_of(of);
    if (!cost || of.threads == 0) continue;
    const double of_threads_s = cost->call_s * of.threads;
    if (of.kind == "yield") {
      yields_s += of_threads_s;
      yields.push_back(id);
    }
    if (of.kind != kind) continue;
    if (of.times->call.median_ns * 1e-9 < least_mean_s) {
      rare_s += of_threads_s;
      continue;
    }
    all.add(id);
    // Of one thread's path.
    sleeps_s += least_sleep_s * static_cast<double>(of.count) / of.threads;
  }
  const double least_s = least_worth_saying * setting.wall_s;
  if (sleeps_s < least_s || all.all_wake_s < least_s ||
      all.all_wake_s < least_mean_s * static_cast<double>(all.count))
    return std::nullopt;
  const bool futexes = kind == "futex";
  // Many more yields than waits are those of other places.
  const bool is_yielding = futexes && yields_s > 0 && yields_s < all.all_wake_s;
  advice found = all.found(
      "handoffs", all.all_wake_s + rare_s + (is_yielding ? yields_s : 0),
      fmt::format("{}: threads {} {} times, {} each time in the mean. Let them hand over many "
                  "items at a time, meet less often, or hold for a shorter time what others wait "
                  "for: then fewer of them sleep and are woken.",
                  all.where(),
                  futexes ? "wait or wake others (futex)" : "wait for a semaphore (sem_wait)",
                  grouped_digits(all.count), all.each_text()),
      is_yielding ? fmt::format("Threads also spend {} in sched_yield, as before they sleep; to "
                                "wait nowhere",
                                seconds_text(yields_s))
                  : "To wait nowhere there");
  if (is_yielding) std::ranges::copy(yields, std::back_inserter(found.more_ids));
  return found;
}

/// A thread that lives for a small piece of work. The calls that start threads are what tells: to
/// wait for their ends is to wait for their work, too.
std::optional<advice> about_short_threads(const std::vector<site>& sites,
                                          const advice_setting& setting) {
  constexpr double few = 100, of_a_pool = 4;
  waits created{.sites = sites, .setting = setting}, joined{.sites = sites, .setting = setting};
  double path_s = 0;
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const site& of = sites[id - 1];
    const auto cost = cost_of(of);
    if (!cost || is_of_openmp(of)) continue;
    if (of.kind == "join") joined.add(id);
    if (of.kind != "create") continue;
    created.add(id);
    path_s += cost->call_s;
  }
  // As many as a pool has may live as long as the program.
  if (static_cast<double>(created.count) < std::max(few, of_a_pool * setting.usable_pus) ||
      path_s < least_worth_saying * setting.wall_s)
    return std::nullopt;
  // Who waits for detached threads does so by other calls.
  const bool are_joined = joined.count >= created.count / 2;
  return created.found(
      "threads", are_joined ? created.all_wake_s + joined.all_wake_s : setting.wall_s,
      fmt::format("{}: {} threads are started, {} each in the call alone. Let a few threads live "
                  "as long as the program and take their work from a list, or give each a larger "
                  "piece.",
                  created.where(), grouped_digits(created.count), created.each_text()),
      are_joined
          ? fmt::format("The calls take {}, and threads wait {} for the ends of others, which is "
                        "their work, too; to start and to end none",
                        seconds_text(created.all_wake_s), seconds_text(joined.all_wake_s))
          : fmt::format("The calls take {}, and most of the threads are not joined, so that it is "
                        "not known what waits for them; to start and to end none",
                        seconds_text(created.all_wake_s)));
}

/// CPython's own, from 3.2 on: drop_gil or drop_gil_impl, which compilers put into the exported
/// one, and take_gil, for which one that was asked to give the interpreter back waits.
bool hands_interpreter_over(const source_frame& frame) {
  return frame.function.starts_with("drop_gil") || frame.function.starts_with("take_gil") ||
         frame.function == "PyEval_SaveThread";
}

}  // namespace

std::set<std::uint64_t> locks_of_interpreter(const std::vector<site>& sites) {
  std::set<std::uint64_t> locks;
  for (const site& of : sites)
    if (of.kind == "signal" && std::ranges::any_of(of.frames, hands_interpreter_over))
      for (const auto& [number, use] : of.conditions)
        if (use.lock != 0) locks.insert(use.lock);
  return locks;
}

std::vector<advice> advise_on_turns(const std::vector<site>& sites, const advice_setting& setting,
                                    const std::vector<advice>& advised) {
  std::vector<advice> all;
  const auto add = [&all](std::optional<advice> found) {
    if (found) all.push_back(*std::move(found));
  };
  const std::set<std::uint64_t> of_interpreter = locks_of_interpreter(sites);
  add(about_interpreter(sites, setting, of_interpreter));
  for (const lock_object& lock : setting.objects)
    if (!of_interpreter.contains(lock.number)) add(about_handoffs(lock, sites, setting, advised));
  for (std::size_t id = 1; id <= sites.size(); ++id) add(about_ordered(id, sites, setting));
  add(about_sleeps("sem_wait", sites, setting));
  // What yields before it sleeps is one wait.
  auto sleeps = about_sleeps("futex", sites, setting);
  const bool has_yields = sleeps && std::ranges::any_of(sleeps->more_ids, [&](std::size_t id) {
                            return sites[id - 1].kind == "yield";
                          });
  add(std::move(sleeps));
  if (!has_yields) add(about_yields(sites, setting));
  add(about_short_threads(sites, setting));
  return all;
}

}  // namespace syncmeter
