// From the visits of each point to its one estimate: the headline state, the median over visits
// with its interval, and the status that the reader sees.
#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "driver/plan/options.hpp"
#include "driver/results/point_states.hpp"
#include "driver/results/pooled_rounds.hpp"
#include "driver/results/results.hpp"
#include "driver/results/state_classes.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

unsigned visit_number(const json& visit) {
  const auto found = visit.find("visit");
  return found != visit.end() && found->is_number_unsigned() ? found->get<unsigned>() : 1U;
}

template <class Get>
std::vector<double> each(const std::vector<visit_estimate>& estimates, const Get& get) {
  std::vector<double> values;
  for (const visit_estimate& e : estimates) values.push_back(get(e));
  return values;
}

// What one visit says of its own rounds is no interval for a CPU: it held the truth 4 to 26 % of
// the time. An import's is over its own visits.
interval combined(const std::vector<visit_estimate>& estimates, interval visit_estimate::* which,
                  bool keeps_its_own) {
  if (estimates.size() == 1 && keeps_its_own) return estimates.front().*which;
  return over_visits(
      each(estimates, [which](const visit_estimate& e) { return (e.*which).value; }));
}

// The hop names a state for every campaign; a class number means something in its own file only.
std::string state_text(const point_states& all, state_key chosen, double hop_ns) {
  const std::string hop = hop_ns > 0 ? fmt::format("hop {:.0f} ns", hop_ns) : "";
  if (all.size() < 2) return hop;
  double total = 0;
  bool one_class = true;
  for (const auto& [key, estimates] : all) {
    total += static_cast<double>(rounds_in(estimates));
    one_class = one_class && key.state_class == chosen.state_class;
  }
  const double rounds = static_cast<double>(rounds_in(all.at(chosen)));
  const std::string name = !hop.empty() ? hop + ", "
                           : one_class  ? ""
                                        : fmt::format("state {}, ", chosen.state_class);
  return fmt::format("{}{} ({:.0f} %)", name, chosen.busy ? "busy" : "quiet",
                     total > 0 ? 100 * rounds / total : 0);
}

// A GPU has no placement states and is its user's alone: where its visits agree, their rounds are
// one sample, and Student's t over three visits would say less than was seen.
void narrow_where_visits_agree(point_summary& s, const std::vector<const json*>& visits,
                               const std::vector<visit_estimate>& used) {
  std::vector<const json*> pooled;
  for (const visit_estimate& e : used) pooled.push_back(visits[e.visit]);
  const unsigned participants = facts_of(s).participants;
  const auto found = pooled_interval(pooled, participants != 0 ? participants : warps_of(s.what));
  if (!found) return;
  const double median_ns = s.cost_ns.value;
  s.cost_ns = {median_ns, std::min(found->low, median_ns), std::max(found->high, median_ns)};
  // The same rounds by another clock: the same width.
  if (median_ns > 0) s.cost_cycles = scaled(s.cost_ns, s.cost_cycles.value / median_ns);
}

void estimate(point_summary& s, const point_states& all, state_key chosen,
              const std::vector<const json*>& visits) {
  const std::vector<visit_estimate> used = solid_visits(all.at(chosen));
  s.visits = used.size();
  s.hop_ns = median(each(used, [](const visit_estimate& e) { return e.hop_ns; }));
  s.state_class = chosen.state_class;
  s.busy = chosen.busy;
  s.rounds = rounds_in(all.at(chosen));
  for (const visit_estimate& e : all.at(chosen)) {
    auto& cost = s.by_visit[visit_number(*visits[e.visit])];
    if (e.rounds >= cost.rounds) cost = {e.cost_ns.value, e.rounds};
  }
  s.host_timed =
      std::ranges::all_of(used, [](const visit_estimate& e) { return e.host_cost_ns.value != 0; });
  s.state = state_text(all, chosen, s.hop_ns);
  const bool keeps_its_own = s.device.has_value() || s.imported;
  s.cost_ns = combined(used, &visit_estimate::cost_ns, keeps_its_own);
  s.host_cost_ns = combined(used, &visit_estimate::host_cost_ns, keeps_its_own);
  s.cost_cycles = combined(used, &visit_estimate::cost_cycles, keeps_its_own);
  if (s.device) narrow_where_visits_agree(s, visits, used);
  s.baseline_ns = median(each(used, [](const visit_estimate& e) { return e.baseline_ns; }));
  s.test_ns = median(each(used, [](const visit_estimate& e) { return e.test_ns; }));
  if (s.imported) return;  // its source says what it is, also where it published no interval
  // Nothing is known over one visit; whether that visit saw a cost at all, its rounds say.
  const interval& seen = used.size() == 1 ? used.front().cost_ns : s.cost_ns;
  s.resolved = seen.low > 0;
  if (seen.high < 0) {
    s.status = status::interferes;
    s.reason = fmt::format("the test side is faster: {:.4g} ns a step against {:.4g} ns", s.test_ns,
                           s.baseline_ns);
  } else if (!s.resolved) {
    s.status = status::not_resolved;
    s.reason = fmt::format("the interval holds 0; at most {:.3g} ns", seen.high);
  } else if (chosen.busy) {
    s.status = status::busy;
    s.reason = "a processing unit of its lanes was shared or slow while measuring";
  }
}

