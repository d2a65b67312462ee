#include "driver/advise/lock_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "driver/advise/lock_prices.hpp"
#include "driver/advise/shared_lines.hpp"
#include "driver/advise/signal_rules.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/advise/turn_rules.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// Of these calls of a site what a thread has in the mean.
site_cost cost_of_use(const site& of, const lock_use& use) {
  if (use.timed == 0) return {};
  const double each = static_cast<double>(use.count) / static_cast<double>(use.timed) * 1e-9 /
                      std::max(1U, of.threads);
  return {.lateness_s = use.section_ns * each, .mechanism_s = use.wait_ns * each};
}

/// A lock, or what one site takes of locks of which none is known by itself.
struct lock_case {
  const std::vector<site>& sites;
  const advice_setting& setting;
  std::vector<std::size_t> ids;  ///< of its sites, the one that takes most of the time first
  std::uint64_t count = 0;
  unsigned threads = 0;  ///< that take it at one of its sites
  double calls_s = 0;    ///< that take it: what a site has in the mean of its threads, all sites
  /// Of all threads together those calls, and they with the work under it and its release. A mean
  /// over the threads is no bound: one of them may wait for all that another one does, and where
  /// they take turns the others wait for it elsewhere.
  double all_calls_s = 0, all_sections_s = 0;
  double waits_s = 0;                   ///< of the calls in the mean, those that find it taken
  std::uint64_t waits = 0;              ///< as many as were timed
  bool is_drawn = false;                ///< one call in so many is timed
  const lock_object* object = nullptr;  ///< nothing is known of the lock itself: none
  std::size_t locks_here = 0;           ///< that its sites take, where it is one of many
  std::map<std::size_t, double> section_s_of{};  ///< of one thread, by site

  [[nodiscard]] const site& first() const { return sites[ids.front() - 1]; }
  [[nodiscard]] double waited_share() const {
    return object->timed == 0
               ? 0
               : static_cast<double>(object->waited) / static_cast<double>(object->timed);
  }
  [[nodiscard]] double held_s() const {
    return object->held_ns * 1e-9 /
           static_cast<double>(std::max<std::uint64_t>(1, object->known_for));
  }
  /// Whether other acquisitions take time that is not known.
  [[nodiscard]] bool is_known_in_part() const { return object->known_for < object->acquisitions; }
  [[nodiscard]] double utilisation() const {
    return std::min(1.0, object->exclusive_ns * 1e-9 / setting.wall_s);
  }
  /// At all of its sites; who takes it at several is counted at each.
  [[nodiscard]] unsigned threads_in_all() const {
    unsigned all = 0;
    for (const std::size_t id : ids) all += sites[id - 1].threads;
    return std::max(1U, all);
  }
  /// In the mean, at all of its sites.
  [[nodiscard]] double calls_of_thread() const {
    return static_cast<double>(count) / (object->threads.empty() ? threads_in_all() : threads);
  }
  /// No price is of calls that read and calls that write.
  [[nodiscard]] bool has_calls_of_one_kind() const {
    return std::ranges::all_of(ids,
                               [&](std::size_t id) { return sites[id - 1].kind == first().kind; });
  }
  /// As short as what it takes to get and give back a lock.
  [[nodiscard]] bool is_short() const {
    return object->short_hold_ns < waits_from_ns(setting.stamps);
  }
  /// Whether most of the time for which it is held is at sites where that is longer than short: a
  /// thread that loses its processor holds a lock for long at any.
  [[nodiscard]] bool is_held_long() const {
    constexpr double most = 0.8;
    double all_ns = 0, long_ns = 0;
    for (const std::size_t id : object->ids) {
      const lock_use& use = sites[id - 1].locks.at(object->number);
      if (use.timed == 0) continue;
      const double held_ns =
          use.hold_ns * static_cast<double>(use.count) / static_cast<double>(use.timed);
      all_ns += held_ns;
      if (use.short_hold_ns >= waits_from_ns(setting.stamps)) long_ns += held_ns;
    }
    return long_ns > 0 && long_ns >= most * all_ns;
  }
  /// Whether most calls are of threads that have another lock then: how long they hold it is not
  /// known.
  [[nodiscard]] bool is_mostly_hidden() const {
    return object != nullptr && 2 * object->hidden > object->acquisitions;
  }
  /// Returns the mean over the threads that acquire the lock, at all sites.
  [[nodiscard]] double mean_s(double all_s) const {
    const bool is_known = object != nullptr && !object->threads.empty();
    return all_s / (is_known ? threads : std::max(threads, threads_at(ids, sites)));
  }
  [[nodiscard]] double below_wall(double s) const { return std::min(s, setting.wall_s); }
  [[nodiscard]] std::string in_wall(double s) const {
    return fmt::format("{} of {}", seconds_text(below_wall(s)), seconds_text(setting.wall_s));
  }
  /// What the site with this number takes of the lock, or of the locks.
  void add(std::size_t id, const lock_use& use) {
    const site& of = sites[id - 1];
    const site_cost cost = cost_of_use(of, use);
    section_s_of[id] = cost.lateness_s;
    count += use.count;
    threads = std::max(threads, of.threads);
    calls_s += cost.mechanism_s;
    all_calls_s += cost.mechanism_s * of.threads;
    all_sections_s += cost.lateness_s * of.threads;
    if (use.wait_ns > 0) waits_s += cost.mechanism_s * std::min(1.0, use.waited_ns / use.wait_ns);
    waits += use.waited;
    is_drawn |= of.times && of.times->every > 1;
  }
  /// Returns the free lock's price times all calls.
  [[nodiscard]] removed_work calls_to_remove() const {
    const double each_ns = std::max(0.0, setting.stamps.free_lock_ns - setting.stamps.stamp_ns);
    return {.cpu_s = static_cast<double>(count) * each_ns * 1e-9};
  }
  void sort_ids() {
    std::ranges::stable_sort(ids, std::ranges::greater{},
                             [this](std::size_t id) { return section_s_of[id]; });
  }
  /// Work under a lock is no reason for another one; what it takes to get it is. One wait among a
  /// few that were drawn may be that of a thread which lost its processor, and stands for many.
  [[nodiscard]] bool is_worth_saying() const {
    constexpr std::uint64_t few = 5;
    const double known_s = calls_s - (is_drawn && waits < few ? waits_s : 0);
    return known_s >= least_worth_saying * setting.wall_s;
  }

