#include "driver/advise/signal_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/advise/turn_rules.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// Signals: they cannot take much, however long the waits for them were.
constexpr std::uint64_t few = 100;

/// What all threads together wait at sites of a lock: to get it, and from a signal on until they
/// have it again. Until the signal a thread is idle for whatever another one does meanwhile, which
/// is work, or such a wait. So to wait nowhere saves at most that, and no less would be a bound:
/// where threads take turns, one that is late is waited for by the others.
double waited_in_all_s(std::uint64_t lock, const std::vector<site>& sites) {
  double all_s = 0;
  for (const site& of : sites) {
    const auto use = of.locks.find(lock);
    const auto cost = cost_of(of);
    if (use == of.locks.end() || !cost) continue;
    const double part = static_cast<double>(use->second.count) /
                        static_cast<double>(std::max<std::uint64_t>(1, of.count));
    if (!find_call(of.kind).lock.empty())
      all_s += cost->in_calls_s() * of.threads * std::min(1.0, part);
  }
  return all_s;
}

/// Whether most of these signals are sent by a thread that has the lock.
bool is_under_lock(const condition_use& use) { return 2 * use.under_lock > use.signals; }

/// What all sites have of each condition; its lock from those that wait.
std::map<std::uint64_t, condition_use> uses_of_all(const std::vector<site>& sites) {
  std::map<std::uint64_t, condition_use> all;
  for (const site& of : sites)
    for (const auto& [number, use] : of.conditions) all[number].add(use);
  return all;
}

/// Whether the lock is one that the waits alone have, as std::condition_variable_any: each signal
/// is sent under it.
bool has_own_lock(const condition_use& use) {
  return use.with_own_lock > 0 && 2 * use.with_own_lock > use.waits;
}

/// What each of a site's threads that wait for these conditions takes from their signals on.
double from_signal_s(const std::set<std::uint64_t>& conditions, const site& of) {
  const part_of_waits part = waits_for(conditions, of);
  if (part.waiters.empty()) return 0;
  return part.share * cost_of(of).value_or(site_cost{}).mechanism_s * of.threads /
         static_cast<double>(part.waiters.size());
}

/// Of a library that was built without source lines nobody knows whether it is the user's.
bool is_in_library_without_lines(const site& of) {
  return of.module.find(".so") != std::string::npos && frame_to_show(of) == nullptr;
}

/// Waits of which one change, at the senders of their signals, is about all: they have a sender or
/// a lock in common.
struct held_back {
  std::vector<std::size_t> waits{}, senders{};  ///< by their numbers in the file
  std::set<std::uint64_t> locks{}, conditions{};
  std::set<std::pair<std::size_t, std::uint64_t>> signals{};  ///< of a sender for a condition
  bool of_own_locks = false;                                  ///< of the conditions
  std::set<std::uint64_t> around{};  ///< those that are given back under them

  [[nodiscard]] bool has_part_of(const held_back& other) const {
    const auto common = [](const auto& some, const auto& others) {
      return std::ranges::any_of(
          some, [&](auto each) { return std::ranges::find(others, each) != others.end(); });
    };
    return of_own_locks == other.of_own_locks &&
           (common(senders, other.senders) || common(locks, other.locks) ||
            common(around, other.around));
  }
  void add(const held_back& other) {
    waits.insert(waits.end(), other.waits.begin(), other.waits.end());
    for (const std::size_t sender : other.senders)
      if (std::ranges::find(senders, sender) == senders.end()) senders.push_back(sender);
    locks.insert(other.locks.begin(), other.locks.end());
    signals.insert(other.signals.begin(), other.signals.end());
    conditions.insert(other.conditions.begin(), other.conditions.end());
    of_own_locks = other.of_own_locks;
    around.insert(other.around.begin(), other.around.end());
  }
};

/// Those at one site, by the conditions that it waits for; none where signals are sent without the
/// lock, or few, or the lock is one of those of which there is other advice.
std::optional<held_back> held_back_at(std::size_t id, const std::vector<site>& sites,
                                      const std::map<std::uint64_t, condition_use>& uses,
                                      const std::set<std::uint64_t>& of_other_advice,
                                      bool of_own_locks) {
  const site& of = sites[id - 1];
  held_back found{.waits = {id}, .of_own_locks = of_own_locks};
  for (std::size_t sender = 1; sender <= sites.size(); ++sender) {
    const site& other = sites[sender - 1];
    if (other.kind != "signal" || !other.times) continue;
    bool sends = false;
    for (const auto& [number, use] : other.conditions) {
      if (!of.conditions.contains(number) || !is_under_lock(use) ||
          use.under_lock * other.times->every < few || of_other_advice.contains(use.lock) ||
          has_own_lock(uses.at(number)) != of_own_locks)
        continue;
      sends = true;
      found.locks.insert(use.lock);
      found.conditions.insert(number);
      if (of_own_locks) found.around.insert(uses.at(number).outer);
      found.signals.emplace(sender, number);
    }
    if (sends) found.senders.push_back(sender);
  }
  return found.senders.empty() ? std::nullopt : std::optional(found);
}

