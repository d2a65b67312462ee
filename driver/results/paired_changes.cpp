#include "driver/results/paired_changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/harness/comparisons.hpp"

namespace syncmeter {
namespace {

struct spread {
  double mean = 0, error = 0;  // of logarithms
  std::size_t degrees = 0;
};

spread spread_of(const std::vector<double>& logs) {
  const auto n = static_cast<double>(logs.size());
  return {.mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n,
          .error = standard_deviation(logs) / std::sqrt(n),
          .degrees = logs.size() - 1};
}

// It takes a millisecond to compute, and is asked for again with each point and look.
double errors_at(double confidence, std::size_t degrees) {
  thread_local std::map<std::pair<double, std::size_t>, double> known;
  const auto [errors, is_new] = known.try_emplace({confidence, degrees});
  if (is_new) errors->second = detectable_errors(confidence, degrees);
  return errors->second;
}

// Two-sided, of so large a difference where the true one is at the margin.
double chance_of(const spread& s, double margin) {
  const double beyond = std::abs(s.mean) - margin;
  if (beyond <= 0) return 1;
  return s.error > 0 ? std::min(1.0, 2 * student_t_tail(beyond / s.error, s.degrees)) : 0;
}

change_verdict verdict_of(const paired_change& change, double threshold) {
  if (change.p < chance_of_false_alarm)
    return change.ratio.value > 1 ? change_verdict::slower : change_verdict::faster;
  const bool within = change.ratio.low >= 1 / (1 + threshold) && change.ratio.high <= 1 + threshold;
  return within ? change_verdict::same : change_verdict::cannot_tell;
}

}  // namespace

std::string_view to_text(change_verdict v) {
  switch (v) {
  case change_verdict::slower:
    return "slower";
  case change_verdict::faster:
    return "faster";
  case change_verdict::same:
    return "same";
  case change_verdict::cannot_tell:
    break;
  }
  return "cannot_tell";
}

std::vector<paired_change> judge_changes(std::span<const paired_visits> points, double threshold) {
  const double margin = std::log1p(threshold);
  const auto told = [](const paired_visits& p) { return p.logs.size() >= enough_pairs; };
  const auto comparisons = static_cast<double>(std::ranges::count_if(points, told));
  std::vector<paired_change> changes(points.size());
  std::vector<double> ps(points.size(), 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!told(points[i])) continue;
    const spread s = spread_of(points[i].logs);
    const double alpha = chance_of_false_alarm * points[i].share;
    const double half = s.error * student_t(1 - alpha, s.degrees);
    changes[i].ratio = {std::exp(s.mean), std::exp(s.mean - half), std::exp(s.mean + half)};
    ps[i] = std::min(1.0, chance_of(s, margin) / points[i].share);
    changes[i].detectable =
        std::exp(margin + s.error * errors_at(1 - alpha / comparisons, s.degrees));
  }
  // Points that say nothing are no comparisons.
  std::vector<double> compared;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (told(points[i])) compared.push_back(ps[i]);
  }
  const std::vector<double> adjusted = holm(compared);
  for (std::size_t i = 0, next = 0; i < points.size(); ++i) {
    if (!told(points[i])) continue;
    changes[i].p = adjusted[next++];
    changes[i].verdict = verdict_of(changes[i], threshold);
  }
  return changes;
}

std::size_t next_look_at(std::size_t visits) { return visits + (visits + 1) / 2; }

double share_of_look(std::size_t visits, std::size_t planned, bool looks_again) {
  if (visits <= planned && !looks_again) return 1;
  double share = 0.5;
  for (std::size_t at = std::max<std::size_t>(planned, 1); at < visits; at = next_look_at(at))
    share /= 2;
  return share;
}

}  // namespace syncmeter
