// One visit from calibration to verdict. A reader starts at measure_visit, at the end.
#include "core/harness/harness.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/harness/calibrate.hpp"
#include "core/harness/estimate.hpp"

namespace syncmeter {

namespace {

// Beyond this many rounds the interval shrinks too slowly to be worth the file and the time.
constexpr std::size_t most_rounds = 2000;

// Which side comes first in the next round: AB and BA by turns in pairs, the first of each pair
// drawn. Over a pair a linear drift cancels; the draw keeps step with nothing periodic on the
// machine.
class side_order {
 public:
  explicit side_order(std::uint64_t seed) : draw_(seed) {}

  // Whether the next round has the test side first.
  [[nodiscard]] bool next() {
    if (!dropped_.empty()) {
      const bool again = dropped_.front();
      dropped_.erase(dropped_.begin());
      return again;
    }
    const bool first = test_first_;
    test_first_ = second_of_pair_ ? !test_first_ : drawn();
    second_of_pair_ = !second_of_pair_;
    return first;
  }
  // Only kept rounds count: a dropped one is taken again in the same order, so that what is kept
  // stays balanced even where drops fall on one order more often.
  void drop(bool test_first) { dropped_.push_back(test_first); }

 private:
  bool drawn() { return (draw_() >> 63) != 0; }

  std::mt19937_64 draw_;
  bool test_first_ = drawn();
  bool second_of_pair_ = true;
  std::vector<bool> dropped_;
};

unsigned class_of(double hop_ns, const std::vector<double>& bounds) {
  return static_cast<unsigned>(std::upper_bound(bounds.begin(), bounds.end(), hop_ns) -
                               bounds.begin());
}

struct attempt {
  round taken;
  sample test;  ///< the test side, for what is not a time
  drop dropped = drop::none;
};

// The rounds of one visit as they are taken, and when to stop.
class visit {
 public:
  // `sample_ns`: how long the longer side of a round takes.
  visit(timed_bench& subject, const loop_shape& shape, const visit_options& options,
        std::int64_t begin_ns, double sample_ns, visit_result& result)
      : subject_(subject), shape_(shape), options_(options), begin_ns_(begin_ns), result_(result),
        order_(options.seed), round_ns_(static_cast<double>(sides()) * sample_ns) {}

  void take_rounds();
  void conclude();

 private:
  // With additivity 2 and 4 measured ops follow.
  [[nodiscard]] std::size_t sides() const { return options_.additivity ? counts.size() : 2; }
  [[nodiscard]] double elapsed_ns() const {
    return static_cast<double>(subject_.now_ns() - begin_ns_);
  }
  [[nodiscard]] std::optional<double> probe();
  [[nodiscard]] std::size_t rounds_until_look() const;
  [[nodiscard]] std::vector<std::size_t> in_order(bool test_first) const;
  [[nodiscard]] attempt take_sides(std::span<const std::size_t> order);
  void take_round(std::span<const std::size_t> order);
  void find_state(attempt& made);
  void keep(const attempt& made);
  [[nodiscard]] std::string_view reason_to_stop(double round_ns);
  [[nodiscard]] std::string_view precise_enough();