/// What to do, by whose the lock and the calls are.
std::string change_text(const held_back& of, const std::vector<site>& sites) {
  if (of.of_own_locks)
    return "The lock is one that the condition has for itself, as std::condition_variable_any "
           "does: std::condition_variable, with a std::mutex, has none.";
  const auto is_foreign = [&](std::size_t id) {
    return is_in_library_without_lines(sites[id - 1]);
  };
  if (std::ranges::all_of(of.waits, is_foreign) && std::ranges::all_of(of.senders, is_foreign))
    return fmt::format(
        "The calls are those of {}, of which no source line is known: where it is "
        "not yours to change, let threads wait for each other there less often, as "
        "with more work between two waits, or with fewer threads.",
        std::filesystem::path(sites[of.waits.front() - 1].module).filename().string());
  return "Release the lock first, and then send the signal.";
}

advice about(const held_back& of, const std::vector<site>& sites, const advice_setting& setting) {
  double at_most_s = 0, longest_s = 0, all_s = 0;
  for (const std::uint64_t lock : of.locks) at_most_s += waited_in_all_s(lock, sites);
  at_most_s = std::min(at_most_s, setting.wall_s);
  std::uint64_t count = 0;
  std::set<std::uint64_t> waiters;
  for (const std::size_t id : of.waits) {
    const part_of_waits part = waits_for(of.conditions, sites[id - 1]);
    count += part.calls;
    waiters.insert(part.waiters.begin(), part.waiters.end());
    const double each_s = from_signal_s(of.conditions, sites[id - 1]);
    longest_s = std::max(longest_s, each_s);
    all_s += each_s * static_cast<double>(part.waiters.size());
  }
  condition_use sent;
  for (const auto& [sender, condition] : of.signals)
    sent.add(sites[sender - 1].conditions.at(condition));
  const std::string cause = fmt::format(
      "{}: {} for a signal {} times, and {:.0f} % of the signals from {} are sent by a thread that "
      "has the lock that the waiting one needs: it wakes, and waits again. {}",
      places_text(of.waits, sites), count_text(waiters.size(), "thread waits", "threads wait"),
      grouped_digits(count),
      100 * static_cast<double>(sent.under_lock) / static_cast<double>(sent.signals),
      places_text(of.senders, sites), change_text(of, sites));
  std::vector<std::size_t> more(of.waits.begin() + 1, of.waits.end());
  more.insert(more.end(), of.senders.begin(), of.senders.end());
  return {.rule = "signals",
          .site_id = of.waits.front(),
          .at_most_s = at_most_s,
          .text = fmt::format(
              "{} From the signal on a thread takes {}{} of {} until it has the lock. That, and "
              "what all threads wait elsewhere for {}, is {}; the change saves at most all of it.",
              cause, of.waits.size() == 1 ? "" : "up to ",
              seconds_text(std::min(longest_s, setting.wall_s)), seconds_text(setting.wall_s),
              of.locks.size() == 1 ? "this lock" : "these locks", seconds_text(at_most_s)),
          .cause = cause,
          .seen_share = all_s / std::max(1.0, static_cast<double>(waiters.size())) / setting.wall_s,
          .more_ids = std::move(more)};
}

/// Conditions of one lock at which each signal wakes all who wait, and most of them wait again at
/// once. Those with a lock of their own are of the lock that is given back under it.
struct woken_in_vain {
  std::set<std::uint64_t> locks, conditions, waiters;
  std::uint64_t waits = 0, in_vain = 0;  ///< as timed
  bool of_own_locks = false;
};

/// A single waiter has no others that are woken with it. Where signals wake one thread, its wait is
/// in vain because another one was faster.
std::vector<woken_in_vain> all_woken_in_vain(const std::vector<site>& sites,
                                             const std::map<std::uint64_t, condition_use>& uses,
                                             const std::set<std::uint64_t>& of_other_advice) {
  std::map<std::uint64_t, std::uint64_t> in_vain_in_all;  // of all waits, by those that were timed
  for (const site& of : sites)
    for (const auto& [number, use] : of.conditions)
      if (of.times) in_vain_in_all[number] += use.in_vain * of.times->every;
  std::map<std::uint64_t, woken_in_vain> by_lock;
  for (const auto& [number, use] : uses) {
    if (2 * use.in_vain < use.waits || 2 * use.to_all < use.signals || use.to_all == 0 ||
        in_vain_in_all[number] < few || use.waiters.size() < 2 ||
        of_other_advice.contains(use.lock))
      continue;
    const bool is_own = has_own_lock(use);
    woken_in_vain& of = by_lock[is_own ? use.outer : use.lock];
    of.locks.insert(use.lock);
    if (is_own) of.locks.insert(use.outer);
    of.of_own_locks |= is_own;
    of.conditions.insert(number);
    of.waiters.insert(use.waiters.begin(), use.waiters.end());
    of.waits += use.waits;
    of.in_vain += use.in_vain;
  }
  std::vector<woken_in_vain> found;
  for (auto& [lock, of] : by_lock) found.push_back(std::move(of));
  return found;
}

