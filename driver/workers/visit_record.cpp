#include "driver/workers/visit_record.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/text/messages.hpp"

namespace syncmeter {
namespace visit_rules {
namespace {

using nlohmann::json;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::size_t most_raw_rounds = 50;

using flaw = std::invalid_argument;

std::string shown(const json& value) { return quote(value.dump(-1, ' ', true)); }

[[noreturn]] void refuse(std::string_view name, const json& value, std::string_view wanted) {
  throw flaw(fmt::format("its \"{}\" is {}, not {}", name, shown(value), wanted));
}

const json* member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

struct bounds {
  double least = 0, most = inf;
};

// Each kind of member is read by the type of its field; `object` may lack the member.

double number_of(std::string_view name, const json& value, bounds allowed, bool whole = false) {
  const bool is_kind = whole ? value.is_number_integer() : value.is_number();
  const double number = is_kind ? value.get<double>() : 0;
  if (is_kind && number >= allowed.least && number <= allowed.most) return number;
  std::string wanted = whole ? "a whole number" : "a number";
  if (allowed.least != -inf) wanted += fmt::format(" of at least {:g}", allowed.least);
  if (allowed.most != inf) wanted += fmt::format(", at most {:g}", allowed.most);
  refuse(name, value, wanted);
}

void read(const json& object, const char* name, double& field, bounds allowed) {
  const json* const value = member(object, name);
  // A quotient that is not finite is null in JSON, and not known.
  if (value != nullptr && !value->is_null()) field = number_of(name, *value, allowed);
}

void read(const json& object, const char* name, std::uint64_t& field, bounds allowed) {
  const json* const value = member(object, name);
  if (value == nullptr) return;
  (void)number_of(name, *value, allowed, true);
  field = value->get<std::uint64_t>();
}

void read(const json& object, const char* name, std::optional<unsigned>& field, bounds allowed) {
  if (const json* const value = member(object, name))
    field = static_cast<unsigned>(number_of(name, *value, allowed, true));
}

void read(const json& object, const char* name, bool& field, bounds) {
  const json* const value = member(object, name);
  if (value == nullptr) return;
  if (!value->is_boolean()) refuse(name, *value, "true or false");
  field = value->get<bool>();
}

void read(const json& object, const char* name, std::optional<bool>& field, bounds allowed) {
  const json* const value = member(object, name);
  if (value != nullptr && !value->is_null()) read(object, name, field.emplace(), allowed);
}

void read(const json& object, const char* name, std::string& field, bounds) {
  const json* const value = member(object, name);
  if (value == nullptr) return;
  if (!value->is_string()) refuse(name, *value, "a text");
  field = value->get<std::string>();
}

void read(const json& object, const char*, status& field, bounds) {
  const json* const value = member(object, "status");
  if (value == nullptr) throw flaw("it has no status");
  const auto known =
      value->is_string() ? status_from_text(value->get<std::string>()) : std::nullopt;
  if (!known) throw flaw(fmt::format("it has the unknown status {}", shown(*value)));
  field = *known;
}

void read(const json& object, const char*, point& field, bounds) {
  const json* const value = member(object, "point");
  if (value == nullptr) throw flaw("it has no \"point\"");
  try {
    field = value->get<point>();
  } catch (const std::exception& error) {
    throw flaw(fmt::format("it has no readable point: {}", quote(error.what(), 200)));
  }
}

// A bound that is null is not known. A member whose absent value is unknown has to be there.
void read(const json& object, const char* name, interval& field, bounds) {
  const json* const found = member(object, name);
  if (found == nullptr && field == unknown)
    throw flaw(fmt::format("an estimate has no \"{}\"", name));
  if (found == nullptr) return;
  if (!found->is_object()) refuse(name, *found, "an object");
  const json* const value = member(*found, "value");
  if (value == nullptr) throw flaw(fmt::format("its \"{}\" has no value", name));
  field = unknown;
  field.value = number_of(name, *value, {-inf, inf});
  read(*found, "low", field.low, {-inf, inf});
  read(*found, "high", field.high, {-inf, inf});
  const double rounding = 1e-6 * std::abs(field.value);  // as seven digits of each may be rounded
  if (field.low - field.value > rounding || field.value - field.high > rounding)
    throw flaw(fmt::format("its \"{}\" is {}, {} its bounds", name, shown(*found),
                           field.low > field.value ? "below" : "above"));
}

template <class Number>
void read(const json& object, const char* name, std::vector<Number>& field, bounds allowed) {
  const json* const list = member(object, name);
  if (list == nullptr) return;
  if (!list->is_array()) refuse(name, *list, "a list of numbers");
  for (const json& value : *list)
    field.push_back(
        static_cast<Number>(number_of(name, value, allowed, std::is_integral_v<Number>)));
}

const json* object_in(const json& object, const char* name) {
  const json* const found = member(object, name);
  if (found != nullptr && !found->is_object()) refuse(name, *found, "an object");
  return found;
}

void read(const json& object, const char* name, std::map<std::string, std::uint64_t>& field,
          bounds allowed) {
  const json* const found = object_in(object, name);
  if (found == nullptr) return;
  for (const auto& [each, n] : found->items())
    field[each] = static_cast<std::uint64_t>(number_of(name, n, allowed, true));
}

void read(const json& object, const char* name, objects::quiet_probe& field, bounds) {
  if (const json* const found = object_in(object, name)) {
    read(*found, "floor_ns", field.floor_ns, {});
    read(*found, "median_ns", field.median_ns, {});
  }
}

void read(const json& object, const char* name, objects::additivity& field, bounds) {
  if (const json* const found = object_in(object, name))
    read(*found, "additive", field.additive, {});
}

void read(const json& object, const char* name, objects::lane_waits& field, bounds) {
  const json* const found = object_in(object, name);
  if (found == nullptr) return;
#define SM_MEMBER(member_name, kind, absent, least, most, ...)                                     \
  read(*found, #member_name, field.member_name, {least, most});
#include "record/lane_waits.def"
}

void read(const json&, const char*, objects::census&, bounds) {}

void read(const json& object, const char* name, std::vector<objects::rounds>& field, bounds) {
  const json* const rounds = member(object, name);
  if (rounds == nullptr) return;
  if (!rounds->is_array() || rounds->size() > most_raw_rounds)
    throw flaw(fmt::format("its \"rounds\" are no list of at most {}", most_raw_rounds));
  for (const json& round : *rounds) {
    if (!round.is_array() || round.size() < 2) refuse("rounds", round, "two times and more");
    field.push_back({number_of("rounds", round[0], {}), number_of("rounds", round[1], {})});
  }
}

void read(const json& object, const char* name, std::vector<estimate_record>& field, bounds) {
  const json* const estimates = member(object, name);
  if (estimates == nullptr) return;
  if (!estimates->is_array()) refuse(name, *estimates, "a list");
  for (const json& each : *estimates) {
    if (!each.is_object()) refuse(name, each, "an object");
    estimate_record& e = field.emplace_back();
#define SM_MEMBER(member_name, kind, absent, least, most, ...)                                     \
  read(each, #member_name, e.member_name, {least, most});
#include "record/estimate.def"
  }
}

// Of a visit that a worker measured just now; a file may have been put together from others.
void check_rounds(const json& line, const visit_record& visit) {
  const bool tells_kept = line.contains("rounds_kept");
  if (tells_kept && line.contains("rounds_taken") && visit.rounds_kept > visit.rounds_taken)
    throw flaw(fmt::format("it kept {} rounds of {}", visit.rounds_kept, visit.rounds_taken));
  for (const estimate_record& e : visit.estimates) {
    if (!tells_kept) throw flaw("it has estimates, but no \"rounds_kept\"");
    if (e.rounds > visit.rounds_kept)
      throw flaw(fmt::format("an estimate has {} rounds, but the visit kept {}", e.rounds,
                             visit.rounds_kept));
  }
}

void check_status(const visit_record& visit) {
  if (visit.status != status::ok && visit.status != status::busy) return;
  const auto status = to_text(visit.status);
  if (visit.estimates.empty()) throw flaw(fmt::format("it is \"{}\" without an estimate", status));
  // The first is the one that the status is about.
  if (const double cost = visit.estimates.front().cost_ns.value; cost < 0)
    throw flaw(fmt::format("it is \"{}\" with a cost of {} ns", status, cost));
}

void check_request(const visit_record& visit, const json& line, const json& request) {
  const std::string measured = canonical(visit.point);
  const std::string asked = canonical(request.at("point").get<point>());
  if (measured != asked)
    throw flaw(
        fmt::format("it measured the point {}, not {}", quote(measured, 300), quote(asked, 300)));
  const json number = line.value("visit", json());
  if (number != request.at("visit"))
    throw flaw(
        fmt::format("it answered for visit {}, not {}", shown(number), shown(request.at("visit"))));
}

template <class Check> std::string flaw_in(const Check& check) {
  try {
    check();
    return {};
  } catch (const flaw& found) {
    return found.what();
  }
}

}  // namespace
}  // namespace visit_rules

bool settles(const visit_record& visit) {
  using enum status;
  if (visit.status == unsupported || visit.status == elided || visit.status == too_slow)
    return true;
  return visit.status == failed && visit.stopped_by != stopped_by_crash;
}

visit_record read_visit(const nlohmann::json& line) {
  using visit_rules::inf;
  visit_record visit;
#define SM_MEMBER(name, kind, absent, least, most, ...)                                            \
  visit_rules::read(line, #name, visit.name, {least, most});
#include "record/visit.def"
  return visit;
}

std::string flaw_in_visit(const nlohmann::json& line) {
  return visit_rules::flaw_in([&] { (void)read_visit(line); });
}

std::string flaw_in_answer(const nlohmann::json& line, const nlohmann::json& request) {
  return visit_rules::flaw_in([&] {
    const visit_record visit = read_visit(line);
    visit_rules::check_request(visit, line, request);
    visit_rules::check_rounds(line, visit);
    visit_rules::check_status(visit);
  });
}

}  // namespace syncmeter