std::size_t count_of(const std::vector<const json*>& visits, status wanted) {
  return static_cast<std::size_t>(std::count_if(visits.begin(), visits.end(), [&](const json* v) {
    return status_from_text(v->at("status").get<std::string>()) == wanted;
  }));
}

// A visit's own word goes over the interval where it tells what an interval cannot.
void overrule(point_summary& s, const std::vector<const json*>& visits) {
  const auto take = [&](status word) {
    for (const json* visit : visits) {
      if (status_from_text(visit->at("status").get<std::string>()) != word) continue;
      s.status = word;
      s.reason = visit->value("reason", "");
      return;
    }
  };
  for (const status word :
       {status::failed, status::timeout, status::too_slow, status::unsupported, status::elided}) {
    if (count_of(visits, word) != 0) return take(word);
  }
  if (2 * count_of(visits, status::noisy) > visits.size()) return take(status::noisy);
  if (s.visits == 0 && !s.imported) {
    s.status = status::noisy;
    s.reason = "no visit holds an estimate";
  }
}

void add_conduct(point_summary& s, const std::vector<const json*>& visits) {
  std::vector<double> fairness, slowest;
  std::size_t adds_up = 0, checked = 0;
  for (const json* visit : visits) {
    s.rounds_kept += visit->value("rounds_kept", std::size_t{0});
    const json drops = visit->value("drops", json::object());
    for (const auto& [why, n] : drops.items()) {
      if (n.is_number_integer() && n > 0) s.rounds_dropped += n.get<std::size_t>();
    }
    if (!visit->value("estimates", json::array()).empty()) {
      fairness.push_back(number_or(*visit, "fairness", 1));
      slowest.push_back(number_or(*visit, "slowest_over_fastest", 1));
    }
    const json additivity = visit->value("additivity", json::object());
    if (additivity.contains("additive") && additivity.at("additive").is_boolean()) {
      ++checked;
      adds_up += additivity.at("additive").get<bool>() ? 1U : 0U;
    }
  }
  if (!fairness.empty()) s.fairness = median(fairness);
  if (!slowest.empty()) s.slowest_over_fastest = median(slowest);
  if (checked != 0) s.additive = 2 * adds_up > checked;
}

// What the worker says of the op that it measured; a lost visit says nothing.
std::optional<op_facts> facts_reported_of(const std::string& op,
                                          const std::vector<const json*>& visits) {
  for (const json* visit : visits) {
    if (visit->contains("family")) {
      op_facts facts =
          facts_of(op, visit->at("family").get<std::string>(),
                   visit->value("pairing", "") == "insert", visit->value("cost_per_lane", false));
      facts.host_lane = visit->value("host_lane", false);
      facts.launching = visit->value("launching", "");
      facts.participants = visit->value("participants", 0U);
      if (visit->contains("devices"))
        facts.devices = std::max(1U, static_cast<unsigned>(visit->at("devices").size()));
      return facts;
    }
  }
  return std::nullopt;
}

// The median of the visits' waits, and the longest of all.
json waits_of(const std::vector<const json*>& visits) {
  std::map<const char*, std::vector<double>> each;
  double count = 0;
  for (const json* visit : visits) {
    const json waits = visit->value("lane_waits", json::object());
    count += number_or(waits, "count", 0);
    for (const char* time : {"p50_ns", "p999_ns", "longest_ns"}) {
      if (number_or(waits, "count", 0) > 0) each[time].push_back(number_or(waits, time, 0));
    }
  }
  if (each.empty()) return {};
  json all{{"count", count}};
  for (const auto& [time, values] : each) all[time] = median(values);
  all["longest_ns"] = std::ranges::max(each["longest_ns"]);
  return all;
}

