// A bench that measures nothing: it plays a script on a virtual clock. The cost of the op is
// planted, and the script may disturb any sample, so that the harness can be held against the
// truth.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/harness/harness.hpp"

namespace syncmeter::test {

/// One call of take(), as the script sees it.
struct call {
  std::size_t number = 0;  ///< 0 for the first sample, calibration and warm-up included
  std::size_t index = 0;   ///< into `counts`
  std::uint32_t trips = 0;
  double begin_ns = 0;  ///< the virtual clock when the sample begins
};

struct script {
  op_info info{.name = "scripted"};
  unsigned lanes = 1;
  double step_ns = 2;  ///< one step of the baseline
  double cost_ns = 3;  ///< planted: one op, in the unit that the harness reports
  /// What the op adds to a step at k measured ops; empty: k times its cost.
  std::function<double(int)> added_ns{};
  /// Disturbs a sample; span_ns and host_ns are the undisturbed ones.
  std::function<void(sample&, const call&)> disturb{};
  /// The pair probe as a function of time; empty: no placement states.
  std::function<double(double)> hop_ns{};
  /// Returns owner changes per acquisition for a number of trips. Empty: the op holds no lock.
  std::function<double(std::uint32_t)> owner_changes{};
};

class scripted_bench : public bench {
 public:
  static constexpr double launch_ns = 1500;  ///< host time of a sample outside its loop
  static constexpr double probe_ns = 400;

  explicit scripted_bench(script s) : script_(std::move(s)) {}

  sample take(std::size_t index, std::uint32_t trips) override {
    const call made{.number = calls_.size(), .index = index, .trips = trips, .begin_ns = clock_ns_};
    calls_.push_back(made);
    const double span_ns = step_with_ops_ns(counts.at(index)) * trips * script_.info.unroll;
    sample taken;
    taken.span_ns = span_ns;
    taken.host_ns = span_ns + launch_ns;
    if (script_.disturb) script_.disturb(taken, made);
    clock_ns_ += taken.host_ns;
    sampled_ns_ += taken.host_ns;
    return taken;
  }

  std::optional<double> pair_probe() override {
    if (!script_.hop_ns) return std::nullopt;
    ++probes_;
    clock_ns_ += probe_ns;
    return script_.hop_ns(clock_ns_);
  }

  void begin_round() override { samples_before_round_.push_back(calls_.size()); }
  void expect(std::span<const std::vector<std::size_t>> rounds, std::uint32_t) override {
    expected_at_once_.push_back(rounds.size());
    for (const auto& round : rounds) expected_.insert(expected_.end(), round.begin(), round.end());
  }

  std::optional<double> count_owner_changes(std::uint32_t trips) override {
    if (!script_.owner_changes) return std::nullopt;
    samples_before_count_.push_back(calls_.size());
    return script_.owner_changes(trips);
  }

  std::int64_t now_ns() override { return static_cast<std::int64_t>(clock_ns_); }

  visit_result measure(const visit_options& options) {
    return measure_visit(*this, script_.info, script_.lanes, options);
  }

  [[nodiscard]] const std::vector<call>& calls() const { return calls_; }
  /// How many samples had been taken each time a round began.
  [[nodiscard]] const std::vector<std::size_t>& samples_before_round() const {
    return samples_before_round_;
  }
  /// How many samples had been taken each time owner changes were counted.
  [[nodiscard]] const std::vector<std::size_t>& samples_before_count() const {
    return samples_before_count_;
  }
  /// How many rounds were announced each time, and the sides of all of them.
  [[nodiscard]] const std::vector<std::size_t>& expected_at_once() const {
    return expected_at_once_;
  }
  [[nodiscard]] const std::vector<std::size_t>& expected() const { return expected_; }
  [[nodiscard]] std::size_t probes() const { return probes_; }
  [[nodiscard]] double sampled_ns() const { return sampled_ns_; }

 private:
  // The inverse of what the harness has to find out: see `step` in core/op.hpp.
  [[nodiscard]] double step_with_ops_ns(int k) const {
    const double one_ns = script_.cost_ns * script_.info.ops_per_step *
                          (script_.info.cost_per_lane ? script_.lanes : 1);
    const double added_ns = script_.added_ns ? script_.added_ns(k) : k * one_ns;
    const bool repeats_step = script_.info.pairing == pairing::insert && k > 1;
    return (repeats_step ? k : 1) * script_.step_ns + added_ns;
  }

  script script_;
  std::vector<call> calls_;
  std::vector<std::size_t> samples_before_round_, samples_before_count_, expected_at_once_,
      expected_;
  std::size_t probes_ = 0;
  double clock_ns_ = 0;
  double sampled_ns_ = 0;
};

/// A disturbance that multiplies every span by 1 + `share` x N(0, 1); host time grows along.
inline std::function<void(sample&, const call&)> jitter(double share, std::uint64_t seed) {
  return [share, random = std::mt19937_64(seed),
          normal = std::normal_distribution<>()](sample& taken, const call&) mutable {
    const double extra_ns = taken.span_ns * share * normal(random);
    taken.span_ns += extra_ns;
    taken.host_ns += extra_ns;
  };
}

}  // namespace syncmeter::test
