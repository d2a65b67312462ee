#include "driver/advise/signal_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
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
    if (!lock_kind_of(of.kind).empty())
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
  std::uint64_t signals = 0, under_lock = 0;

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
    signals += other.signals;
    under_lock += other.under_lock;
  }
};

/// Those at one site, by the conditions that it waits for; none where signals are sent without the
/// lock, or few.
std::optional<held_back> held_back_at(std::size_t id, const std::vector<site>& sites) {
  const site& of = sites[id - 1];
  held_back found{.waits = {id}, .senders = {}, .locks = {}};
  for (std::size_t sender = 1; sender <= sites.size(); ++sender) {
    const site& other = sites[sender - 1];
    if (other.kind != "signal" || !other.times) continue;
    bool sends = false;
    for (const auto& [number, use] : other.conditions) {
      if (!of.conditions.contains(number) || !is_under_lock(use) ||
          use.under_lock * other.times->every < few)
        continue;
      sends = true;
      found.locks.insert(use.lock);
      found.signals += use.signals;
      found.under_lock += use.under_lock;
    }
    if (sends) found.senders.push_back(sender);
  }
  return found.senders.empty() ? std::nullopt : std::optional(found);
}

/// The first of the sites, another one, and how many there are beside them.
std::string places_text(const std::vector<std::size_t>& ids, const std::vector<site>& sites) {
  std::string text = where_text(sites[ids.front() - 1]);
  if (ids.size() > 1) text += fmt::format(" and {}", where_text(sites[ids[1] - 1]));
  if (ids.size() > 2) text += fmt::format(" and {} more", ids.size() - 2);
  return text;
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
  const bool is_one = of.waits.size() == 1;
  const std::string cause = fmt::format(
      "{}: {} for a signal {} times, and {:.0f} % of the signals from {} are sent by a thread that "
      "has the lock that the waiting one needs: it wakes, and waits again. Release the lock first, "
      "and then send the signal.",
      places_text(of.waits, sites),
      is_one ? count_text(sites[of.waits.front() - 1].threads, "thread waits", "threads wait")
             : "threads wait",
      grouped_digits(count),
      100 * static_cast<double>(of.under_lock) / static_cast<double>(of.signals),
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
          .more_ids = std::move(more)};
}

/// Of all sites of a condition.
condition_use use_of_condition(std::uint64_t number, const std::vector<site>& sites) {
  condition_use all;
  for (const site& of : sites) {
    const auto known = of.conditions.find(number);
    if (known == of.conditions.end()) continue;
    const condition_use& use = known->second;
    if (of.kind == "cond_wait") all.lock = use.lock;
    all.signals += use.signals;
    all.to_all += use.to_all;
    all.waits += use.waits;
    all.in_vain += use.in_vain;
  }
  return all;
}

/// At the site where most time goes by from such signals on: each wakes all who wait, and most of
/// them wait again at once.
std::optional<advice> about_broadcasts(std::size_t id, const std::vector<site>& sites,
                                       const advice_setting& setting) {
  const site& of = sites[id - 1];
  const auto cost = cost_of(of);
  if (of.kind != "cond_wait" || !cost || cost->mechanism_s < least_worth_saying * setting.wall_s)
    return std::nullopt;
  for (const auto& [number, here] : of.conditions) {
    const condition_use all = use_of_condition(number, sites);
    // A single waiter is no herd, and one that another thread was faster than was not one of many.
    if (2 * all.in_vain < all.waits || 2 * all.to_all < all.signals || all.to_all == 0 ||
        all.in_vain * of.times->every < few)
      continue;
    advice found{.rule = "broadcasts", .site_id = id};
    unsigned threads = 0;
    std::uint64_t waits = 0;
    double from_signal_s = 0;
    std::string sender;
    for (std::size_t i = 1; i <= sites.size(); ++i) {
      const site& other = sites[i - 1];
      const auto use = other.conditions.find(number);
      if (use == other.conditions.end()) continue;
      if (i != id) found.more_ids.push_back(i);
      if (other.kind == "signal" && sender.empty() && use->second.to_all > 0)
        sender = where_text(other);
      if (other.kind != "cond_wait") continue;
      threads += other.threads;
      waits += other.count;
      const double there_s = cost_of(other).value_or(site_cost{}).mechanism_s;
      if (there_s > cost->mechanism_s || (there_s == cost->mechanism_s && i < id))
        return std::nullopt;  // that site has the advice
      from_signal_s += there_s * other.threads;
    }
    if (threads < 2) continue;
    found.at_most_s = std::min(waited_in_all_s(all.lock, sites), setting.wall_s);
    found.cause = fmt::format(
        "{}: {} threads wait for a signal {} times, and each one from {} wakes all of them "
        "(notify_all, pthread_cond_broadcast): in {:.0f} % of the cases the thread finds nothing "
        "to do and waits again. Wake one thread (notify_one, pthread_cond_signal) where any of "
        "them can go on, and "
        "give threads that wait for different things a condition each.",
        where_text(of), threads, grouped_digits(waits), sender,
        100 * static_cast<double>(all.in_vain) / static_cast<double>(all.waits));
    found.text = fmt::format(
        "{} From the signal on all threads together take {} until they have the lock. That, and "
        "what they wait elsewhere for this lock, is {} of {}; the change saves at most all of it.",
        found.cause, seconds_text(from_signal_s), seconds_text(found.at_most_s),
        seconds_text(setting.wall_s));
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::vector<advice> advise_on_signals(const std::vector<site>& sites,
                                      const advice_setting& setting) {
  std::vector<advice> advices;
  std::set<std::size_t> woken;
  for (std::size_t id = 1; id <= sites.size(); ++id)
    if (auto found = about_broadcasts(id, sites, setting)) {
      woken.insert(id);
      woken.insert(found->more_ids.begin(), found->more_ids.end());
      advices.push_back(*std::move(found));
    }
  std::vector<held_back> all;
  for (std::size_t id = 1; id <= sites.size(); ++id) {
    const auto cost = cost_of(sites[id - 1]);
    if (sites[id - 1].kind != "cond_wait" || !cost || woken.contains(id) ||
        cost->mechanism_s < least_worth_saying * setting.wall_s)
      continue;
    auto found = held_back_at(id, sites);
    if (!found) continue;
    // Earlier ones may have a part of it that they have not of each other.
    std::vector<held_back> apart;
    std::optional<held_back> joined;
    for (held_back& each : all) {
      if (!each.has_part_of(*found)) apart.push_back(std::move(each));
      else if (joined) joined->add(each);
      else joined = std::move(each);
    }
    if (joined) joined->add(*found);
    else joined = std::move(found);
    apart.push_back(*std::move(joined));
    all = std::move(apart);
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
