// From the visits of each point to its one estimate: the headline state, the median over visits
// with its interval, and the status that the reader sees.
#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "driver/plan/options.hpp"
#include "driver/results/pooled_rounds.hpp"
#include "driver/results/results.hpp"
#include "driver/results/state_classes.hpp"
#include "driver/workers/gpu_devices.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;
/// A placement state: its class, and whether a quiet probe was slow.
using state_key = std::pair<unsigned, bool>;

// Fewer rounds than this in a visit say too little to choose a state by.
constexpr std::size_t enough_rounds = 5;

// Infinite bounds are null in JSON.
double number(const json& j, const char* member, double otherwise) {
  const auto found = j.find(member);
  return found != j.end() && found->is_number() ? found->get<double>() : otherwise;
}

constexpr double unbounded = std::numeric_limits<double>::infinity();

interval read_interval(const json& j, const char* member,
                       interval otherwise = {0, -unbounded, unbounded}) {
  const auto found = j.find(member);
  if (found == j.end() || !found->is_object()) return otherwise;
  return {number(*found, "value", 0), number(*found, "low", -unbounded),
          number(*found, "high", unbounded)};
}

struct visit_estimate {
  std::size_t visit = 0;  // index into the point's visits
  std::size_t rounds = 0;
  interval cost_ns, host_cost_ns, cost_cycles;
  double baseline_ns = 0, test_ns = 0;
  double hop_ns = 0;  // 0 without pair probe
};

using states = std::map<state_key, std::vector<visit_estimate>>;

states states_of(const std::vector<const json*>& visits, unsigned lanes,
                 const state_classes& classes) {
  states found;
  for (std::size_t v = 0; v < visits.size(); ++v) {
    for (const json& e : visits[v]->value("estimates", json::array())) {
      found[{classes.of(e, lanes), e.value("busy", false)}].push_back(
          {.visit = v,
           .rounds = e.value("rounds", std::size_t{0}),
           .cost_ns = read_interval(e, "cost_ns"),
           // Of clocks that not every visit has.
           .host_cost_ns = read_interval(e, "host_cost_ns", {0, 0, 0}),
           .cost_cycles = read_interval(e, "cost_cycles", {0, 0, 0}),
           .baseline_ns = number(e, "baseline_ns", 0),
           .test_ns = number(e, "test_ns", 0),
           .hop_ns = number(e, "hop_ns", 0)});
    }
  }
  return found;
}

std::size_t rounds_in(const std::vector<visit_estimate>& estimates) {
  std::size_t sum = 0;
  for (const visit_estimate& e : estimates) sum += e.rounds;
  return sum;
}

// Most visits with enough rounds, then quiet before busy, then the larger share of all rounds.
states::const_iterator headline(const states& all) {
  const auto rank = [](const states::value_type& s) {
    const auto solid = std::count_if(s.second.begin(), s.second.end(), [](const visit_estimate& e) {
      return e.rounds >= enough_rounds;
    });
    return std::tuple(solid, !s.first.second, rounds_in(s.second));
  };
  return std::max_element(all.begin(), all.end(),
                          [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

// Thin visits are left out where solid ones exist.
std::vector<visit_estimate> solid_visits(const std::vector<visit_estimate>& estimates) {
  std::vector<visit_estimate> solid;
  for (const visit_estimate& e : estimates) {
    if (e.rounds >= enough_rounds) solid.push_back(e);
  }
  return solid.empty() ? estimates : solid;
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
std::string state_text(const states& all, state_key chosen, double hop_ns) {
  const std::string hop = hop_ns > 0 ? fmt::format("hop {:.0f} ns", hop_ns) : "";
  if (all.size() < 2) return hop;
  double total = 0;
  bool one_class = true;
  for (const auto& [key, estimates] : all) {
    total += static_cast<double>(rounds_in(estimates));
    one_class = one_class && key.first == chosen.first;
  }
  const double rounds = static_cast<double>(rounds_in(all.at(chosen)));
  const std::string name = !hop.empty() ? hop + ", "
                           : one_class  ? ""
                                        : fmt::format("state {}, ", chosen.first);
  return fmt::format("{}{} ({:.0f} %)", name, chosen.second ? "busy" : "quiet",
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

void estimate(point_summary& s, const states& all, const std::vector<const json*>& visits) {
  if (all.empty()) return;
  const auto chosen = headline(all);
  const std::vector<visit_estimate> used = solid_visits(chosen->second);
  s.visits = used.size();
  s.hop_ns = median(each(used, [](const visit_estimate& e) { return e.hop_ns; }));
  s.state = state_text(all, chosen->first, s.hop_ns);
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
  } else if (chosen->first.second) {
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
      fairness.push_back(number(*visit, "fairness", 1));
      slowest.push_back(number(*visit, "slowest_over_fastest", 1));
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
  s.pus = visits.front()->value("pus", std::vector<int>{});
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

point_summary summarize_point(const point& what, const std::vector<const json*>& visits,
                              const state_classes& classes) {
  point_summary s;
  s.what = what;
  s.reported = facts_reported_of(what.op, visits);
  if (visits.front()->value("imported", false)) {
    s.imported = true;
    s.status = status_from_text(visits.front()->value("status", "")).value_or(s.status);
    s.reason = visits.front()->value("reason", "");
  }
  if (visits.front()->contains("device")) s.device = visits.front()->at("device").get<unsigned>();
  estimate(s, states_of(visits, what.lanes, classes), visits);
  add_conduct(s, visits);
  overrule(s, visits);
  return s;
}

unsigned visit_number(const json& visit) {
  const auto found = visit.find("visit");
  return found != visit.end() && found->is_number_unsigned() ? found->get<unsigned>() : 1U;
}

/// The visits of one point; a visit that was tried again counts as its last try.
struct point_visits {
  point what;
  std::map<unsigned, const json*> by_number;
};

}  // namespace

op_facts facts_of(const point_summary& s) { return s.reported ? *s.reported : facts_of(s.what.op); }

std::vector<point_summary> summarize(const results_file& file) {
  std::vector<point_visits> points;
  std::unordered_map<std::string, std::size_t> index;
  for (const json& visit : file.visits) {
    auto what = visit.at("point").get<point>();
    const auto [found, is_new] = index.try_emplace(canonical(what), points.size());
    if (is_new) points.push_back({std::move(what), {}});
    points[found->second].by_number[visit_number(visit)] = &visit;
  }
  const state_classes classes(file);
  std::vector<point_summary> all;
  for (const point_visits& p : points) {
    std::vector<const json*> visits;
    for (const auto& [number, visit] : p.by_number) visits.push_back(visit);
    try {
      all.push_back(summarize_point(p.what, visits, classes));
    } catch (const json::exception& error) {
      throw usage_error(fmt::format("{}: the visits of {} cannot be used: {}", file.path,
                                    canonical(p.what), error.what()));
    }
  }
  for (const json& line : file.same) {
    const std::string measured_as = canonical(line.at("measured_as").get<point>());
    const auto found = index.find(measured_as);
    if (found == index.end()) continue;  // the campaign ended before its first visit
    point_summary copy = all[found->second];
    copy.what = line.at("point").get<point>();
    copy.measured_as = measured_as;
    all.push_back(std::move(copy));
  }
  for (const json& line : file.refused) {
    point_summary s;
    s.what = line.at("point").get<point>();
    s.status = status_from_text(line.value("status", "")).value_or(status::unsupported);
    s.reason = line.value("reason", "");
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace syncmeter
