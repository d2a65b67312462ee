#include "driver/advise/piece_rules.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// Pieces of work that threads fetch or make one at a time, at a price each.
struct pieces {
  const site& of;
  double wall_s;
  std::optional<interval> price_ns;
  unsigned threads;                      ///< that share them
  std::uint64_t count = of.count;        ///< of tasks, in all teams of this size
  std::vector<std::size_t> other_ids{};  ///< of further sites that make them
  double late_s = 0;                     ///< that a thread waits where their teams meet
  bool is_late_known = true;             ///< otherwise it may be all of the run
  std::string others{};                  ///< " and at 2 more"

  /// What all of them take of one thread's path, at so much each.
  [[nodiscard]] double path_s(double each_ns) const {
    return static_cast<double>(count) / threads * each_ns * 1e-9;
  }
  [[nodiscard]] advice saving(std::string_view rule, double low_s, double high_s, double seen_s,
                              const std::string& cause) const {
    low_s = std::min(low_s, high_s);
    return {.rule = std::string(rule),
            .site_id = 0,
            .at_most_s = high_s,
            .text = fmt::format("{} That saves {} of {}.", cause,
                                low_s > 0 ? range_text(low_s, high_s)
                                          : fmt::format("at most {}", seconds_text(high_s)),
                                seconds_text(wall_s)),
            .cause = cause,
            .at_least_s = low_s,
            .seen_share = seen_s / wall_s,
            .kind = low_s > 0 ? "estimate" : "bound",
            .more_ids = other_ids,
            .removes = price_ns ? std::optional(removed_work{.cpu_s = static_cast<double>(count) *
                                                                      price_ns->high * 1e-9})
                                : std::nullopt};
  }
};

/// So much longer than its price is a piece that loses two hundredths.
constexpr double long_enough = 50;
/// A price is that of pieces up to so many times as long.
constexpr double alike = 10;

/// What a chunk takes by itself is the least, where chunks are as short as those of the price,
/// which have next to no work. The most is the whole time from call to call: what threads do to
/// each other by taking neighbouring iterations in turn, as to write to one cache line, stands in
/// the work and not in the call, and a call that waits for its looks at the clock meets fewer
/// others at the loop's next chunk.
std::optional<advice> about_chunks(const pieces& all, const site_cost& cost) {
  const double per_chunk = all.threads / static_cast<double>(all.of.count);
  const double fetch_s = cost.call_s * per_chunk;
  const double work_s = std::max(cost.work_s * per_chunk, 1e-9);
  const double each_s = fetch_s + work_s;
  // Where the calls take little of the run, so does what goes with them, and the bound is far off.
  constexpr double some = 0.05;
  if (cost.call_s < some * all.wall_s) return std::nullopt;
  const bool as_priced = all.price_ns && each_s * 1e9 < alike * all.price_ns->high;
  return all.saving(
      "chunks", as_priced ? all.path_s(all.price_ns->low) : 0,
      std::min(cost.call_s + cost.work_s, all.wall_s), cost.call_s,
      fmt::format(
          "{}: {} {} {} chunks of a loop, one every {}, of which the call that fetches "
          "it takes {} and its work at most the rest. Chunks of at least {:.0f} times as many "
          "iterations ({}), or a static schedule where all iterations take as "
          "long, save time.",
          where_text(all.of), count_text(all.of.threads, "thread", "threads"),
          all.of.threads == 1 ? "fetches" : "fetch", grouped_digits(all.of.count),
          seconds_text(each_s), seconds_text(fetch_s),
          std::max(2.0, long_enough * fetch_s / work_s),
          all.of.label ? "RangePolicy::set_chunk_size(N)" : "schedule(dynamic, N)"));
}

