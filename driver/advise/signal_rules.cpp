#include "driver/advise/signal_rules.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

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

}  // namespace

std::optional<advice> about_signals(std::size_t id, const std::vector<site>& sites,
                                    const advice_setting& setting) {
  // A few cannot take much, however long the waits for them were.
  constexpr std::uint64_t few = 100;
  const site& of = sites[id - 1];
  const auto cost = cost_of(of);
  if (of.kind != "cond_wait" || !cost || cost->mechanism_s < least_worth_saying * setting.wall_s)
    return std::nullopt;
  const auto signals_from = [&](const site& other) {
    return std::ranges::find_if(other.conditions, [&](const auto& condition) {
      const auto& [number, use] = condition;
      return of.conditions.contains(number) && is_under_lock(use) &&
             use.under_lock * other.times->every >= few;
    });
  };
  const auto sender = std::ranges::find_if(sites, [&](const site& other) {
    return other.kind == "signal" && other.times && signals_from(other) != other.conditions.end();
  });
  if (sender == sites.end()) return std::nullopt;
  const condition_use& signals = signals_from(*sender)->second;
  const double at_most_s = std::min(waited_in_all_s(signals.lock, sites), setting.wall_s);
  const std::string cause = fmt::format(
      "{}: {} for a signal {} times, and {:.0f} % of the signals from {} are sent by a thread that "
      "has the lock that the waiting one needs: it wakes, and waits again. Release the lock first, "
      "and then send the signal.",
      where_text(of), count_text(of.threads, "thread waits", "threads wait"),
      grouped_digits(of.count),
      100 * static_cast<double>(signals.under_lock) / static_cast<double>(signals.signals),
      where_text(*sender));
  return advice{
      .rule = "signals",
      .site_id = id,
      .at_most_s = at_most_s,
      .text = fmt::format("{} From the signal on a thread takes {} of {} until it has the lock. "
                          "That, and what all threads wait elsewhere for this lock, is {}; the "
                          "change saves at most all of it.",
                          cause, seconds_text(std::min(cost->mechanism_s, setting.wall_s)),
                          seconds_text(setting.wall_s), seconds_text(at_most_s)),
      .cause = cause,
      .more_ids = {static_cast<std::size_t>(sender - sites.begin()) + 1}};
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
