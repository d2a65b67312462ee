// Measures one point once (one visit): calibrate, pair, stop, estimate. Sees samples and a clock,
// never a backend.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/harness/stats.hpp"
#include "core/op.hpp"

namespace syncmeter {

/// Why a round was dropped. A round is dropped as a pair, and counted.
enum class drop : std::uint8_t { none, moved, preempted, state_changed, throttled };
constexpr auto names_of(drop) {
  return spelled("none", "moved", "preempted", "state_changed", "throttled");
}
inline constexpr std::size_t drop_kinds = names_of(drop{}).size();

/// One timed loop on all lanes.
struct sample {
  double span_ns = 0;   ///< the backend's own clock: on a CPU last stop - first start
  double host_ns = 0;   ///< the host's time around the whole launch or parallel region; 0 where it
                        ///< is not taken
  double cycles = 0;    ///< span_ns in cycles of the clock that really ran; 0 where none
                        ///< is counted
  double fairness = 1;  ///< Jain index of the lanes' rates
  double slowest_over_fastest = 1;  ///< ratio of lane durations, >= 1
  bool busy = false;                ///< a quiet probe on some lane was slow
  drop dropped = drop::none;
  std::string failure;  ///< oracle or API error; empty when right
};

/// What is measured, as the harness sees it.
class bench {
 public:
  virtual ~bench() = default;
  /// One sample of the side `counts[index]` of the op. May throw std::runtime_error: the point
  /// failed.
  virtual sample take(std::size_t index, std::uint32_t trips) = 0;
  /// The samples until the next call are one round: a bench may change between rounds what it must
  /// not change within one.
  virtual void begin_round() {}
  /// Which rounds come next: the sides of each, all of `trips`, in the order in which take() will
  /// ask for them after its begin_round(). A bench whose samples can wait in a queue takes them all
  /// at once, without the host's clock.
  virtual void expect(std::span<const std::vector<std::size_t>> rounds, std::uint32_t trips) {
    static_cast<void>(rounds), static_cast<void>(trips);
  }
  /// A sample has this many trips, or a multiple of it.
  [[nodiscard]] virtual std::uint32_t trips_in_step() const { return 1; }
  /// Mean hop between the lanes now, in ns; nothing where the point is not contended or there is
  /// one placement state only.
  virtual std::optional<double> pair_probe() { return std::nullopt; }
  /// Returns owner changes per acquisition of a lock. Takes one more sample on the test side,
  /// without the clock. Returns nothing if lanes share no lock or every try was disturbed. May
  /// throw like take().
  virtual std::optional<double> count_owner_changes(std::uint32_t trips) {
    static_cast<void>(trips);
    return std::nullopt;
  }
  /// Monotonic time in ns.
  virtual std::int64_t now_ns() = 0;
};

/// How to measure; all times in ns.
struct visit_options {
  double precision = 0.01;       ///< stop when the half-width is within this share of the estimate
  double early_precision = 0;    ///< stop after early_look rounds when all lie this near; 0: never
  double max_time_ns = 30e6;     ///< this visit's share of the point's time
  double min_sample_ns = 100e3;  ///< the longer side lasts at least this
  double clock_tick_ns = 25;     ///< a sample lasts at least 2000 of these
  std::uint64_t seed = 1;        ///< orders the sides within rounds
  std::uint32_t trips = 0;       ///< what an earlier visit calibrated; 0 = calibrate
  bool additivity = false;       ///< also take 2 and 4 measured ops
  std::size_t rounds_at_once = 1;      ///< that a bench is told to expect, at most; 1: none
  std::vector<double> state_bounds{};  ///< ns between placement-state classes, ascending; empty =
                                       ///< one state
};

/// One round: baseline and test back to back (and 2 and 4 measured ops, NaN when not asked for).
struct round {
  std::array<double, 4> span_ns{};  ///< by index into `counts`
  std::array<double, 2> host_ns{};  ///< baseline, test; 0 where it is not taken
  std::array<double, 2> cycles{};   ///< baseline, test; 0 where none are counted
  double hop_ns = 0;  ///< mean hop between the lanes around it; 0 when there was no pair probe
  unsigned state_class = 0;  ///< which placement state (0 = fastest)
  bool busy = false;
};

// clang-format off
enum class status : std::uint8_t {
  ok, not_resolved, interferes, elided, noisy, busy, too_slow, unsupported, failed, timeout };
// clang-format on
constexpr auto names_of(status) {
  return spelled("ok", "not_resolved", "interferes", "elided", "noisy", "busy", "too_slow",
                 "unsupported", "failed", "timeout");
}

/// The estimate of one visit in one state.
struct state_estimate {
  unsigned state_class = 0;
  bool busy = false;
  std::size_t rounds = 0;
  double share = 0;        ///< of all rounds kept
  interval cost_ns;        ///< per op
  interval host_cost_ns;   ///< per op, by the host's clock; all 0 where it is not taken
  interval cost_cycles{};  ///< per op, in cycles of device or cores; all 0 where none are counted
  double baseline_ns = 0;  ///< median of one step of the baseline
  double test_ns = 0;      ///< median of one step of the test
  double hop_ns = 0;       ///< median of the rounds' hops; 0 without pair probe
};

/// Hops that are this far apart in ratio are of different placement states.
inline constexpr double state_gap = 1.5;

/// What one visit found.
struct visit_result {
  enum status status = status::ok;
  std::string reason;      ///< why, for every status but ok
  std::string stopped_by;  ///< "precision", "resolution", "max_time", "max_rounds", "failure"
  std::uint32_t trips = 0;
  std::size_t rounds_taken = 0;
  std::array<std::size_t, drop_kinds> drops{};
  std::vector<state_estimate> estimates;  ///< one for each state, the headline first
  std::vector<round> rounds;              ///< kept rounds, in the order taken
  double fairness = 1;                    ///< median over rounds of the test side
  double slowest_over_fastest = 1;
  double hop_ns = 0;             ///< median of the pair probe over the visit; 0 when there is none
  std::optional<bool> additive;  ///< with additivity: cost(4)/4 agrees with cost(1)
  std::array<double, 3> additivity_ns{};  ///< cost of 1, 2/2, 4/4 measured ops
  std::optional<double> owner_changes;    ///< per acquisition of a lock that lanes share, 0 to 1
  double timed_ns = 0;                    ///< inside timed loops and probes
  double elapsed_ns = 0;
};

/// Rounds at which the stop rule looks once before the others, where early_precision asks for it.
/// The interval of so few is from the smallest to the largest of them (93.75 %).
inline constexpr std::size_t early_look = 5;

/// Rounds after which the stop rule looks: 11, 15, 20, 26, ... (x 1.3; looking after every round
/// would cost coverage). Returns the first such number greater than `rounds`.
[[nodiscard]] std::size_t next_look(std::size_t rounds);

/// Measures one visit. Never throws for what the bench does: a throwing sample is status::failed,
/// and then nothing is estimated. At least 5 rounds are kept whatever max_time_ns says, or 2 where
/// a single round takes longer than that.
[[nodiscard]] visit_result measure_visit(bench& subject, const op_info& info, unsigned lanes,
                                         const visit_options& options);

/// Cost of one op in ns from the spans of a baseline sample and a sample at Count k.
[[nodiscard]] double cost_per_op_ns(const op_info& info, unsigned lanes, int count,
                                    double baseline_ns, double test_ns, std::uint32_t trips);

}  // namespace syncmeter