/// Of tasks nothing is timed, and their price, with next to no work, is more than that of longer
/// ones, which disturb each other less: a bound, and none for those that are much longer. Without a
/// price those are named that leave a thread so little time that handing them over is a good part
/// of it on any machine.
std::optional<advice> about_tasks(const pieces& all) {
  constexpr double short_ns = 5000;
  const double each_ns = all.wall_s / all.path_s(1);
  if (each_ns > (all.price_ns ? alike * all.price_ns->high : short_ns)) return std::nullopt;
  const std::string price =
      all.price_ns ? fmt::format("takes {}. A task for many pieces at once, so that it runs for {} "
                                 "or longer,",
                                 range_text(all.price_ns->low * 1e-9, all.price_ns->high * 1e-9),
                                 seconds_text(long_enough * all.price_ns->value * 1e-9))
                   : "may take much of that. A task for many pieces at once,";
  // Of tasks that one thread makes, and runs where too many wait, the others have none.
  const double most_s =
      all.price_ns && all.is_late_known ? all.path_s(all.price_ns->high) + all.late_s : all.wall_s;
  const std::string waiting =
      all.late_s < least_worth_saying * all.wall_s
          ? ""
          : fmt::format(" A thread is {} where its team meets before the last one arrives, and "
                        "runs tasks there as far as it finds some.",
                        seconds_text(std::min(all.late_s, all.wall_s)));
  const double seen_s = all.price_ns ? all.path_s(all.price_ns->low) : 0;
  return all.saving("tasks", 0, std::min(most_s, all.wall_s), seen_s,
                    fmt::format("{}{}: {} tasks are made, one for each {} of a thread's time; to "
                                "make one and hand it over {} or none below a certain size, saves "
                                "time.{}",
                                where_text(all.of), all.others, grouped_digits(all.count),
                                seconds_text(each_ns * 1e-9), price, waiting));
}

/// Tasks of one kind of team are made at several places of a program that divides its work in two,
/// and each of them would be named with what all save. The place that makes most has them all.
void add_other_places(pieces& of_site, std::size_t id, const std::vector<site>& sites) {
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const site& other = sites[i];
    if (i + 1 == id || other.kind != "task" || other.team != of_site.of.team) continue;
    of_site.count += other.count;
    of_site.other_ids.push_back(i + 1);
  }
  const auto& ids = of_site.other_ids;
  if (ids.size() == 1) of_site.others = fmt::format(" and {}", where_text(sites[ids[0] - 1]));
  if (ids.size() > 1) of_site.others = fmt::format(" and at {} more", ids.size());
}

bool makes_most_of_its_tasks(std::size_t id, const std::vector<site>& sites) {
  const site& of = sites[id - 1];
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (sites[i].kind == "task" && sites[i].team == of.team &&
        (sites[i].count > of.count || (sites[i].count == of.count && i + 1 < id)))
      return false;
  return true;
}

}  // namespace

std::vector<advice> advise_on_pieces(const std::vector<site>& sites, const advice_setting& setting,
                                     const meeting_pace& pace) {
  std::vector<advice> all;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const site& of = sites[i];
    const bool is_task = of.kind == "task";
    if (!is_task && of.kind != "chunk") continue;
    if (is_task && !makes_most_of_its_tasks(i + 1, sites)) continue;
    // Of tasks nothing is timed: counts and prices stand where times of counted runs do not.
    const bool by_counts = is_task && setting.is_by_counts() && price_of(of, pace, setting.prices);
    pieces of_site{.of = of,
                   .wall_s = by_counts ? setting.plain_wall_s.high : setting.wall_s,
                   .price_ns = price_of(of, pace, setting.prices),
                   .threads = is_task ? of.team : of.threads};
    if (is_task) {
      add_other_places(of_site, i + 1, sites);
      of_site.is_late_known = !by_counts;
      if (!by_counts) of_site.late_s = late_in_team_s(of, sites);
    }
    const auto cost = cost_of(of);
    std::optional<advice> found;
    if (is_task) found = about_tasks(of_site);
    else if (cost) found = about_chunks(of_site, *cost);
    if (!found) continue;
    found->site_id = i + 1;
    found->of_plain_runs = by_counts;
    all.push_back(*std::move(found));
  }
  return all;
}

}  // namespace syncmeter
