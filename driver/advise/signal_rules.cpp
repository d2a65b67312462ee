#include "driver/advise/signal_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
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
      all_s += cost->mechanism_s * of.threads * std::min(1.0, part);
  }
  return all_s;
}

/// Whether most of these signals are sent by a thread that has the lock.
bool is_under_lock(const condition_use& use) { return 2 * use.under_lock > use.signals; }

/// Waits of which one change, at the senders of their signals, is about all: they have a sender or
/// a lock in common.
struct held_back {
  std::vector<std::size_t> waits, senders;  ///< by their numbers in the file
  std::set<std::uint64_t> locks;
  std::set<std::pair<std::size_t, std::uint64_t>> signals;  ///< of a sender for a condition

  [[nodiscard]] bool has_part_of(const held_back& other) const {
    const auto common = [](const auto& some, const auto& others) {
      return std::ranges::any_of(
          some, [&](auto each) { return std::ranges::find(others, each) != others.end(); });
    };
    return common(senders, other.senders) || common(locks, other.locks);
  }
  void add(const held_back& other) {
    waits.insert(waits.end(), other.waits.begin(), other.waits.end());
    for (const std::size_t sender : other.senders)
      if (std::ranges::find(senders, sender) == senders.end()) senders.push_back(sender);
    locks.insert(other.locks.begin(), other.locks.end());
    signals.insert(other.signals.begin(), other.signals.end());
  }
};

/// Those at one site, by the conditions that it waits for; none where signals are sent without the
/// lock, or few, or the lock is one of those of which broadcasts are the advice.
std::optional<held_back> held_back_at(std::size_t id, const std::vector<site>& sites,
                                      const std::set<std::uint64_t>& of_broadcasts) {
  const site& of = sites[id - 1];
  held_back found{.waits = {id}, .senders = {}, .locks = {}, .signals = {}};
  for (std::size_t sender = 1; sender <= sites.size(); ++sender) {
    const site& other = sites[sender - 1];
    if (other.kind != "signal" || !other.times) continue;
    bool sends = false;
    for (const auto& [number, use] : other.conditions) {
      if (!of.conditions.contains(number) || !is_under_lock(use) ||
          use.under_lock * other.times->every < few || of_broadcasts.contains(use.lock))
        continue;
      sends = true;
      found.locks.insert(use.lock);
      found.signals.emplace(sender, number);
    }
    if (sends) found.senders.push_back(sender);
  }
  return found.senders.empty() ? std::nullopt : std::optional(found);
}

advice about(const held_back& of, const std::vector<site>& sites, const advice_setting& setting) {
  double at_most_s = 0, longest_s = 0;
  for (const std::uint64_t lock : of.locks) at_most_s += waited_in_all_s(lock, sites);
  at_most_s = std::min(at_most_s, setting.wall_s);
  std::uint64_t count = 0;
  for (const std::size_t id : of.waits) {
    count += sites[id - 1].count;
    longest_s = std::max(longest_s, cost_of(sites[id - 1])->mechanism_s);
  }
  condition_use sent;
  for (const auto& [sender, condition] : of.signals)
    sent.add(sites[sender - 1].conditions.at(condition));
  const bool is_one = of.waits.size() == 1;
  const std::string cause = fmt::format(
      "{}: {} for a signal {} times, and {:.0f} % of the signals from {} are sent by a thread that "
      "has the lock that the waiting one needs: it wakes, and waits again. Release the lock first, "
      "and then send the signal.",
      places_text(of.waits, sites),
      is_one ? count_text(sites[of.waits.front() - 1].threads, "thread waits", "threads wait")
             : "threads wait",
      grouped_digits(count),
      100 * static_cast<double>(sent.under_lock) / static_cast<double>(sent.signals),
      places_text(of.senders, sites));
  std::vector<std::size_t> more(of.waits.begin() + 1, of.waits.end());
  more.insert(more.end(), of.senders.begin(), of.senders.end());
  return {.rule = "signals",
          .site_id = of.waits.front(),
          .at_most_s = at_most_s,
          .text = fmt::format(
              "{} From the signal on a thread takes {}{} of {} until it has the lock. That, and "
              "what all threads wait elsewhere for {}, is {}; the change saves at most all of it.",
              cause, is_one ? "" : "up to ", seconds_text(std::min(longest_s, setting.wall_s)),
              seconds_text(setting.wall_s), of.locks.size() == 1 ? "this lock" : "these locks",
              seconds_text(at_most_s)),
          .cause = cause,
          .seen_s = longest_s,
          .more_ids = std::move(more)};
}

/// Conditions of one lock at which each signal wakes all who wait, and most of them wait again at
/// once.
struct woken_in_vain {
  std::set<std::uint64_t> conditions;
  condition_use use;  ///< of all of them
};

