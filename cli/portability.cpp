#include "cli/portability.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/census.hpp"
#include "cli/columns.hpp"
#include "cli/counterparts.hpp"
#include "cli/figures.hpp"
#include "cli/parse_axes.hpp"
#include "cli/table.hpp"
#include "cli/visit_ratios.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

// What each visit of a measured point found, by the visit's number, and what its loops compiled to.
struct measured_visits {
  costs_by_visit costs;
  std::string code;
};

// Moves and address arithmetic are the compiler's affair on both sides.
std::string code_of(const json& visit) {
  const json census = visit.value("census", json());
  if (!census.is_object() || !census.contains("per_op")) return {};
  std::map<std::string, double> counts;
  for (const auto& [name, count] : census.at("per_op").items()) {
    if (count.is_number() && !is_bookkeeping(name)) counts[name] = count.get<double>();
  }
  return to_text(counts);
}

std::unordered_map<std::string, measured_visits> visits_by_point(const results_file& file) {
  const state_classes classes(file);
  std::unordered_map<std::string, measured_visits> all;
  for (const json& visit : file.visits) {
    const auto what = visit.at("point").get<point>();
    measured_visits& of_point = all[canonical(what)];
    if (of_point.code.empty()) of_point.code = code_of(visit);
    of_point.costs[visit.value("visit", 1U)] = costs_of(visit, what.lanes, classes);
  }
  return all;
}

std::string cost_text(const point_summary& s) {
  if (has_cost(s)) return nanoseconds(s.cost_ns.value);
  if (has_upper_bound(s)) return "< " + upper_bound_ns(s.cost_ns.high);
  return std::string(to_text(s.status));
}

enum class outcome : std::uint8_t { no_interval, same, dearer, cheaper, open };

// A difference that nobody need care about is none, however well it is resolved.
outcome outcome_of(const portability_row& row) {
  constexpr double within = 0.02;
  if (row.visits < 2) return outcome::no_interval;
  if (row.ratio.low >= 1 - within && row.ratio.high <= 1 + within) return outcome::same;
  if (row.ratio.low > 1) return outcome::dearer;
  if (row.ratio.high < 1) return outcome::cheaper;
  return outcome::open;
}

std::string judgement(const portability_row& row) {
  static const std::map<outcome, std::string> words{{outcome::no_interval, ""},
                                                    {outcome::same, "the same within 2 %"},
                                                    {outcome::dearer, "dearer"},
                                                    {outcome::cheaper, "cheaper"},
                                                    {outcome::open, "no difference resolved"}};
  const std::string& cost = words.at(outcome_of(row));
  if (cost.empty() || row.native_code.empty() || row.portable_code.empty()) return cost;
  return cost + (row.native_code == row.portable_code ? ", same code" : ", other code");
}

}  // namespace

std::vector<portability_row> portability_of(const results_file& file,
                                            const std::vector<point_summary>& points) {
  std::unordered_map<std::string, const point_summary*> native;
  for (const point_summary& s : points) {
    if (!is_portable(s.what.backend) && s.visits > 0)
      native.try_emplace(counterpart_key(s.what, s.device.has_value()), &s);
  }
  const auto visits = visits_by_point(file);
  std::vector<portability_row> rows;
  for (const point_summary& s : points) {
    if (!is_portable(s.what.backend) || s.visits == 0) continue;
    const auto found = native.find(counterpart_key(s.what, s.device.has_value()));
    if (found == native.end()) continue;
    portability_row row;
    row.native = found->second;
    row.portable = &s;
    const auto ours = visits.find(measured_name(s));
    const auto theirs = visits.find(measured_name(*found->second));
    if (ours == visits.end() || theirs == visits.end()) continue;
    row.native_code = theirs->second.code;
    row.portable_code = ours->second.code;
    if (has_cost(s) && has_cost(*found->second)) {
      const visit_ratio both = ratio_in_one_state(ours->second.costs, theirs->second.costs);
      row.ratio = both.ratio;
      row.visits = both.visits;
    }
    rows.push_back(std::move(row));
  }
  // By the native side, so that every portable one stands beside it.
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return comes_before(*a.native, *b.native); });
  return rows;
}

std::string portability_text(const results_file& file, const std::vector<point_summary>& points) {
  const std::vector<portability_row> rows = portability_of(file, points);
  if (rows.empty()) return {};
  using enum columns::align;
  columns table({{"op", left},
                 {"type", left},
                 {"order", left},
                 {"placement", left},
                 {"blocks", right},
                 {"lanes", right},
                 {"native", left},
                 {"ns/op", right},
                 {"portable", left},
                 {"ns/op", right},
                 {"ratio", right},
                 {"95 % interval", right},
                 {"native compiled to", left},
                 {"portable compiled to", left},
                 {"", left}});
  std::map<outcome, std::size_t> count;
  for (const portability_row& row : rows) {
    const point& p = row.portable->what;
    const bool has_ratio = row.visits > 0;
    const bool bounded = row.visits > 1;
    ++count[outcome_of(row)];
    table.row({p.op, p.type ? std::string(to_text(*p.type)) : "",
               p.order == order::unordered ? "" : std::string(to_text(p.order)), placement_text(p),
               row.portable->device ? fmt::to_string(p.blocks) : "", fmt::to_string(p.lanes),
               row.native->what.backend, cost_text(*row.native), p.backend,
               cost_text(*row.portable), has_ratio ? fmt::format("{:.3f}", row.ratio.value) : "",
               bounded ? fmt::format("{:.3f}..{:.3f}", row.ratio.low, row.ratio.high) : "",
               row.native_code, row.portable_code, judgement(row)});
  }
  return fmt::format(
      "\nPortable against native, the same op at the same point, visited in turn\n{}"
      "{} pairs: the portable one costs the same within 2 % in {}, more in {}, less in {}; no "
      "difference is resolved in {}; {} have no ratio with an interval\n",
      table.text(), rows.size(), count[outcome::same], count[outcome::dearer],
      count[outcome::cheaper], count[outcome::open], count[outcome::no_interval]);
}

}  // namespace syncmeter