  /// Who takes it, how often, where, and what is known of it.
  [[nodiscard]] std::string facts() const {
    std::string text = fmt::format("{}: {} take {} {} times ({})", where_text(first()),
                                   count_text(threads, "thread", "threads"),
                                   locks_here > 1 ? "one of several locks" : "a lock",
                                   grouped_digits(count), first().kind);
    if (ids.size() > 1)
      text += fmt::format(", here and at {}", places_text(std::span(ids).subspan(1), sites));
    text += '.';
    if (locks_here > 1)
      text += fmt::format(" There are {} of them already.", grouped_digits(locks_here));
    if (object == nullptr || object->timed == 0 || setting.counts_alone) return text;
    if (is_mostly_hidden())
      return text + fmt::format(" {:.0f} % of the timed calls find it taken; {} are not timed, as "
                                "their thread has another lock then, and for how long it is held "
                                "there is not known.",
                                100 * waited_share(), grouped_digits(object->hidden));
    // A share that the calls which are not timed may exceed many times is none worth saying.
    constexpr double some = 0.01;
    const bool says_share =
        first().kind != "rwlock_read" && (!is_known_in_part() || utilisation() >= some);
    return text +
           fmt::format(" {:.0f} % of the calls find it taken; it is held for {} each time{}.{}",
                       100 * waited_share(), seconds_text(held_s()),
                       says_share
                           ? fmt::format(", {}{:.0f} % of the time",
                                         is_known_in_part() ? "at least " : "", 100 * utilisation())
                           : "",
                       is_known_in_part()
                           ? fmt::format(" That is without {} calls that are not timed, as their "
                                         "thread has another lock then.",
                                         grouped_digits(object->hidden))
                           : "");
  }
  [[nodiscard]] advice found(std::string_view rule, double at_most_s, const std::string& what,
                             const std::string& saving) const {
    return {.rule = std::string(rule),
            .site_id = ids.front(),
            .at_most_s = at_most_s,
            .text = fmt::format("{} {} {}", facts(), what, saving),
            .cause = fmt::format("{} {}", facts(), what),
            .seen_share = mean_s(all_calls_s) / setting.wall_s,
            .more_ids = {ids.begin() + 1, ids.end()}};
  }
};