/// A single waiter has no others that are woken with it. Where signals wake one thread, its wait is
/// in vain because another one was faster.
std::vector<woken_in_vain> all_woken_in_vain(const std::vector<site>& sites) {
  struct all_sites {
    condition_use use;
    std::uint64_t in_vain_in_all = 0;  ///< of all waits, by those that were timed
    unsigned threads = 0;
  };
  std::map<std::uint64_t, all_sites> by_condition;
  for (const site& of : sites)
    for (const auto& [number, use] : of.conditions) {
      all_sites& all = by_condition[number];
      all.use.add(use);
      if (of.kind != "cond_wait") continue;
      if (of.times) all.in_vain_in_all += use.in_vain * of.times->every;
      all.threads += of.threads;
    }
  std::map<std::uint64_t, woken_in_vain> by_lock;
  for (const auto& [number, all] : by_condition) {
    if (2 * all.use.in_vain < all.use.waits || 2 * all.use.to_all < all.use.signals ||
        all.use.to_all == 0 || all.in_vain_in_all < few || all.threads < 2)
      continue;
    woken_in_vain& of = by_lock[all.use.lock];
    of.conditions.insert(number);
    of.use.add(all.use);
  }
  std::vector<woken_in_vain> found;
  for (auto& [lock, of] : by_lock) found.push_back(std::move(of));
  return found;
}

/// Of the waits at a site, those for these conditions.
double part_for(const std::set<std::uint64_t>& conditions, const site& of) {
  double here = 0, all = 0;
  for (const auto& [number, use] : of.conditions) {
    all += static_cast<double>(use.waits);
    if (conditions.contains(number)) here += static_cast<double>(use.waits);
  }
  return all > 0 ? here / all : 0;
}

/// At the site where most time goes by from such signals on.
std::optional<advice> about_broadcasts(const woken_in_vain& of, const std::vector<site>& sites,
                                       const advice_setting& setting) {
  std::vector<std::size_t> waits, others, senders;
  std::map<std::size_t, double> from_signal_s;
  unsigned threads = 0;
  double count = 0, all_s = 0;
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
    const double part = part_for(of.conditions, at);
    waits.push_back(id);
    threads += at.threads;
    count += part * static_cast<double>(at.count);
    from_signal_s[id] = part * cost_of(at).value_or(site_cost{}).mechanism_s;
    all_s += from_signal_s[id] * at.threads;
  }
  std::ranges::stable_sort(waits, std::ranges::greater{},
                           [&](std::size_t id) { return from_signal_s[id]; });
  if (waits.empty() || senders.empty() ||
      from_signal_s[waits.front()] < least_worth_saying * setting.wall_s)
    return std::nullopt;
  const double at_most_s = std::min(waited_in_all_s(of.use.lock, sites), setting.wall_s);
  const std::string cause = fmt::format(
      "{}: {} threads wait for a signal {} times, and each one from {} wakes all of them "
      "(notify_all, pthread_cond_broadcast): in {:.0f} % of the cases the thread finds nothing "
      "to do and waits again. Wake one thread (notify_one, pthread_cond_signal) where any of "
      "them can go on, and give threads that wait for different things a condition each.",
      places_text(waits, sites), threads,
      grouped_digits(static_cast<std::uint64_t>(std::llround(count))), places_text(senders, sites),
      100 * static_cast<double>(of.use.in_vain) / static_cast<double>(of.use.waits));
  std::vector<std::size_t> more(waits.begin() + 1, waits.end());
  more.insert(more.end(), others.begin(), others.end());
  return advice{
      .rule = "broadcasts",
      .site_id = waits.front(),
      .at_most_s = at_most_s,
      .text = fmt::format(
          "{} From the signal on a thread takes {} of {} in the mean until it has the lock. That, "
          "and what all threads wait elsewhere for this lock, is {}; the change saves at most all "
          "of it.",
          cause, seconds_text(std::min(all_s / threads, setting.wall_s)),
          seconds_text(setting.wall_s), seconds_text(at_most_s)),
      .cause = cause,
      .seen_s = all_s / threads,
      .more_ids = std::move(more)};
}

}  // namespace

std::vector<advice> advise_on_signals(const std::vector<site>& sites,
                                      const advice_setting& setting) {
  std::vector<advice> advices;
  std::set<std::uint64_t> of_broadcasts;
  for (const woken_in_vain& each : all_woken_in_vain(sites))
    if (auto found = about_broadcasts(each, sites, setting)) {
      of_broadcasts.insert(each.use.lock);
      advices.push_back(*std::move(found));
    }
  std::vector<held_back> all;
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const auto cost = cost_of(sites[id - 1]);
    if (sites[id - 1].kind != "cond_wait" || !cost ||
        cost->mechanism_s < least_worth_saying * setting.wall_s)
      continue;
    const auto found = held_back_at(id, sites, of_broadcasts);
    if (!found) continue;
    // Earlier ones may have a part of it that they have not of each other.
    const auto with_part = std::stable_partition(
        all.begin(), all.end(), [&](const held_back& each) { return !each.has_part_of(*found); });
    held_back joined;
    std::for_each(with_part, all.end(), [&](const held_back& each) { joined.add(each); });
    joined.add(*found);
    all.erase(with_part, all.end());
    all.push_back(std::move(joined));
  }
  for (held_back& each : all) {
    std::ranges::stable_sort(each.waits, std::ranges::greater{},
                             [&](std::size_t id) { return cost_of(sites[id - 1])->mechanism_s; });
    advices.push_back(about(each, sites, setting));
  }
  return advices;
}

std::string signals_under_text(std::uint64_t lock, const std::vector<site>& sites) {
  for (const site& of : sites)
    for (const auto& [number, use] : of.conditions)
      if (of.kind == "signal" && use.lock == lock && is_under_lock(use))
        return fmt::format(" Signals from {} are sent by a thread that has it: release it before "
                           "the signal, and before the work behind that.",
                           where_text(of));
  return "";
}

}  // namespace syncmeter
