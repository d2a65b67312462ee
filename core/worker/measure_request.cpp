#include "core/worker/measure_request.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace syncmeter {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(std::string_view name, const json& value, const std::string& wanted) {
  throw std::invalid_argument(
      fmt::format("\"{}\" is {}, not {}", name, value.dump(-1, ' ', true), wanted));
}

// Converting a number that does not fit is undefined, or gives another one. nlohmann::json compares
// what is beyond 2^63 as a negative number.
template <class T> bool fits(const json& value, T least, T most) {
  const auto within = [&](auto number) {
    return std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most);
  };
  if (value.is_number_unsigned()) return within(value.get<std::uint64_t>());
  return value.is_number_integer() && within(value.get<std::int64_t>());
}

template <class T> T whole(std::string_view name, const json& value, T least, T most) {
  if (!fits(value, least, most))
    refuse(name, value, fmt::format("a whole number from {} to {}", least, most));
  return value.get<T>();
}

template <class T>
T whole_or(const json& object, const char* name, T otherwise, T least = 0,
           T most = std::numeric_limits<T>::max()) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : whole(name, *found, least, most);
}

double not_negative(std::string_view name, const json& value) {
  if (!value.is_number() || value < 0) refuse(name, value, "a number of at least 0");
  return value.get<double>();
}

double not_negative_or(const json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : not_negative(name, *found);
}

template <class Read> auto list_of(const json& list, const char* name, const Read& read) {
  if (!list.is_array()) refuse(name, list, "a list");
  std::vector<decltype(read(list))> values;
  for (const json& value : list) values.push_back(read(value));
  return values;
}

std::vector<double> times_or_none(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  return list_of(*found, name, [&](const json& value) { return not_negative(name, value); });
}

}  // namespace

std::vector<int> requested_pus(const json& list) {
  return list_of(list, "pus", [](const json& value) {
    return whole("pus", value, -1, std::numeric_limits<int>::max());
  });
}

measure_request read_measure_request(const json& j, double tick_ns) {
  constexpr unsigned most_visits = 1'000'000;
  measure_request r;
  r.where = j.at("point").get<point>();
  r.lanes.pus = requested_pus(j.at("pus"));
  r.visit = whole_or(j, "visit", 1U, 1U, most_visits);
  r.resumed = j.value("resumed", false);
  const json o = j.value("options", json::object());
  if (!o.is_object()) refuse("options", o, "an object");
  r.options.precision = not_negative_or(o, "precision", r.options.precision);
  r.options.max_time_ns = not_negative_or(o, "max_time_ns", r.options.max_time_ns);
  r.options.min_sample_ns = not_negative_or(o, "min_sample_ns", r.options.min_sample_ns);
  r.options.seed = whole_or(o, "seed", r.options.seed);
  r.options.trips = whole_or(o, "trips", r.options.trips);
  r.options.additivity = o.value("additivity", false);
  r.lanes.watch_states = o.value("watch_states", false);
  r.lanes.quiet_floor_ns = times_or_none(o, "quiet_floor_ns");
  r.options.state_bounds = times_or_none(o, "state_bounds_ns");
  r.options.clock_tick_ns = tick_ns;
  r.lanes.device = whole_or(j, "device", -1, -1);
  if (r.lanes.pus.empty() && r.lanes.device < 0)
    throw std::invalid_argument("\"pus\" is empty: a point needs at least one lane");
  if (r.lanes.device < 0 && r.lanes.pus.size() != r.where.lanes) {
    throw std::invalid_argument(
        fmt::format("\"pus\" has {} entries, but the point's \"lanes\" is {}: one PU per lane",
                    r.lanes.pus.size(), r.where.lanes));
  }
  return r;
}

}  // namespace syncmeter