/// The visits of one point; a visit that was tried again counts as its last try.
struct visited_point {
  point what;
  std::map<unsigned, const json*> by_number;
  std::vector<const json*> visits;  // in the order of their numbers
  std::string family;
  std::vector<int> pus;
  point_states seen;
};

point_summary summarize_point(const visited_point& p, const headline_rule& rule) {
  point_summary s;
  s.what = p.what;
  s.reported = facts_reported_of(p.what.op, p.visits);
  const json& first = *p.visits.front();
  if (first.value("imported", false)) {
    s.imported = true;
    s.status = status_from_text(first.value("status", "")).value_or(s.status);
    s.reason = first.value("reason", "");
  }
  s.visited = true;
  s.build = text_in(first, "build");
  s.doubt = text_in(first, "doubt");
  s.oversubscribed = std::ranges::any_of(
      p.visits, [](const json* visit) { return visit->value("oversubscribed", false); });
  s.lane_waits = waits_of(p.visits);
  if (first.contains("device")) s.device = first.at("device").get<unsigned>();
  s.pus = p.pus;
  add_conduct(s, p.visits);
  if (!p.seen.empty()) {
    const point_summary before = s;
    const state_key shown = rule.of(p.family, p.pus, p.seen);
    estimate(s, p.seen, shown, p.visits);
    for (const auto& [key, estimates] : p.seen) {
      if (key == shown) continue;
      s.other_states.push_back(before);
      s.other_states.back().headline = false;
      estimate(s.other_states.back(), p.seen, key, p.visits);
    }
  }
  overrule(s, p.visits);
  return s;
}

/// The points of a file in order of first appearance, and the rule for their headlines.
struct visited_points {
  std::vector<visited_point> points;
  std::unordered_map<std::string, std::size_t> index;  // by canonical text
  headline_rule rule;

  explicit visited_points(const results_file& file) {
    for (const json& visit : file.visits) {
      auto what = visit.at("point").get<point>();
      const auto [found, is_new] = index.try_emplace(canonical(what), points.size());
      if (is_new) points.emplace_back().what = std::move(what);
      points[found->second].by_number[visit_number(visit)] = &visit;
    }
    const state_classes classes(file);
    for (visited_point& p : points) {
      try {
        for (const auto& [number, visit] : p.by_number) {
          p.visits.push_back(visit);
          if (p.family.empty()) p.family = text_in(*visit, "family");
        }
        p.pus = p.visits.front()->value("pus", std::vector<int>{});
        p.seen = states_of(p.visits, p.what.lanes, classes);
      } catch (const json::exception& error) {
        cannot_use(file, p, error);
      }
      rule.add(p.family, p.pus, p.seen);
    }
  }

  [[noreturn]] static void cannot_use(const results_file& file, const visited_point& p,
                                      const json::exception& error) {
    throw usage_error(fmt::format("{}: the visits of {} cannot be used: {}", file.path,
                                  canonical(p.what), error.what()));
  }
};

}  // namespace

op_facts facts_of(const point_summary& s) { return s.reported ? *s.reported : facts_of(s.what.op); }

std::map<std::string, std::size_t> quiet_visits(const results_file& file) {
  std::map<std::string, std::size_t> found;
  const visited_points visited(file);
  for (const visited_point& p : visited.points) {
    if (!p.seen.empty() && !p.pus.empty())
      found[canonical(p.what)] = visited.rule.quiet_visits(p.family, p.pus, p.seen);
  }
  return found;
}

std::vector<point_summary> summarize(const results_file& file) {
  const visited_points visited(file);
  std::vector<point_summary> all;
  for (const visited_point& p : visited.points) {
    try {
      all.push_back(summarize_point(p, visited.rule));
    } catch (const json::exception& error) {
      visited_points::cannot_use(file, p, error);
    }
  }
  for (const json& line : file.same) {
    const std::string measured_as = canonical(line.at("measured_as").get<point>());
    const auto found = visited.index.find(measured_as);
    if (found == visited.index.end()) continue;  // the campaign ended before its first visit
    point_summary copy = all[found->second];
    const auto rename = [&, what = line.at("point").get<point>()](point_summary& s) {
      s.what = what;
      s.measured_as = measured_as;
    };
    rename(copy);
    std::for_each(copy.other_states.begin(), copy.other_states.end(), rename);
    all.push_back(std::move(copy));
  }
  for (const json& line : file.refused) {
    point_summary s;
    s.what = line.at("point").get<point>();
    s.status = status_from_text(text_in(line, "status")).value_or(status::unsupported);
    s.reason = text_in(line, "reason");
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace syncmeter