/// A thread that has a lock and loses its processor keeps all others waiting.
std::optional<advice> about_crowd(const lock_case& of) {
  const double pus = of.setting.usable_pus;
  const bool spins = of.first().kind == "spin_lock";
  // Threads that sleep for a lock leave their processor to the one that has it.
  if (!spins || pus == 0 || of.threads <= pus) return std::nullopt;
  return of.found(
      "oversubscription", of.below_wall(of.all_calls_s),
      fmt::format("{:g} processing units run them: while the thread that has the lock waits for "
                  "one, the others spin. Take no more threads than that, or a lock that sleeps.",
                  pus),
      fmt::format("A thread spends {} in the calls that take it, in the mean; that saves at most "
                  "what all threads together spend, {}.",
                  of.in_wall(of.mean_s(of.all_calls_s)),
                  seconds_text(of.below_wall(of.all_calls_s))));
}

/// Whether threads wait for as long as others hold it: to wake them, or any other part that is the
/// lock's own, is little of that.
bool waits_for_holders(const lock_object& of, unsigned threads) {
  constexpr double about = 0.8;
  const double others_s = of.exclusive_ns * std::max(1U, threads - 1);
  return of.wait_ns >= about * of.exclusive_ns && about * of.wait_ns <= others_s;
}

/// Who holds a lock nearly all the time makes the others wait, whatever the lock is, and so does
/// who holds it whenever they want it. No change saves more than all of them wait, nor has any
/// thread less to do under the lock than its share.
std::optional<advice> about_section(const lock_case& of) {
  constexpr double busy = 0.8;
  if (of.object == nullptr || !of.is_held_long()) return std::nullopt;
  const bool always = of.utilisation() >= busy;
  if (!always && !waits_for_holders(*of.object, of.threads)) return std::nullopt;
  const double share_s = of.object->exclusive_ns * 1e-9 / of.threads_in_all();
  double at_most_s =
      std::min(of.object->wait_ns * 1e-9, std::max(0.0, of.setting.wall_s - share_s));
  // Whoever takes it while it has another lock may wait for it as well.
  if (of.is_known_in_part()) at_most_s = std::max(0.0, of.setting.wall_s - share_s);
  advice found = of.found(
      "section", at_most_s,
      fmt::format("Move work that needs no shared data out of the critical section. {}.{}",
                  always ? "No other type of lock helps" : "Another type of lock hardly helps",
                  signals_under_text(of.object->number, of.sites)),
      fmt::format("Threads wait {}{} of {} for it, all together, and one that held it no "
                  "longer than its share would need {}: to work at the same time saves "
                  "at most {}.",
                  of.is_known_in_part() ? "at least " : "", seconds_text(of.object->wait_ns * 1e-9),
                  seconds_text(of.setting.wall_s), seconds_text(share_s), seconds_text(at_most_s)));
  found.removes = of.calls_to_remove();
  return found;
}

/// Readers of a lock write to it.
std::optional<advice> about_readers(const lock_case& of) {
  constexpr double hardly_ever = 0.05;
  const bool reads = of.first().kind == "rwlock_read";
  if (of.object == nullptr || !reads || of.waited_share() > hardly_ever || !of.is_short())
    return std::nullopt;
  constexpr double some = 0.01;
  const double changes = of.object->owner_changes.value_or(0) /
                         static_cast<double>(std::max<std::uint64_t>(1, of.object->acquisitions));
  const std::string moves =
      changes < some ? ""
                     : fmt::format(": for {:.0f} % of the calls the lock's cache line moves from "
                                   "another CPU",
                                   100 * std::min(1.0, changes));
  advice found = of.found(
      "readers", of.below_wall(of.all_sections_s),
      fmt::format(
          "Readers hardly wait, but each writes to the lock{}. Read the data through an atomic "
          "pointer that writers replace as a whole.",
          moves),
      fmt::format("A copy of the data for each thread needs no lock, either. A thread spends {} to "
                  "take it, read and give it back, in the mean; to read "
                  "without it saves at most what all threads together spend, {}.",
                  of.in_wall(of.mean_s(of.all_sections_s)),
                  seconds_text(of.below_wall(of.all_sections_s))));
  found.seen_share = of.mean_s(of.all_sections_s) / of.setting.wall_s;
  found.removes = of.calls_to_remove();
  return found;
}