/// At the site where most time goes by from such signals on.
std::optional<advice> about_broadcasts(const woken_in_vain& of, const std::vector<site>& sites,
                                       const advice_setting& setting) {
  std::vector<std::size_t> waits, others, senders;
  std::map<std::size_t, double> each_s;
  std::uint64_t count = 0;
  double all_s = 0, at_most_s = 0;
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const site& at = sites[id - 1];
    bool is_for_these = false, wakes_all = false;
    for (const auto& [number, use] : at.conditions)
      if (of.conditions.contains(number)) {
        is_for_these = true;
        wakes_all |= use.to_all > 0;
      }
    if (!is_for_these) continue;
    if (at.kind != "cond_wait") {
      others.push_back(id);
      if (at.kind == "signal" && wakes_all) senders.push_back(id);
      continue;
    }
    waits.push_back(id);
    const part_of_waits part = waits_for(of.conditions, at);
    count += part.calls;
    each_s[id] = from_signal_s(of.conditions, at);
    all_s += each_s[id] * static_cast<double>(part.waiters.size());
  }
  std::ranges::stable_sort(waits, std::ranges::greater{},
                           [&](std::size_t id) { return each_s[id]; });
  if (waits.empty() || senders.empty() ||
      each_s[waits.front()] < least_worth_saying * setting.wall_s)
    return std::nullopt;
  for (const std::uint64_t lock : of.locks) at_most_s += waited_in_all_s(lock, sites);
  at_most_s = std::min(at_most_s, setting.wall_s);
  const double mean_s = all_s / static_cast<double>(of.waiters.size());
  const std::string cause = fmt::format(
      "{}: {} threads wait for a signal {} times, and each one from {} wakes all of them "
      "(notify_all, pthread_cond_broadcast): in {:.0f} % of the cases the thread finds nothing "
      "to do and waits again. Wake one thread (notify_one, pthread_cond_signal) where any of "
      "them can go on, and give threads that wait for different things a condition each.",
      places_text(waits, sites), of.waiters.size(), grouped_digits(count),
      places_text(senders, sites),
      100 * static_cast<double>(of.in_vain) / static_cast<double>(of.waits));
  std::vector<std::size_t> more(waits.begin() + 1, waits.end());
  more.insert(more.end(), others.begin(), others.end());
  return advice{
      .rule = "broadcasts",
      .site_id = waits.front(),
      .at_most_s = at_most_s,
      .text = fmt::format(
          "{} From the signal on a thread takes {} of {} in the mean until it has the lock{}. "
          "That, and what all threads wait elsewhere for {}, is {}; the change saves at most all "
          "of it.",
          cause, seconds_text(std::min(mean_s, setting.wall_s)), seconds_text(setting.wall_s),
          of.of_own_locks ? " that the condition has for itself (std::condition_variable_any)" : "",
          of.locks.size() == 1 ? "this lock" : "it and for the one around it",
          seconds_text(at_most_s)),
      .cause = cause,
      .seen_share = mean_s / setting.wall_s,
      .more_ids = std::move(more)};
}

}  // namespace

std::vector<advice> advise_on_signals(const std::vector<site>& sites,
                                      const advice_setting& setting) {
  std::vector<advice> advices;
  const auto uses = uses_of_all(sites);
  std::set<std::uint64_t> of_other_advice = locks_of_interpreter(sites);
  for (const woken_in_vain& each : all_woken_in_vain(sites, uses, of_other_advice))
    if (auto found = about_broadcasts(each, sites, setting)) {
      of_other_advice.insert(each.locks.begin(), each.locks.end());
      advices.push_back(*std::move(found));
    }
  std::vector<held_back> all;
  const auto add_at = [&](std::size_t id, bool of_own_locks) {
    const auto found = held_back_at(id, sites, uses, of_other_advice, of_own_locks);
    if (!found ||
        from_signal_s(found->conditions, sites[id - 1]) < least_worth_saying * setting.wall_s)
      return;
    // Earlier ones may have a part of it that they have not of each other.
    const auto with_part = std::stable_partition(
        all.begin(), all.end(), [&](const held_back& each) { return !each.has_part_of(*found); });
    held_back joined;
    std::for_each(with_part, all.end(), [&](const held_back& each) { joined.add(each); });
    joined.add(*found);
    all.erase(with_part, all.end());
    all.push_back(std::move(joined));
  };
  for (std::size_t id = 1; id <= sites.size(); ++id)
    if (sites[id - 1].kind == "cond_wait" && cost_of(sites[id - 1]))
      for (const bool of_own_locks : {false, true}) add_at(id, of_own_locks);
  for (held_back& each : all) {
    std::ranges::stable_sort(each.waits, std::ranges::greater{}, [&](std::size_t id) {
      return from_signal_s(each.conditions, sites[id - 1]);
    });
    advices.push_back(about(each, sites, setting));
  }
  return advices;
}

}  // namespace syncmeter
