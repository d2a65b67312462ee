#include "driver/workers/visit_flaw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/harness/harness.hpp"
#include "core/point.hpp"
#include "driver/text/quote.hpp"

namespace syncmeter {
namespace visit_rules {
namespace {

using nlohmann::json;

constexpr double unbounded = std::numeric_limits<double>::infinity();
// More rounds than a visit can have: one of 600 s has 6 million of 100 us.
constexpr double most_rounds = 1e9;
constexpr double most_trips = 4294967295.0;
constexpr double most_per_step = 1e6;
constexpr std::size_t most_raw_rounds = 50;

struct flaw : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string shown(const json& value) { return quote(value.dump(-1, ' ', true)); }

[[noreturn]] void refuse(std::string_view name, const json& value, std::string_view wanted) {
  throw flaw(fmt::format("its \"{}\" is {}, not {}", name, shown(value), wanted));
}

const json* member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

struct bounds {
  double least = 0, most = unbounded;
  bool whole = false;
};

void check_number(std::string_view name, const json& value, bounds allowed) {
  const bool is_kind = allowed.whole ? value.is_number_integer() : value.is_number();
  if (is_kind && value.get<double>() >= allowed.least && value.get<double>() <= allowed.most)
    return;
  std::string wanted = allowed.whole ? "a whole number" : "a number";
  if (allowed.least != -unbounded) wanted += fmt::format(" of at least {:g}", allowed.least);
  if (allowed.most != unbounded) wanted += fmt::format(", at most {:g}", allowed.most);
  refuse(name, value, wanted);
}

struct number_rule {
  const char* name;
  bounds allowed{};
};
constexpr std::array number_rules{
    number_rule{"visit", {1, 1e6, true}},
    number_rule{"trips", {0, most_trips, true}},
    number_rule{"unroll", {0, most_per_step, true}},
    number_rule{"ops_per_step", {0, most_per_step, true}},
    number_rule{"rounds_taken", {0, most_rounds, true}},
    number_rule{"rounds_kept", {0, most_rounds, true}},
    number_rule{"participants", {0, most_trips, true}},
    number_rule{"device", {0, 1e6, true}},
    number_rule{"fairness", {0, 1.000001}},
    number_rule{"slowest_over_fastest", {0}},
    number_rule{"hop_ns"},
    number_rule{"timed_ns"},
    number_rule{"elapsed_ns"},
    number_rule{"host_deviation_ns"},
    number_rule{"waiting_cpu_ns", {-unbounded, unbounded}},
};
constexpr std::array texts{"reason",  "stopped_by", "time",      "family",    "pairing", "build",
                           "backend", "key",        "launching", "native_of", "doubt"};
constexpr std::array truths{"cost_per_lane", "host_lane", "portable",
                            "imported",      "again",     "worker_ends"};

// A quotient that is not finite is null in JSON, and not known.
void check_rule(const json& object, const number_rule& rule) {
  const json* const value = member(object, rule.name);
  if (value == nullptr || (value->is_null() && !rule.allowed.whole)) return;
  check_number(rule.name, *value, rule.allowed);
}

void check_members(const json& visit) {
  for (const number_rule& rule : number_rules) check_rule(visit, rule);
  for (const char* name : texts) {
    if (const json* value = member(visit, name); value != nullptr && !value->is_string())
      refuse(name, *value, "a text");
  }
  for (const char* name : truths) {
    if (const json* value = member(visit, name); value != nullptr && !value->is_boolean())
      refuse(name, *value, "true or false");
  }
}

void check_numbers(const json& object, const char* name, bounds allowed) {
  const json* const list = member(object, name);
  if (list == nullptr) return;
  if (!list->is_array()) refuse(name, *list, "a list of numbers");
  for (const json& value : *list) check_number(name, value, allowed);
}

void check_lists(const json& visit) {
  constexpr double most_pu = std::numeric_limits<int>::max();
  check_numbers(visit, "pus", {-1, most_pu, true});
  check_numbers(visit, "round_costs_ns", {-unbounded, unbounded});
  if (const json* probe = member(visit, "quiet_probe")) {
    if (!probe->is_object()) refuse("quiet_probe", *probe, "an object");
    check_numbers(*probe, "floor_ns", {});
    check_numbers(*probe, "median_ns", {});
  }
  if (const json* drops = member(visit, "drops")) {
    if (!drops->is_object()) refuse("drops", *drops, "an object");
    for (const auto& [why, n] : drops->items()) check_number("drops", n, {0, most_rounds, true});
  }
  if (const json* additivity = member(visit, "additivity")) {
    if (!additivity->is_object()) refuse("additivity", *additivity, "an object");
    if (const json* additive = member(*additivity, "additive");
        additive != nullptr && !additive->is_boolean())
      refuse("additive", *additive, "true or false");
  }
  const json* const rounds = member(visit, "rounds");
  if (rounds == nullptr) return;
  if (!rounds->is_array() || rounds->size() > most_raw_rounds)
    throw flaw(fmt::format("its \"rounds\" are no list of at most {}", most_raw_rounds));
  for (const json& round : *rounds) {
    if (!round.is_array() || round.size() < 2) refuse("rounds", round, "two times and more");
    for (const std::size_t side : {0U, 1U}) check_number("rounds", round[side], {});
  }
}

// A bound that is null is not known.
void check_interval(const json& estimate, const char* name, bool wanted) {
  const json* const interval = member(estimate, name);
  if (interval == nullptr && !wanted) return;
  if (interval == nullptr) throw flaw(fmt::format("an estimate has no \"{}\"", name));
  if (!interval->is_object()) refuse(name, *interval, "an object");
  const json* const value = member(*interval, "value");
  if (value == nullptr) throw flaw(fmt::format("its \"{}\" has no value", name));
  check_number(name, *value, {-unbounded, unbounded});
  for (const char* bound : {"low", "high"}) {
    const json* const found = member(*interval, bound);
    if (found == nullptr || found->is_null()) continue;
    check_number(name, *found, {-unbounded, unbounded});
    const bool low = std::string_view(bound) == "low";
    const double beyond = found->get<double>() - value->get<double>();
    // As seven digits of each may be rounded.
    if ((low ? beyond : -beyond) > 1e-6 * std::abs(value->get<double>()))
      throw flaw(fmt::format("its \"{}\" is {}, {} its bounds", name, shown(*interval),
                             low ? "below" : "above"));
  }
}

void check_estimate(const json& estimate) {
  if (!estimate.is_object()) refuse("estimates", estimate, "an object");
  check_interval(estimate, "cost_ns", true);
  check_interval(estimate, "host_cost_ns", false);
  check_interval(estimate, "cost_cycles", false);
  for (const number_rule& rule :
       {number_rule{"rounds", {0, most_rounds, true}}, number_rule{"state", {0, 1e6, true}},
        number_rule{"share", {0, 1.000001}}, number_rule{"baseline_ns"}, number_rule{"test_ns"},
        number_rule{"hop_ns"}})
    check_rule(estimate, rule);
  if (const json* busy = member(estimate, "busy"); busy != nullptr && !busy->is_boolean())
    refuse("busy", *busy, "true or false");
}

void check_estimates(const json& visit) {
  const json* const estimates = member(visit, "estimates");
  if (estimates == nullptr) return;
  if (!estimates->is_array()) refuse("estimates", *estimates, "a list");
  for (const json& estimate : *estimates) check_estimate(estimate);
}

// Of a visit that a worker measured just now; a file may have been put together from others.
void check_rounds(const json& visit) {
  const json kept = visit.value("rounds_kept", json()), taken = visit.value("rounds_taken", json());
  if (kept.is_number() && taken.is_number() && kept > taken)
    throw flaw(fmt::format("it kept {} rounds of {}", kept.dump(), taken.dump()));
  for (const json& estimate : visit.value("estimates", json::array())) {
    if (kept.is_null()) throw flaw("it has estimates, but no \"rounds_kept\"");
    if (const json* rounds = member(estimate, "rounds"); rounds != nullptr && *rounds > kept)
      throw flaw(fmt::format("an estimate has {} rounds, but the visit kept {}", rounds->dump(),
                             kept.dump()));
  }
}

void check_status(const json& visit) {
  const json estimates = visit.value("estimates", json::array());
  const json& said = visit.at("status");
  if (said != to_text(status::ok) && said != to_text(status::busy)) return;
  if (estimates.empty()) throw flaw(fmt::format("it is {} without an estimate", said.dump()));
  // The first is the one that the status is about.
  const json& cost = estimates.front().at("cost_ns").at("value");
  if (cost < 0) throw flaw(fmt::format("it is {} with a cost of {} ns", said.dump(), cost.dump()));
}

point point_of(const json& visit) {
  const json* const where = member(visit, "point");
  if (where == nullptr) throw flaw("it has no \"point\"");
  try {
    return where->get<point>();
  } catch (const std::exception& error) {
    throw flaw(fmt::format("it has no readable point: {}", quote(error.what(), 200)));
  }
}

void check_visit(const json& visit) {
  (void)point_of(visit);
  const json* const said = member(visit, "status");
  if (said == nullptr) throw flaw("it has no status");
  if (!said->is_string() || !status_from_text(said->get<std::string>()))
    throw flaw(fmt::format("it has the unknown status {}", shown(*said)));
  check_members(visit);
  check_lists(visit);
  check_estimates(visit);
}

}  // namespace
}  // namespace visit_rules

std::string flaw_in_visit(const nlohmann::json& visit) {
  try {
    visit_rules::check_visit(visit);
    return {};
  } catch (const visit_rules::flaw& found) {
    return found.what();
  }
}

std::string flaw_in_answer(const nlohmann::json& visit, const nlohmann::json& request) {
  try {
    const std::string said = canonical(visit_rules::point_of(visit));
    const std::string asked = canonical(request.at("point").get<point>());
    if (said != asked)
      return fmt::format("it measured the point {}, not {}", quote(said, 300), quote(asked, 300));
    const nlohmann::json number = visit.value("visit", nlohmann::json());
    if (number != request.at("visit"))
      return fmt::format("it answered for visit {}, not {}", visit_rules::shown(number),
                         visit_rules::shown(request.at("visit")));
    visit_rules::check_visit(visit);
    visit_rules::check_rounds(visit);
    visit_rules::check_status(visit);
    return {};
  } catch (const visit_rules::flaw& found) {
    return found.what();
  }
}

}  // namespace syncmeter