advice about_lock(const lock_case& of) {
  advice found = of.found(
      "locks", of.below_wall(of.all_sections_s),
      fmt::format("{}Give each thread its own variable and combine them at the end.",
                  of.is_mostly_hidden() ? "If the lock is held for long, hold it for a shorter "
                                          "time. Otherwise: "
                                        : ""),
      fmt::format("Other changes: an atomic operation{}. A thread spends {} in the calls that take "
                  "it, in the mean, and {} with the work "
                  "under the lock and its release. A change saves between nothing and that of "
                  "all threads together, {}.",
                  of.locks_here > 1 ? ", another type of lock"
                                    : ", several locks, another type of lock",
                  of.in_wall(of.mean_s(of.all_calls_s)),
                  seconds_text(of.below_wall(of.mean_s(of.all_sections_s))),
                  seconds_text(of.below_wall(of.all_sections_s))));
  found.kind = "range";
  found.removes = of.calls_to_remove();
  return found;
}

/// A lock that is taken this often takes time by what it is. Where fewer calls take as much, each
/// waits for a thread that holds it for long, or that has no processor, and no other lock helps.
constexpr std::uint64_t fewest_calls = 100;

/// The cause is the first of these that holds. Counts alone do not say how long a lock is held.
std::optional<advice> about_case(const lock_case& of) {
  if (auto found = about_crowd(of)) return found;
  if (!of.setting.counts_alone && !of.is_mostly_hidden())
    for (const auto rule : {&about_section, &about_readers})
      if (auto found = rule(of)) return found;
  if (of.count < fewest_calls) return std::nullopt;
  return about_lock(of);
}

lock_case case_of(const lock_object& object, const std::vector<site>& sites,
                  const advice_setting& setting) {
  lock_case found{.sites = sites, .setting = setting, .ids = {}, .object = &object};
  for (const std::size_t id : object.ids) {
    const site& of = sites[id - 1];
    if (!is_for_lock(of)) continue;
    found.ids.push_back(id);
    found.add(id, of.locks.at(object.number));
  }
  if (!object.threads.empty()) found.threads = static_cast<unsigned>(object.threads.size());
  found.sort_ids();
  return found;
}

/// Sites that take locks in common, directly or by another one, and all locks of them.
struct sites_of_locks {
  std::vector<std::size_t> ids;
  std::set<std::uint64_t> locks;
};

/// All sites, by the locks beside those that have an advice of their own.
std::vector<sites_of_locks> sites_by_locks(const std::vector<site>& sites,
                                           const std::set<std::uint64_t>& advised) {
  std::vector<sites_of_locks> all;
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const site& of = sites[id - 1];
    if (!is_for_lock(of) || !of.times) continue;
    sites_of_locks found{.ids = {id}, .locks = {}};
    for (const auto& [number, use] : of.locks)
      if (!advised.contains(number)) found.locks.insert(number);
    const auto is_apart = [&](const sites_of_locks& each) {
      return std::ranges::none_of(each.locks,
                                  [&](std::uint64_t lock) { return found.locks.contains(lock); });
    };
    const auto joined = std::stable_partition(all.begin(), all.end(), is_apart);
    std::for_each(joined, all.end(), [&](sites_of_locks& each) {
      found.ids.insert(found.ids.end(), each.ids.begin(), each.ids.end());
      found.locks.merge(each.locks);
    });
    all.erase(joined, all.end());
    all.push_back(std::move(found));
  }
  return all;
}

