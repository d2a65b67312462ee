#include "driver/advise/program_runs.hpp"

#include <algorithm>

namespace syncmeter {

std::vector<double> taken_by_arm(const std::vector<program_run>& runs, std::string_view arm,
                                 double program_run::* taken_s) {
  std::vector<double> all;
  for (const program_run& run : runs)
    if (run.arm == arm) all.push_back(run.*taken_s);
  return all;
}

interval middle_and_ends(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  return {.value = median(values), .low = low, .high = high};
}

std::vector<double> cuda_spans_s(const std::vector<program_run>& runs) {
  std::vector<double> all;
  for (const program_run& run : runs)
    if (run.arm == "span" && run.cuda_span_s) all.push_back(*run.cuda_span_s);
  return all;
}

interval plain_wall_s(const std::vector<program_run>& runs) {
  return middle_and_ends(taken_by_arm(runs, "plain", &program_run::wall_s));
}

interval as_it_is(const std::vector<program_run>& runs, double program_run::* taken_s) {
  const std::vector<double> plain = taken_by_arm(runs, "plain", taken_s);
  if (plain.empty()) return {};
  interval found = middle_and_ends(plain);
  for (const double sampled_s : taken_by_arm(runs, "sample", taken_s)) {
    found.low = std::min(found.low, sampled_s);
    found.high = std::max(found.high, sampled_s);
  }
  return found;
}

std::optional<double> cpu_s_alone(const std::vector<program_run>& runs) {
  std::optional<double> least_s;
  for (const program_run& run : runs) {
    if (run.arm != "alone") continue;
    const double all_s =
        (run.user_s + run.system_s) / std::min(1.0, run.lock_call_share.value_or(1));
    least_s = std::min(least_s.value_or(all_s), all_s);
  }
  return least_s;
}

std::optional<counting_cost> cost_of_counting(const std::vector<program_run>& runs) {
  const std::vector<double> plain = taken_by_arm(runs, "plain", &program_run::wall_s),
                            counted = taken_by_arm(runs, "count", &program_run::wall_s);
  std::vector<double> ratios;
  for (std::size_t pair = 0; pair < std::min(plain.size(), counted.size()); ++pair)
    ratios.push_back(counted[pair] / plain[pair]);
  if (ratios.empty()) return std::nullopt;
  const interval found = middle_and_ends(ratios);
  return counting_cost{
      .ratio = found.value, .low = found.low, .high = found.high, .pairs = ratios.size()};
}

}  // namespace syncmeter
