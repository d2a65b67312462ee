#include "driver/advise/lock_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "driver/advise/shared_lines.hpp"
#include "driver/advise/signal_rules.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/advise/turn_rules.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// A lock with its call sites.
struct lock_case {
  const std::vector<site>& sites;
  const advice_setting& setting;
  const lock_object& object;
  std::vector<std::size_t> ids{};  ///< of its sites, the site that takes most time first
  std::uint64_t count = 0;
  unsigned threads = 0;
  double calls_s = 0;     ///< in the calls, all threads together
  double sections_s = 0;  ///< in the calls and while they hold the lock, all threads together

  [[nodiscard]] const site& first() const { return sites[ids.front() - 1]; }
  [[nodiscard]] double contended_share() const {
    return object.timed == 0
               ? 0
               : static_cast<double>(object.contended) / static_cast<double>(object.timed);
  }
  /// As short as what it takes to get and give back a lock.
  [[nodiscard]] bool is_short() const {
    return object.short_held_ns < waits_from_ns(setting.stamps);
  }
  [[nodiscard]] double mean_s(double all_s) const { return all_s / threads; }
  [[nodiscard]] double below_wall(double s) const { return std::min(s, setting.wall_s); }
  [[nodiscard]] removed_work calls_to_remove() const {
    return {.cpu_s = static_cast<double>(count) * setting.stamps.lock_pair_ns * 1e-9};
  }
  /// Who acquires it, how often, and where.
  [[nodiscard]] std::string facts() const {
    std::string text =
        fmt::format("{}: {} take a lock {} times ({})", where_text(first()),
                    count_text(threads, "thread", "threads"), grouped_digits(count), first().kind);
    if (ids.size() > 1)
      text += fmt::format(", here and at {}", places_text(std::span(ids).subspan(1), sites));
    return text + '.';
  }
  [[nodiscard]] advice found(std::string_view rule, double at_most_s, double seen_s,
                             const std::string& what, const std::string& saving) const {
    return {.rule = std::string(rule),
            .site_id = ids.front(),
            .at_most_s = at_most_s,
            .text = fmt::format("{} {} {}", facts(), what, saving),
            .cause = fmt::format("{} {}", facts(), what),
            .seen_share = mean_s(seen_s) / setting.wall_s,
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
      "oversubscription", of.below_wall(of.calls_s), of.calls_s,
      fmt::format("{:g} processing units run them: while the thread that has the lock waits for "
                  "one, the others spin. Use no more threads than that, or a lock that sleeps.",
                  pus),
      fmt::format("All threads together spend {} in the calls.", seconds_text(of.calls_s)));
}

/// Readers of a lock write to it.
std::optional<advice> about_readers(const lock_case& of) {
  constexpr double hardly_ever = 0.05;
  if (of.setting.counts_alone || of.first().kind != "rwlock_read" ||
      of.contended_share() > hardly_ever || !of.is_short())
    return std::nullopt;
  constexpr double some = 0.01;
  const double changes = of.object.owner_changes.value_or(0) /
                         static_cast<double>(std::max<std::uint64_t>(1, of.object.acquisitions));
  const std::string moves =
      changes < some ? ""
                     : fmt::format(": for {:.0f} % of the calls the lock's cache line moves from "
                                   "another CPU",
                                   100 * std::min(1.0, changes));
  advice found = of.found(
      "readers", of.below_wall(of.sections_s), of.sections_s,
      fmt::format(
          "Readers hardly wait, but each writes to the lock{}. Read the data through an atomic "
          "pointer that writers replace as a whole.",
          moves),
      fmt::format("All threads together spend {} to take it, read and give it back.",
                  seconds_text(of.sections_s)));
  found.removes = of.calls_to_remove();
  return found;
}

std::optional<lock_case> case_of(const lock_object& object, const std::vector<site>& sites,
                                 const advice_setting& setting) {
  lock_case found{.sites = sites, .setting = setting, .object = object};
  for (const std::size_t id : object.ids) {
    const site& of = sites[id - 1];
    if (!is_for_lock(of)) continue;
    const lock_use& use = of.locks.at(object.number);
    found.ids.push_back(id);
    found.count += use.count;
    found.calls_s += use.for_all_calls(use.call_ns) * 1e-9;
    found.sections_s += use.for_all_calls(use.call_ns + use.held_ns) * 1e-9;
  }
  if (found.ids.empty()) return std::nullopt;
  found.threads = object.threads.empty() ? threads_at(found.ids, sites)
                                         : static_cast<unsigned>(object.threads.size());
  std::ranges::stable_sort(found.ids, std::ranges::greater{}, [&](std::size_t id) {
    const lock_use& use = sites[id - 1].locks.at(object.number);
    return use.for_all_calls(use.call_ns + use.held_ns);
  });
  return found;
}

}  // namespace

std::vector<advice> advise_on_locks(const std::vector<site>& sites, const advice_setting& setting) {
  std::set<std::uint64_t> advised = locks_of_interpreter(sites);
  std::vector<advice> all = advise_on_shared_lines(sites, setting, advised);
  for (const lock_object& object : setting.objects) {
    if (advised.contains(object.number)) continue;
    const auto of = case_of(object, sites, setting);
    if (!of || of->threads < 2 || of->mean_s(of->calls_s) < least_worth_saying * setting.wall_s)
      continue;
    for (const auto rule : {&about_crowd, &about_readers})
      if (auto found = rule(*of)) {
        all.push_back(*std::move(found));
        break;
      }
  }
  std::ranges::move(advise_on_signals(sites, setting), std::back_inserter(all));
  return all;
}

}  // namespace syncmeter
