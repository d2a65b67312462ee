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

/// The least share of the run that a price of a lock is to say something of.
constexpr double least_share = 0.5;

/// Fewer calls, one after another, take less than that share however long each is: to wake a thread
/// that sleeps for the lock.
bool may_take_the_run(const site& of, double wall_s) {
  constexpr double longest_call_s = 5e-6;
  return of.threads > 1 && static_cast<double>(of.count) * longest_call_s >= least_share * wall_s;
}

/// Of the op that a site calls, in their order.
std::vector<price> prices_of(const site& of, std::string_view swap,
                             const std::vector<price>& prices) {
  const lock_op& like = *op_of_lock(of);
  std::vector<price> found;
  for (const price& each : prices)
    if (each.what.op == like.op && (each.what.backend == "posix") != like.of_openmp &&
        each.what.lanes == of.threads && each.swap == swap)
      found.push_back(each);
  return found;
}

/// What the program saves where its calls take as much less as they do by themselves. Measurements
/// that lie beside each other are compared: what slows a machine meets both. `taken_s` is what the
/// calls take in a run, the least and the most of it: runs differ.
std::optional<swap_saving> saving_of_swap(const char* swap, const site& of, const interval& taken_s,
                                          const advice_setting& setting) {
  const std::vector<price> swapped = prices_of(of, swap, setting.prices);
  std::vector<double> ratios;
  for (const price& plain : prices_of(of, "", setting.prices)) {
    const auto beside = std::ranges::find(swapped, plain.turn, &price::turn);
    if (plain.cost_ns.value > 0 && beside != swapped.end())
      ratios.push_back(beside->cost_ns.value / plain.cost_ns.value);
  }
  // Where other programs take the processors few rounds count, and one pair has no width.
  constexpr std::size_t fewest = 3;
  if (ratios.size() < fewest) return std::nullopt;
  const interval ratio = over_visits(ratios);
  const double least = 1 - ratio.high, most = 1 - ratio.low;
  return swap_saving{.swap = swap,
                     .low_s = least * (least < 0 ? taken_s.high : taken_s.low),
                     .high_s = most * (most < 0 ? taken_s.low : taken_s.high)};
}

/// The most and the least are of different runs.
std::string text_of(const std::vector<swap_saving>& swaps, const interval& plain_wall_s) {
  if (swaps.empty()) return "";
  return fmt::format(" Other locks in the place of its mutex, by their prices: {}, of {}.",
                     join_texts(swaps,
                                [](const swap_saving& each) {
                                  return fmt::format("{} {}", each.swap, saving_text_of(each));
                                }),
                     range_text(plain_wall_s.low, plain_wall_s.high));
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
  if (like == nullptr || !may_take_the_run(of, wall_s)) return std::nullopt;
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
  const double wall_s = setting.plain_wall_s.value;
  if (wall_s <= 0 || op_of_lock(first) == nullptr) return;
  const auto over = over_measurements(prices_of(first, "", setting.prices));
  if (!over) return;
  const interval each_ns = *over;
  const double calls_s = calls_of_thread * 1e-9;
  if (calls_s * each_ns.high < least_share * wall_s) return;
  const interval taken_s{.value = std::min(calls_s * each_ns.value, wall_s),
                         .low = std::min(calls_s * each_ns.low, setting.plain_wall_s.low),
                         .high = std::min(calls_s * each_ns.high, setting.plain_wall_s.high)};
  const double high_s = std::min(calls_s * each_ns.high, wall_s);
  // Other causes want no other lock.
  if (found.rule == "locks")
    for (const char* const swap : priced_swaps)
      if (auto saving = saving_of_swap(swap, first, taken_s, setting))
        found.swaps.push_back(*std::move(saving));
  const std::string by_price = fmt::format(
      "{} threads that do nothing else take {} for such a call on this machine, which is {} of {} "
      "for the calls of each here.",
      first.threads, range_text(each_ns.low * 1e-9, each_ns.high * 1e-9),
      range_text(std::min(calls_s * each_ns.low, wall_s), high_s), seconds_text(wall_s));
  const std::string by_swaps = text_of(found.swaps, setting.plain_wall_s);
  if (setting.counts_alone) {
    found.of_plain_runs = true;
    found.kind = "range";
    // What is done under the lock, and the work beside it, may be without it on other threads: all
    // of a run, and runs differ.
    found.at_most_s = setting.plain_wall_s.high;
    found.seen_share = taken_s.low / wall_s;
    found.text =
        fmt::format("{} {} A change saves something between nothing and all of a run, "
                    "which takes {}.{}",
                    found.cause, by_price,
                    range_text(setting.plain_wall_s.low, setting.plain_wall_s.high), by_swaps);
    return;
  }
  found.text += by_swaps;
  if (high_s <= found.at_most_s) return;
  found.at_most_s = high_s;
  found.run_s = wall_s;
  found.text = fmt::format("{} {} A change saves at most that, {}.{}", found.cause, by_price,
                           seconds_text(high_s), by_swaps);
}

}  // namespace syncmeter
