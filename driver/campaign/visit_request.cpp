#include "driver/campaign/visit_request.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/point.hpp"
#include "driver/campaign/campaign_file.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/results/campaign_lines.hpp"

namespace syncmeter {
namespace {

double min_sample_us(const planned_point& planned, const run_options& options) {
  if (options.min_sample_us > 0) return options.min_sample_us;
  return planned.device ? 50 : 100;
}

// A GPU's loops have no neighbours. Many rounds agree to a cycle, and then five rounds show as much
// as eleven. Asks for a tenth of the precision, because a visit that ends early must not be less
// precise than others. On CPUs few rounds do not show what later rounds meet.
double early_precision(const planned_point& planned, const run_options& options) {
  return planned.device && !planned.additivity ? 0.1 * options.precision : 0;
}

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

std::vector<double> quiet_floors::of(const std::vector<int>& pus) const {
  const auto found = known_.find(pus);
  return found == known_.end() ? std::vector<double>{} : found->second;
}

void quiet_floors::learn(const visit_record& visit) {
  const std::vector<double>& floors = visit.quiet_probe.floor_ns;
  // The thread that launches on a GPU has one floor for all PUs.
  if (floors.empty() || visit.device) return;
  auto& known = known_[visit.pus];
  if (known.size() != floors.size()) known = floors;
  for (std::size_t lane = 0; lane < floors.size(); ++lane)
    known[lane] = std::min(known[lane], floors[lane]);
}

nlohmann::json visit_request(const planned_point& planned, unsigned visit,
                             const run_options& options, const visit_context& context) {
  nlohmann::json request{{"point", planned.what},
                         {"pus", planned.pus},
                         {"visit", visit},
                         {"options",
                          {{"precision", options.precision},
                           {"early_precision", early_precision(planned, options)},
                           {"max_time_ns", max_visit_s(planned, options) * 1e9},
                           {"min_sample_ns", 1e3 * min_sample_us(planned, options)},
                           {"seed", context.seed},
                           {"trips", context.trips},
                           {"additivity", planned.additivity},
                           {"rounds_at_once", planned.rounds_at_once},
                           {"watch_states", context.watch_states},
                           {"quiet_floor_ns", context.quiet_floor_ns},
                           {"state_bounds_ns", context.state_bounds_ns},
                           {"oversubscribe", options.oversubscribe}}}};
  if (planned.device) request["device"] = device_of(planned, visit);
  return request;
}

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
  // Reports each cause once, because the file has the consequences.
  if (reported_causes_.insert(outcome.reason).second)
    lost.sentences.push_back(fmt::format("repetition {} of {}: {}", visit, text, outcome.reason));
  if (in_a_row >= losses_before_giving_up) {
    lost.sentences.push_back(fmt::format(
        "{} crashes or timeouts in a row of {}: the rest of it is not tried", in_a_row, op));
  }
  return lost;
}

}  // namespace syncmeter
