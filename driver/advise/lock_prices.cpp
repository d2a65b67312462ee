#include "driver/advise/lock_prices.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

struct lock_op {
  std::string_view kind, op;
  bool of_openmp = false;
};
constexpr std::array<lock_op, 6> lock_ops{{{"mutex_lock", "lock_add"},
                                           {"rwlock_read", "rwlock_read"},
                                           {"rwlock_write", "rwlock_add"},
                                           {"spin_lock", "pthread_spin_add"},
                                           {"omp_lock", "lock_add", true},
                                           {"critical", "critical_add", true}}};

const lock_op* op_of_lock(const site& of) {
  const auto found = std::ranges::find(lock_ops, std::string_view(of.kind), &lock_op::kind);
  return found == lock_ops.end() ? nullptr : &*found;
}

/// Threads that take it so often do little else.
bool is_taken_all_the_time(const site& of, double wall_s) {
  constexpr double often_per_s = 2e6;
  return of.threads > 1 && static_cast<double>(of.count) >= often_per_s * wall_s;
}

/// Each measurement, in their order.
std::vector<double> costs_ns(const site& of, std::string_view swap,
                             const std::vector<price>& prices) {
  const lock_op& like = *op_of_lock(of);
  std::vector<double> costs;
  for (const price& each : prices)
    if (each.what.op == like.op && (each.what.backend == "posix") != like.of_openmp &&
        each.what.lanes == of.threads && each.swap == swap)
      costs.push_back(each.cost_ns.value);
  return costs;
}

interval range_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return {.value = median(values), .low = low, .high = high};
}

/// What the program saves where its calls take as much less as they do by themselves. Measurements
/// that lie beside each other are compared: what slows a machine meets both.
std::optional<swap_saving> saving_of_swap(const char* swap, const site& of, double taken_s,
                                          const advice_setting& setting) {
  const std::vector<double> plain = costs_ns(of, "", setting.prices);
  const std::vector<double> swapped = costs_ns(of, swap, setting.prices);
  std::vector<double> saved;
  for (std::size_t i = 0; i < std::min(plain.size(), swapped.size()); ++i)
    if (plain[i] > 0) saved.push_back(taken_s * (1 - swapped[i] / plain[i]));
  // Where other programs take the processors few rounds count, and one pair has no width.
  constexpr std::size_t fewest = 3;
  if (saved.size() < fewest) return std::nullopt;
  const interval all = range_of(saved);
  return swap_saving{.swap = swap, .low_s = all.low, .high_s = all.high};
}

std::string text_of(const std::vector<swap_saving>& swaps, double wall_s) {
  if (swaps.empty()) return "";
  return fmt::format(" By the prices of other locks in the place of its mutex {}, of {}.",
                     join_texts(swaps,
                                [](const swap_saving& each) {
                                  return fmt::format("{} {}", each.swap, saving_text_of(each));
                                }),
                     seconds_text(wall_s));
}

}  // namespace

std::string saving_text_of(const swap_saving& of) {
  if (of.low_s >= 0) return fmt::format("saves {}", range_text(of.low_s, of.high_s));
  if (of.high_s <= 0) return fmt::format("takes {} more", range_text(-of.high_s, -of.low_s));
  return fmt::format("takes up to {} more or {} less", seconds_text(-of.low_s),
                     seconds_text(of.high_s));
}

std::optional<point> priced_point_of_lock(const site& of, double wall_s,
                                          const program_file& program) {
  const lock_op* const like = op_of_lock(of);
  if (like == nullptr || !is_taken_all_the_time(of, wall_s)) return std::nullopt;
  if (like->of_openmp && program.runtimes.size() != 1) return std::nullopt;
  point p;
  p.op = like->op;
  p.backend = !like->of_openmp                                  ? "posix"
              : program.runtimes.front().starts_with("libgomp") ? "omp"
                                                                : "omp-llvm";
  p.type = value_type::int32;
  p.placement = placement::shared;
  p.lanes = of.threads;
  return p;
}

bool is_price_of_mutex(const point& what) {
  return what.backend == "posix" && what.op == lock_ops.front().op;
}

void add_prices_of_lock(advice& found, const site& first, double calls_of_thread,
                        const advice_setting& setting) {
  constexpr double most = 0.5;
  const double wall_s = setting.plain_wall_s.value;
  if (wall_s <= 0 || op_of_lock(first) == nullptr || !is_taken_all_the_time(first, wall_s)) return;
  const std::vector<double> costs = costs_ns(first, "", setting.prices);
  if (costs.empty()) return;
  const interval each_ns = range_of(costs);
  const double calls_s = calls_of_thread * 1e-9;
  if (calls_s * each_ns.high < most * wall_s) return;
  const double taken_s = std::min(calls_s * each_ns.value, wall_s);
  const double high_s = std::min(calls_s * each_ns.high, wall_s);
  for (const char* const swap : priced_swaps)
    if (auto saving = saving_of_swap(swap, first, taken_s, setting))
      found.swaps.push_back(*std::move(saving));
  const std::string by_price = fmt::format(
      "{} threads that do nothing else take {} for such a call on this machine, which is {} of {} "
      "for the calls of each here.",
      first.threads, range_text(each_ns.low * 1e-9, each_ns.high * 1e-9),
      range_text(std::min(calls_s * each_ns.low, wall_s), high_s), seconds_text(wall_s));
  const std::string by_swaps = text_of(found.swaps, wall_s);
  if (setting.counts_alone) {
    found.of_plain_runs = true;
    found.kind = "range";
    // What is done under the lock, and the work beside it, may be without it on other threads.
    found.at_most_s = wall_s;
    found.text = fmt::format("{} {} A change saves something between nothing and all of it.{}",
                             found.cause, by_price, by_swaps);
    return;
  }
  found.text += by_swaps;
  if (high_s <= found.at_most_s) return;
  found.at_most_s = high_s;
  found.text = fmt::format("{} {} A change saves at most that, {}.{}", found.cause, by_price,
                           seconds_text(high_s), by_swaps);
}

}  // namespace syncmeter
