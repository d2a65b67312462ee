#include "driver/advise/lock_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr std::array<std::string_view, 7> lock_kinds{
    "critical", "ordered", "omp_lock", "mutex_lock", "rwlock_read", "rwlock_write", "spin_lock"};

advice about_lock(const site& of, const site_cost& cost, double wall_s) {
  const std::string cause = fmt::format("{}: {} threads take a lock {} times ({}).", where_text(of),
                                        of.threads, grouped_digits(of.count), of.kind);
  return {.rule = "locks",
          .site_id = 0,
          .at_most_s = cost.lateness_s,
          .text = fmt::format("{} The calls that take it are {} of {} for each of them, and with "
                              "the work under the lock and its release {}. A variable for each "
                              "thread, an atomic operation, several locks or another one save "
                              "between nothing and that.",
                              cause, seconds_text(cost.mechanism_s), seconds_text(wall_s),
                              seconds_text(cost.lateness_s)),
          .cause = cause + " A variable for each thread, an atomic operation, several locks or "
                           "another one may save time.",
          .kind = "range"};
}

/// A processor works on beside an atomic operation that no other thread disturbs: such ones had
/// 22 % of the samples and cost nothing. So there is no advice below a quarter.
constexpr double least_share_of_atomic = 0.25;
constexpr std::uint64_t fewest_samples = 50;

bool may_be_dear(const site& of) {
  return of.kind == "atomic" && of.samples && of.samples->taken >= fewest_samples &&
         of.threads > 1 && of.samples->function_share >= least_share_of_atomic;
}

bool is_same_function(const site& a, const site& b) {
  return a.module == b.module && !a.frames.empty() && !b.frames.empty() &&
         !a.frames.back().function.empty() && a.frames.back().function == b.frames.back().function;
}

advice about_atomic(const site& of, double wall_s) {
  // Two standard deviations more than were drawn.
  const double noise = 1 + 2 / std::sqrt(static_cast<double>(of.samples->taken));
  const double at_most_s = std::min(1.0, of.samples->function_path_share * noise) * wall_s;
  constexpr double much_more = 1.05;
  const bool around = of.samples->function_path_share > much_more * of.samples->path_share;
  const std::string where = where_text(of);
  const std::string there =
      fmt::format("at a locked instruction ({}){}, in {} threads at the same time.", of.operation,
                  around ? " and the loads and stores of the same function" : "", of.threads);
  return {.rule = "atomics",
          .site_id = 0,
          .at_most_s = at_most_s,
          .text = fmt::format("{}: up to {} of {} are {} One that no other thread disturbs costs "
                              "less than it seems: a variable for each thread, or fewer updates of "
                              "this one, save at most that.",
                              where, seconds_text(at_most_s), seconds_text(wall_s), there),
          .cause = fmt::format("{}: CPU time is spent {} A variable for each thread, or fewer "
                               "updates of this one, may save time.",
                               where, there)};
}

}  // namespace

std::vector<advice> advise_on_locks(const std::vector<site>& sites, const advice_setting& setting) {
  const double wall_s = setting.wall_s;
  std::vector<advice> all;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const site& of = sites[i];
    // Of several in one function the first has most of the samples.
    if (may_be_dear(of) && std::ranges::none_of(all, [&](const advice& a) {
          return a.rule == "atomics" && is_same_function(sites[a.site_id - 1], of);
        })) {
      all.push_back(about_atomic(of, wall_s));
      all.back().site_id = i + 1;
    }
    const auto cost = cost_of(of);
    if (!cost || !contains(lock_kinds, std::string_view(of.kind)) || of.threads < 2) continue;
    // Work under a lock is no reason for another one; waiting for it is.
    if (cost->mechanism_s < least_worth_saying * wall_s) continue;
    all.push_back(about_lock(of, *cost, wall_s));
    all.back().site_id = i + 1;
  }
  return all;
}

}  // namespace syncmeter
