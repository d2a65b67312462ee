#include "driver/campaign/pace.hpp"

#include <algorithm>
#include <cmath>

namespace syncmeter {
namespace {

constexpr double measured_after_s = 2;  // before, the start of a GPU's worker hides the visits
constexpr double tolerated_error = 1.0 / 3;

double ratio(double a, std::size_t b) {
  return a / static_cast<double>(std::max<std::size_t>(b, 1));
}

}  // namespace

void pace::add_visit(double took_s, double visit_s) {
  ++visits_;
  in_visits_s_ += std::min(visit_s, took_s);
  in_starts_s_ += std::max(took_s - visit_s, 0.0);
}

bool pace::is_measured() const { return in_visits_s_ + in_starts_s_ >= measured_after_s; }

double pace::left_s(std::size_t visits) const {
  const double planned_s = ratio(plan_.seconds, plan_.visits);
  const auto left = static_cast<double>(visits);
  if (!is_measured()) return left * planned_s;
  const double start_s = ratio(in_starts_s_, starts_);
  const double starts_per_visit = ratio(static_cast<double>(plan_.starts), plan_.visits);
  const double seen_s =
      ratio(ratio(in_visits_s_, visits_) + start_s * starts_per_visit, plan_.at_once);
  // The first pass begins with small grids, which take less time. For points not yet visited the
  // plan may be equally good.
  const double not_visited = std::max(1 - ratio(static_cast<double>(visits_), plan_.points), 0.0);
  return left * (seen_s + not_visited * (planned_s - seen_s) / 2);
}

std::optional<double> pace::corrected_s(double whole_s) {
  if (corrected_ || !is_measured()) return std::nullopt;
  corrected_ = std::abs(whole_s - plan_.seconds) > tolerated_error * plan_.seconds;
  return corrected_ ? std::optional(whole_s) : std::nullopt;
}

}  // namespace syncmeter
