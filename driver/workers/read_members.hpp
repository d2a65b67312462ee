// Reads members of a JSON object from a worker or a file. The field's type selects the reader, and
// the member's row in record/ sets the bounds.
#pragma once

#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

/// Expands a row of record/ as `#define SM_MEMBER SM_READ_MEMBER`: reads the member of `object`
/// into the field of `record`. Needs namespace members in scope. Throws std::invalid_argument.
#define SM_READ_MEMBER(name, kind, absent, least, most, ...)                                       \
  if (std::string_view(#absent) == "required") (void)require(object, #name);                       \
  read(object, #name, record.name, {least, most});

namespace syncmeter::members {

using nlohmann::json;

inline constexpr double inf = std::numeric_limits<double>::infinity();

struct bounds {
  double least = 0, most = inf;
};

/// Returns a value as messages show values.
[[nodiscard]] inline std::string shown(const json& value) {
  return quote(value.dump(-1, ' ', true));
}

[[noreturn]] inline void refuse(std::string_view name, const json& value, std::string_view wanted) {
  throw std::invalid_argument(fmt::format("its \"{}\" is {}, not {}", name, shown(value), wanted));
}

/// Returns null if the member is missing.
[[nodiscard]] inline const json* find(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

inline const json& require(const json& object, const char* name) {
  if (const json* const found = find(object, name)) return *found;
  throw std::invalid_argument(fmt::format("\"{}\" is missing", name));
}

inline void require_object(const char* name, const json& value) {
  if (!value.is_object()) refuse(name, value, "an object");
}

/// Compares as double because nlohmann::json would compare an integer beyond 2^63 as a negative
/// number.
inline void require_number(const char* name, const json& value, bounds allowed, bool whole) {
  const bool is_kind = whole ? value.is_number_integer() : value.is_number();
  const double number = is_kind ? value.get<double>() : 0;
  if (is_kind && number >= allowed.least && number <= allowed.most) return;
  std::string wanted = whole ? "a whole number" : "a number";
  if (allowed.most != inf) wanted += fmt::format(" from {} to {}", allowed.least, allowed.most);
  else if (allowed.least != -inf) wanted += fmt::format(" of at least {}", allowed.least);
  refuse(name, value, wanted);
}

inline void read_value(const char* name, const json& value, double& field, bounds allowed) {
  require_number(name, value, allowed, false);
  field = value.get<double>();
}

template <std::integral Whole>
void read_value(const char* name, const json& value, Whole& field, bounds allowed) {
  require_number(name, value, allowed, true);
  field = value.get<Whole>();
}

inline void read_value(const char* name, const json& value, bool& field, bounds) {
  if (!value.is_boolean()) refuse(name, value, "true or false");
  field = value.get<bool>();
}

inline void read_value(const char* name, const json& value, std::string& field, bounds) {
  if (!value.is_string()) refuse(name, value, "a text");
  field = value.get<std::string>();
}

template <axis_value Enum>
void read_value(const char* name, const json& value, Enum& field, bounds) {
  const auto known = value.is_string() ? from_text<Enum>(value.get<std::string>()) : std::nullopt;
  if (!known) refuse(name, value, "one of " + join(names_allowed<Enum>()));
  field = *known;
}

template <class Field>
void read_value(const char* name, const json& value, std::optional<Field>& field, bounds allowed) {
  read_value(name, value, field.emplace(), allowed);
}

template <class Field>
void read_value(const char* name, const json& list, std::vector<Field>& field, bounds allowed) {
  if (!list.is_array()) refuse(name, list, "a list");
  for (const json& value : list) read_value(name, value, field.emplace_back(), allowed);
}

template <class Field>
void read_value(const char* name, const json& object, std::map<std::string, Field>& field,
                bounds allowed) {
  require_object(name, object);
  for (const auto& [key, value] : object.items()) read_value(name, value, field[key], allowed);
}

/// Keeps the field if `object` lacks the member. JSON null means unknown: a quotient that is not
/// finite, or a verdict.
template <class Field>
void read(const json& object, const char* name, Field& field, bounds allowed = {}) {
  constexpr bool may_be_null =
      std::same_as<Field, double> || std::same_as<Field, std::optional<bool>>;
  const json* const value = find(object, name);
  if (value != nullptr && !(may_be_null && value->is_null()))
    read_value(name, *value, field, allowed);
}

}  // namespace syncmeter::members