  timed_bench& subject_;
  const loop_shape& shape_;
  const visit_options& options_;
  const std::int64_t begin_ns_;
  visit_result& result_;
  side_order order_;
  std::optional<double> hop_before_ns_;
  std::vector<state_rounds> states_;
  std::vector<double> hops_ns_, fairness_, slowest_over_fastest_;
  double round_ns_;  // as the last ones took
  double longest_round_ns_ = 0;
};

std::optional<double> visit::probe() {
  const auto hop_ns = subject_.pair_probe();
  if (hop_ns) hops_ns_.push_back(*hop_ns);
  return hop_ns;
}

// As many rounds as are taken in any case: up to the next look, as far as the time lasts.
std::size_t visit::rounds_until_look() const {
  if (options_.rounds_at_once < 2) return 1;
  std::size_t kept = 0, look = early_look;
  if (!states_.empty()) {
    const state_rounds& leading = states_[headline(states_)];
    kept = leading.rounds.size();
    look = leading.look;
  }
  const double left_ns = std::max(options_.max_time_ns - elapsed_ns(), 0.0);
  std::size_t most = options_.rounds_at_once;
  if (left_ns < round_ns_ * static_cast<double>(most))
    most = std::max<std::size_t>(1, static_cast<std::size_t>(left_ns / round_ns_));
  return std::clamp<std::size_t>(look > kept ? look - kept : 1, 1, most);
}

// A BA round is the AB round backwards as a whole: only so does a drift cancel in every difference
// to the baseline.
std::vector<std::size_t> visit::in_order(bool test_first) const {
  std::vector<std::size_t> order(sides());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (test_first) std::reverse(order.begin(), order.end());
  return order;
}

attempt visit::take_sides(std::span<const std::size_t> order) {
  attempt made;
  made.taken.span_ns.fill(std::numeric_limits<double>::quiet_NaN());
  for (const std::size_t index : order) {
    const sample one = subject_.take(index, shape_.trips);
    made.taken.span_ns[index] = one.span_ns;
    if (index < 2) made.taken.host_ns[index] = one.host_ns;
    if (index < 2) made.taken.cycles[index] = one.cycles;
    if (index == 1) made.test = one;
    made.taken.busy = made.taken.busy || one.busy;
    made.dropped = one.dropped;
    if (made.dropped != drop::none) break;  // the round is lost: the rest of it is time wasted
  }
  return made;
}

void visit::find_state(attempt& made) {
  // The probe after this round is the one before the next.
  const auto before_ns = std::exchange(hop_before_ns_, probe());
  const auto& after_ns = hop_before_ns_;
  if (!before_ns && !after_ns) return;

  const double first_ns = before_ns ? *before_ns : *after_ns;
  const double second_ns = after_ns ? *after_ns : *before_ns;
  made.taken.hop_ns = std::sqrt(first_ns * second_ns);
  made.taken.state_class = class_of(made.taken.hop_ns, options_.state_bounds);
  // By ratio as well as by the classes known: a state that the start-up probe never met must not
  // be taken for one that it did.
  const auto [lower, upper] = std::minmax(first_ns, second_ns);
  const bool changed = upper >= state_gap * lower || class_of(lower, options_.state_bounds) !=
                                                         class_of(upper, options_.state_bounds);
  if (changed && made.dropped == drop::none) made.dropped = drop::state_changed;
}

void visit::keep(const attempt& made) {
  result_.rounds.push_back(made.taken);
  fairness_.push_back(made.test.fairness);
  slowest_over_fastest_.push_back(made.test.slowest_over_fastest);
  sort_in(states_, made.taken);
}

std::string_view visit::precise_enough() {
  state_rounds& leading = states_[headline(states_)];
  if (leading.rounds.size() < leading.look) return "";
  const bool early = leading.rounds.size() < next_look(0);
  leading.look = next_look(leading.rounds.size());
  if (early && options_.early_precision == 0) return "";
  const interval cost = median_interval(costs_ns(leading.rounds, shape_));
  const double half_width = (cost.high - cost.low) / 2;
  const double wanted = early ? options_.early_precision : options_.precision;
  if (half_width <= wanted * std::abs(cost.value)) return "precision";
  if (!early && half_width <= resolution_ns(shape_, options_.clock_tick_ns)) return "resolution";
  return "";
}

// At least 5 rounds are finished even when the time is over; where a single round already takes
// longer than the whole visit may, one AB and one BA round: the least in which a drift cancels.
// Where rounds keep being dropped, twice as many tries are enough to call the point noisy.
std::string_view visit::reason_to_stop(double round_ns) {
  longest_round_ns_ = std::max(longest_round_ns_, round_ns);
  const std::size_t least = longest_round_ns_ > options_.max_time_ns ? 2 : 5;
  const bool tried = result_.rounds.size() >= least || result_.rounds_taken >= 2 * least;
  if (!result_.rounds.empty()) {
    if (const auto why = precise_enough(); !why.empty()) return why;
  }
  if (elapsed_ns() >= options_.max_time_ns && tried) return "max_time";
  if (result_.rounds_taken >= most_rounds) return "max_rounds";
  return "";
}

void visit::take_rounds() {
  hop_before_ns_ = probe();
  while (result_.stopped_by.empty()) {
    const std::int64_t begin_ns = subject_.now_ns();
    std::vector<std::vector<std::size_t>> rounds(rounds_until_look());
    for (auto& order : rounds) order = in_order(order_.next());
    if (options_.rounds_at_once > 1) subject_.expect(rounds, shape_.trips);
    for (const auto& order : rounds) take_round(order);
    round_ns_ =
        static_cast<double>(subject_.now_ns() - begin_ns) / static_cast<double>(rounds.size());
    result_.stopped_by = reason_to_stop(round_ns_);
  }
}

void visit::take_round(std::span<const std::size_t> order) {
  subject_.begin_round();
  attempt made = take_sides(order);
  find_state(made);
  ++result_.rounds_taken;
  if (made.dropped == drop::none) return keep(made);
  ++result_.drops.at(static_cast<std::size_t>(made.dropped));
  order_.drop(order.front() != 0);
}

void visit::conclude() {
  if (!hops_ns_.empty()) result_.hop_ns = median(hops_ns_);
  if (!states_.empty()) {
    result_.fairness = median(fairness_);
    result_.slowest_over_fastest = median(slowest_over_fastest_);
    result_.estimates = estimate_states(states_, shape_);
    if (options_.additivity) {
      const auto check =
          check_additivity(states_[headline(states_)].rounds, shape_, options_.clock_tick_ns);
      result_.additive = check.additive;
      result_.additivity_ns = check.cost_ns;
    }
  }
  const visit_verdict found = judge(result_, shape_, options_.clock_tick_ns);
  result_.status = found.status;
  result_.reason = found.reason;
}

// Too slow is for good; what was disturbed is worth another visit.
void set_too_slow(visit_result& result, const op_info& info, const slow_trip& trip,
                  double limit_ns) {
  const bool disturbed = trip.disturbed != drop::none;
  result.status = disturbed ? status::noisy : status::too_slow;
  result.stopped_by = "max_time";
  result.reason = fmt::format("one trip ({} steps) took {:.3g} ms, more than the limit of {:.3g} "
                              "ms; {}",
                              info.unroll, trip.span_ns / 1e6, limit_ns / 1e6,
                              disturbed ? fmt::format("it was disturbed ({}), so other work may be "
                                                      "the cause",
                                                      to_text(trip.disturbed))
                                        : "--max-time sets it");
}

void fail(visit_result& result, std::string_view why) {
  result.status = status::failed;
  result.stopped_by = "failure";
  result.reason = why.empty() ? "a sample failed without a message" : why;
}

}  // namespace

std::size_t next_look(std::size_t rounds) {
  std::size_t look = 11;
  while (look <= rounds) look = (13 * look + 9) / 10;  // x 1.3, rounded up
  return look;
}

visit_result measure_visit(bench& subject, const op_info& info, unsigned lanes,
                           const visit_options& options) {
  visit_result result;
  timed_bench timed(subject);
  const std::int64_t begin_ns = timed.now_ns();
  try {
    const calibration calibrated = calibrate(timed, options);
    result.trips = calibrated.trips;
    if (calibrated.too_slow) {
      set_too_slow(result, info, *calibrated.too_slow, longest_trip_ns(options));
    } else {
      const loop_shape shape{.info = info, .lanes = lanes, .trips = calibrated.trips};
      visit running(timed, shape, options, begin_ns, calibrated.span_ns, result);
      running.take_rounds();
      running.conclude();
      result.owner_changes = subject.count_owner_changes(calibrated.trips);
    }
  } catch (const std::exception& problem) {
    fail(result, problem.what());
  } catch (...) {
    fail(result, "");
  }
  result.timed_ns = timed.timed_ns();
  result.elapsed_ns = static_cast<double>(timed.now_ns() - begin_ns);
  return result;
}

}  // namespace syncmeter