/// What these sites take of locks beside those that have an advice of their own: a change of the
/// locks is one of all sites that take them.
lock_case rest_of(const sites_of_locks& at, const std::vector<site>& sites,
                  const advice_setting& setting, const std::set<std::uint64_t>& advised) {
  lock_case found{.sites = sites, .setting = setting, .ids = at.ids};
  std::set<std::uint64_t> locks;
  for (const std::size_t id : at.ids) {
    const site& of = sites[id - 1];
    lock_use all{.count = of.count,
                 .timed = of.times->timed,
                 .wait_ns = of.times->mechanism.sum_ns,
                 .section_ns = of.times->lateness.sum_ns};
    for (const auto& [number, use] : of.locks)
      if (advised.contains(number)) {
        all.count -= use.count;
        all.timed -= use.timed;
        all.wait_ns -= use.wait_ns;
        all.section_ns -= use.section_ns;
      } else {
        all.waited += use.waited;
        all.waited_ns += use.waited_ns;
        locks.insert(number);
      }
    found.add(id, all);
  }
  found.locks_here = locks.size();
  std::set<std::uint32_t> threads;
  for (const lock_object& object : setting.objects)
    if (locks.contains(object.number)) threads.insert(object.threads.begin(), object.threads.end());
  found.threads = std::max(found.threads, static_cast<unsigned>(threads.size()));
  found.sort_ids();
  return found;
}

bool has_advice_of_rest(const lock_case& of) {
  return of.threads >= 2 && of.count >= fewest_calls && of.is_worth_saying();
}

/// Whether a lock is one of many that the same sites take, each a part of what they all take: one
/// change is that of all of them, which have an advice. A lock with nearly all of it stands alone.
bool is_part_of_all(const lock_case& of, const std::set<std::uint64_t>& advised) {
  constexpr double nearly_all = 0.8;
  const std::uint64_t number = of.object->number;
  const auto groups = sites_by_locks(of.sites, advised);
  const auto at = std::ranges::find_if(
      groups, [&](const sites_of_locks& each) { return each.locks.contains(number); });
  if (at == groups.end() || at->locks.size() < 2) return false;
  std::set<std::uint64_t> without = advised;
  without.insert(number);
  const lock_case others = rest_of(*at, of.sites, of.setting, without);
  return others.is_worth_saying() &&
         of.all_sections_s < nearly_all * (of.all_sections_s + others.all_sections_s) &&
         has_advice_of_rest(rest_of(*at, of.sites, of.setting, advised));
}

}  // namespace

std::vector<advice> advise_on_locks(const std::vector<site>& sites, const advice_setting& setting) {
  std::set<std::uint64_t> advised = locks_of_interpreter(sites);
  std::vector<advice> all = advise_on_shared_lines(sites, setting, advised);
  std::vector<std::pair<lock_case, advice>> of_any_kind;
  for (const lock_object& object : setting.objects) {
    const lock_case of = case_of(object, sites, setting);
    if (advised.contains(object.number) || of.ids.empty() || of.threads < 2 ||
        !of.is_worth_saying())
      continue;
    auto found = about_case(of);
    if (found && of.has_calls_of_one_kind())
      add_prices_of_lock(*found, of.first(), of.calls_of_thread(), setting);
    if (found && found->rule == "locks" && !found->of_plain_runs) {
      of_any_kind.emplace_back(of, *std::move(found));
      continue;
    }
    advised.insert(object.number);
    if (found) all.push_back(*std::move(found));
  }
  // A lock may be one of many beside another one that turns out to stand alone.
  for (bool is_changed = true; std::exchange(is_changed, false);)
    for (auto& [of, found] : of_any_kind)
      if (!advised.contains(of.object->number) && !is_part_of_all(of, advised)) {
        advised.insert(of.object->number);
        all.push_back(std::move(found));
        is_changed = true;
      }
  std::ranges::move(advise_on_signals(sites, setting), std::back_inserter(all));
  for (const sites_of_locks& each : sites_by_locks(sites, advised)) {
    const lock_case rest = rest_of(each, sites, setting, advised);
    if (has_advice_of_rest(rest)) all.push_back(about_lock(rest));
  }
  return all;
}

}  // namespace syncmeter
