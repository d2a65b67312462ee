#include "driver/campaign/lost_visits.hpp"

#include <string_view>

#include <fmt/format.h>

#include "driver/campaign/visit_log.hpp"
#include "driver/results/campaign_lines.hpp"

namespace syncmeter {
namespace {

using kind = exchange_outcome::kind;

constexpr unsigned losses_before_giving_up = 3;

std::string op_of(const planned_point& planned) {
  const point& p = planned.what;
  return (p.arm.empty() ? "" : p.arm + ' ') + p.backend + ' ' + p.op;
}

nlohmann::json line_of(const planned_point& planned, unsigned visit,
                       const exchange_outcome& outcome) {
  const auto line = [&](std::string_view status, std::string_view stopped_by,
                        const std::string& reason) {
    return lost_visit_line(planned, visit, status, stopped_by, reason);
  };
  switch (outcome.what) {
  case kind::crashed:
    return line("failed", stopped_by_crash, outcome.reason);
  case kind::timed_out:
    return line("timeout", stopped_by_timeout, outcome.reason);
  case kind::given_up:
    return line("failed", stopped_by_giving_up, "not tried: " + outcome.reason);
  default:
    return line("failed", "failure", outcome.reason);
  }
}

}  // namespace

std::optional<nlohmann::json> lost_visits::not_tried(const planned_point& planned,
                                                     unsigned visit) const {
  const std::string op = op_of(planned);
  const auto lost = in_a_row_.find(op);
  if (lost == in_a_row_.end() || lost->second < losses_before_giving_up) return std::nullopt;
  return lost_visit_line(
      planned, visit, "failed", stopped_by_giving_up,
      fmt::format("not tried: {} crashes or timeouts in a row of {}", lost->second, op));
}

void lost_visits::answered(const planned_point& planned) { in_a_row_.erase(op_of(planned)); }

lost_visits::loss lost_visits::lose(const planned_point& planned, unsigned visit,
                                    const std::string& text, const exchange_outcome& outcome) {
  const std::string op = op_of(planned);
  unsigned& in_a_row = in_a_row_[op];
  if (outcome.what == kind::refused) in_a_row = 0;
  if (outcome.what == kind::crashed || outcome.what == kind::timed_out) ++in_a_row;
  loss lost{.line = line_of(planned, visit, outcome), .sentences = {}};
  // What follows from a cause is in the file.
  if (reported_causes_.insert(outcome.reason).second)
    lost.sentences.push_back(fmt::format("visit {} of {}: {}", visit, text, outcome.reason));
  if (in_a_row >= losses_before_giving_up) {
    lost.sentences.push_back(fmt::format(
        "{} crashes or timeouts in a row of {}: the rest of it is not tried", in_a_row, op));
  }
  return lost;
}

}  // namespace syncmeter
