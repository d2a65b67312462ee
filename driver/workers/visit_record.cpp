#include "driver/workers/visit_record.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "driver/workers/read_members.hpp"

namespace syncmeter {
namespace members {

// `read` finds these readers for visit members by their `bounds` argument.

static void read_value(const char*, const json& value, status& field, bounds) {
  const auto known = value.is_string() ? from_text<status>(value.get<std::string>()) : std::nullopt;
  if (!known)
    throw std::invalid_argument(fmt::format("it has the unknown status {}", shown(value)));
  field = *known;
}

static void read_value(const char*, const json& value, point& field, bounds) {
  try {
    field = value.get<point>();
  } catch (const std::exception& error) {
    throw std::invalid_argument(
        fmt::format("it has no readable point: {}", quote(error.what(), 200)));
  }
}

// A null bound is unknown.
static void read_value(const char* name, const json& object, interval& field, bounds allowed) {
  require_object(name, object);
  const json* const value = find(object, "value");
  if (value == nullptr) throw std::invalid_argument(fmt::format("its \"{}\" has no value", name));
  constexpr bounds any{-inf, inf};
  field = unknown;
  read_value(name, *value, field.value, allowed);
  read(object, "low", field.low, any);
  read(object, "high", field.high, any);
  const double rounding = 1e-6 * std::abs(field.value);  // both may be rounded to seven digits
  if (field.low - field.value > rounding || field.value - field.high > rounding)
    throw std::invalid_argument(fmt::format("its \"{}\" is {}, {} its bounds", name, shown(object),
                                            field.low > field.value ? "below" : "above"));
}

static void read_value(const char* name, const json& object, objects::quiet_probe& field, bounds) {
  require_object(name, object);
  read(object, "floor_ns", field.floor_ns);
  read(object, "median_ns", field.median_ns);
}

static void read_value(const char* name, const json& object, objects::additivity& field, bounds) {
  require_object(name, object);
  read(object, "additive", field.additive);
}

static void read_value(const char* name, const json& object, objects::lane_waits& record, bounds) {
  require_object(name, object);
#define SM_MEMBER SM_READ_MEMBER
#include "record/lane_waits.def"
}

static void read_value(const char*, const json&, objects::census&, bounds) {}

static void read_value(const char* name, const json& round, objects::rounds& field, bounds each) {
  if (!round.is_array() || round.size() < 2) refuse(name, round, "two times and more");
  for (std::size_t side = 0; side < field.size(); ++side)
    read_value(name, round[side], field[side], each);
}

static void read_value(const char* name, const json& object, estimate_record& record, bounds) {
  require_object(name, object);
  if (!object.contains("cost_ns")) throw std::invalid_argument("an estimate has no \"cost_ns\"");
#define SM_MEMBER SM_READ_MEMBER
#include "record/estimate.def"
}

static void read_value(const char* name, const json& list, objects::by_visit& field, bounds) {
  constexpr bounds any{-inf, inf};
  if (!list.is_array() || list.size() < 3) refuse(name, list, "a visit, its cost and its rounds");
  read_value(name, list[0], field.visit, {});
  read_value(name, list[1], field.cost_ns, any);
  read_value(name, list[2], field.rounds, {});
  if (list.size() > 3 && !list[3].is_null()) read_value(name, list[3], field.host_cost_ns, any);
}

static void read_value(const char* name, const json& object, objects::states& record, bounds) {
  require_object(name, object);
#define SM_MEMBER SM_READ_MEMBER
#include "record/state.def"
}

}  // namespace members

namespace {

using members::shown, nlohmann::json;
using flaw = std::invalid_argument;

constexpr std::size_t most_raw_rounds = 50;

// Applies to a visit that a worker just measured. A file may combine several visits.
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
  // The status describes the first estimate.
  if (const double cost = visit.estimates.front().cost_ns.value; cost < 0)
    throw flaw(fmt::format("it is \"{}\" with a cost of {} ns", status, cost));
}

// A lane has at most one processing unit, and a probe at most one floor.
void check_lists(const visit_record& visit, const json& request) {
  const std::size_t lanes = std::max(
      {std::size_t{visit.point.lanes}, request.value("pus", json::array()).size(), std::size_t{1}});
  const auto check = [&](const char* name, std::size_t size) {
    if (size > lanes)
      throw flaw(fmt::format("its \"{}\" has {} elements for {} lanes", name, size, lanes));
  };
  check("pus", visit.pus.size());
  check("floor_ns", visit.quiet_probe.floor_ns.size());
  check("median_ns", visit.quiet_probe.median_ns.size());
}

// Loop times of both sides must fit into the visit, and a cost into a step of the test. Measured
// visits reach shares of at most 0.34 and 0.996. A loop's ops take at least 900 ns.
void check_times(const visit_record& visit) {
  if (visit.estimates.empty()) return;
  constexpr double slack = 4, least_ns = 1e-3, most_trips = 4294967295;
  const estimate_record& e = visit.estimates.front();
  const double trips = visit.trips != 0 ? static_cast<double>(visit.trips) : most_trips;
  const double steps = trips * static_cast<double>(std::max<std::uint64_t>(visit.unroll, 1));
  const double ops = static_cast<double>(std::max<std::uint64_t>(visit.ops_per_step, 1));
  const double cost = e.cost_ns.value;
  if (visit.trips != 0 && visit.elapsed_ns > 0 &&
      steps * (e.baseline_ns + e.test_ns) > slack * visit.elapsed_ns)
    throw flaw(fmt::format("{} trips of {} steps of {} and {} ns do not fit into its {} ns",
                           visit.trips, visit.unroll, e.baseline_ns, e.test_ns, visit.elapsed_ns));
  if (visit.status != status::ok && visit.status != status::busy) return;
  if (visit.elapsed_ns > 0 && cost > visit.elapsed_ns)
    throw flaw(fmt::format("a cost of {} ns does not fit into its {} ns", cost, visit.elapsed_ns));
  if (e.test_ns > 0 && cost * ops > slack * e.test_ns)
    throw flaw(fmt::format("a cost of {} ns does not fit into a step of {} ns", cost, e.test_ns));
  if (cost > 0 && cost * steps * ops < least_ns)
    throw flaw(fmt::format("a cost of {} ns is beyond what any clock can tell", cost));
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

bool settles(const visit_record& visit) {
  using enum status;
  if (visit.status == unsupported || visit.status == elided || visit.status == too_slow)
    return true;
  return visit.status == failed && visit.stopped_by != stopped_by_crash;
}

visit_record read_visit(const json& object) {
  using namespace members;
  if (!object.contains("point")) throw flaw("it has no \"point\"");
  if (!object.contains("status")) throw flaw("it has no status");
  visit_record record;
#define SM_MEMBER SM_READ_MEMBER
#include "record/visit.def"
  if (record.rounds.size() > most_raw_rounds)
    throw flaw(fmt::format("its \"rounds\" are no list of at most {}", most_raw_rounds));
  return record;
}

point_record read_point(const json& object) {
  using namespace members;
  if (!object.contains("point")) throw flaw("it has no \"point\"");
  point_record record;
#define SM_MEMBER SM_READ_MEMBER
#include "record/point_line.def"
  return record;
}

std::string flaw_in_visit(const json& line) {
  return flaw_in([&] { (void)read_visit(line); });
}

std::string flaw_in_answer(const json& line, const json& request) {
  return flaw_in([&] {
    const visit_record visit = read_visit(line);
    check_request(visit, line, request);
    check_rounds(line, visit);
    check_status(visit);
    check_lists(visit, request);
    check_times(visit);
  });
}

}  // namespace syncmeter
