// How the values of options stand in the campaign line: what parse_axes makes of the command line's
// text, and back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {

template <class T> [[nodiscard]] nlohmann::json written_value(const T& value) {
  if constexpr (requires { to_text(value); }) return to_text(value);
  else return value;
}
template <class T> [[nodiscard]] nlohmann::json written_value(const std::vector<T>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const T& value : values) list.push_back(written_value(value));
  return list;
}
template <class T> [[nodiscard]] nlohmann::json written_value(const std::optional<T>& value) {
  return value ? written_value(*value) : nlohmann::json(nullptr);
}

/// Throws what nlohmann::json or parse_axes throws, the latter with `member` as the option's name.
template <class T> void read_value(const std::string&, const nlohmann::json& j, T& value) {
  value = j.get<T>();
}
template <class T>
void read_value(const std::string& member, const nlohmann::json& j, std::optional<T>& value) {
  value.reset();
  if (!j.is_null()) read_value(member, j, value.emplace());
}
template <class T, class Parse>
void read_texts(const std::string& member, const nlohmann::json& j, std::vector<T>& values,
                Parse parse) {
  values.clear();
  for (const std::string text : j) values.push_back(parse(member, text).front());
}
template <axis_value Enum>
void read_value(const std::string& member, const nlohmann::json& j, std::vector<Enum>& values) {
  read_texts(member, j, values, names_of_axis<Enum>{"name"});
}
inline void read_value(const std::string& member, const nlohmann::json& j,
                       std::vector<lane_range>& values) {
  read_texts(member, j, values, &parse_lanes);
}
inline void read_value(const std::string& member, const nlohmann::json& j,
                       std::vector<block_range>& values) {
  read_texts(member, j, values, &parse_blocks);
}

}  // namespace syncmeter
