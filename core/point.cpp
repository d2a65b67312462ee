// The identity of a point in text and JSON, by the table of its axes.
#include "core/point.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace syncmeter {
namespace {

enum class written { always, unless_absent, if_strided };

template <class T> struct axis_row {
  const char* name;
  T point::* field;
  enum written written;
  unsigned least;
};

constexpr std::tuple point_axes{
#define SM_AXIS(name, type, absent, least, when, ...)                                              \
  axis_row<decltype(point::name)>{#name, &point::name, written::when, least},
#include "record/axes.def"
};

template <class Use> constexpr void for_each_axis(Use use) {
  std::apply([&use](const auto&... row) { (use(row), ...); }, point_axes);
}

template <axis_value Enum> std::string all_names() {
  std::string names;
  for (const auto& name : names_of(Enum{})) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

std::string read_text(const nlohmann::json& j, const char* member) {
  const auto& value = j.at(member);
  if (!value.is_string()) {
    throw std::invalid_argument(fmt::format("point: {}: {} is not a text", member, value.dump()));
  }
  return value.get<std::string>();
}

template <axis_value Enum> Enum read_name(const nlohmann::json& j, const char* member) {
  const std::string text = read_text(j, member);
  if (const auto value = from_text<Enum>(text)) return *value;
  throw std::invalid_argument(
      fmt::format("point: {}: '{}' is not one of {}", member, text, all_names<Enum>()));
}

unsigned read_number(const nlohmann::json& j, const char* member, unsigned least) {
  const auto& value = j.at(member);
  const auto fits = [&] {
    if (!value.is_number_integer() || value < least) return false;
    return value <= std::numeric_limits<unsigned>::max();
  };
  if (!fits()) {
    throw std::invalid_argument(fmt::format("point: {}: {} is not a whole number of at least {}",
                                            member, value.dump(), least));
  }
  return value.get<unsigned>();
}

std::vector<int> read_pus(const nlohmann::json& list, unsigned lanes) {
  const auto is_number = [](const nlohmann::json& n) {
    return n.is_number_integer() && n >= 0 && n <= std::numeric_limits<int>::max();
  };
  if (!list.is_array() || list.size() != lanes || !std::all_of(list.begin(), list.end(), is_number))
    throw std::invalid_argument(fmt::format(
        "point: pus: {} is not the number of a CPU for each of {} threads", list.dump(), lanes));
  return list.get<std::vector<int>>();
}

template <class T> bool is_written(const point& p, const axis_row<T>& axis) {
  static const point usual;
  if (axis.written == written::always) return true;
  // A stride has a meaning between strided cells only; a stray one is kept visible.
  return p.*axis.field != usual.*axis.field ||
         (axis.written == written::if_strided && p.placement == placement::strided);
}

std::string text_of(const std::string& value) { return value; }
std::string text_of(unsigned value) { return fmt::to_string(value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(const std::vector<int>& pus) { return fmt::format("{}", fmt::join(pus, ",")); }
template <axis_value Enum> std::string text_of(Enum value) { return std::string(to_text(value)); }
std::string text_of(const std::optional<value_type>& type) { return type ? text_of(*type) : ""; }

template <class T> nlohmann::json json_of(const T& value) {
  if constexpr (axis_value<T>) return to_text(value);
  else return value;
}
nlohmann::json json_of(const std::optional<value_type>& type) { return to_text(type.value()); }

void read_value(const nlohmann::json& j, point& p, const axis_row<std::string>& axis) {
  p.*axis.field = read_text(j, axis.name);
}
void read_value(const nlohmann::json& j, point& p, const axis_row<unsigned>& axis) {
  p.*axis.field = read_number(j, axis.name, axis.least);
}
void read_value(const nlohmann::json& j, point& p, const axis_row<bool>& axis) {
  p.*axis.field = j.at(axis.name).get<bool>();
}
// After the lanes, in the table and here.
void read_value(const nlohmann::json& j, point& p, const axis_row<std::vector<int>>& axis) {
  p.*axis.field = read_pus(j.at(axis.name), p.lanes);
}
template <axis_value Enum>
void read_value(const nlohmann::json& j, point& p, const axis_row<Enum>& axis) {
  p.*axis.field = read_name<Enum>(j, axis.name);
}
void read_value(const nlohmann::json& j, point& p,
                const axis_row<std::optional<value_type>>& axis) {
  p.*axis.field = read_name<value_type>(j, axis.name);
}

}  // namespace

std::size_t stride_bytes(const point& p) {
  if (p.placement != placement::strided || !p.type) return 0;
  return p.stride * size_of(*p.type);
}

unsigned cells_in_use(const point& p) {
  if (p.placement == placement::none) return 0;
  if (p.placement == placement::shared || p.stride == 0) return 1;
  return p.cells == 0 ? p.lanes : p.cells;
}

std::string canonical(const point& p) {
  std::string text;
  for_each_axis([&](const auto& axis) {
    if (!is_written(p, axis)) return;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis.name, text_of(p.*axis.field));
  });
  return text;
}

std::string axis_text(const point& p, std::string_view axis) {
  std::string text;
  for_each_axis([&](const auto& row) {
    if (row.name == axis) text = text_of(p.*row.field);
  });
  return text;
}

void to_json(nlohmann::json& j, const point& p) {
  j = nlohmann::json{{"stride_bytes", stride_bytes(p)}};
  for_each_axis([&](const auto& axis) {
    if (is_written(p, axis)) j[axis.name] = json_of(p.*axis.field);
  });
}

void from_json(const nlohmann::json& j, point& p) {
  if (!j.is_object()) throw std::invalid_argument("point: " + j.dump() + " is not an object");
  for (const char* member : {"backend", "op"}) {
    if (!j.contains(member)) {
      throw std::invalid_argument(fmt::format("point: the member '{}' is missing", member));
    }
  }
  p = point{};
  for_each_axis([&](const auto& axis) {
    if (j.contains(axis.name)) read_value(j, p, axis);
  });
}

}  // namespace syncmeter
