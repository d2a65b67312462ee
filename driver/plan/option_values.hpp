// How the values of options stand in the campaign line: what parse_axes makes of the command line's
// text, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
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
inline void read_value(const std::string& member, const nlohmann::json& j, double& value) {
  constexpr double most = 1e9;
  value = j.get<double>();
  if (!(value >= 0 && value <= most))
    throw usage_error(fmt::format("{}: {} is not a number from 0 to {:g}", member, value, most));
}
template <class T>
void read_value(const std::string& member, const nlohmann::json& j, std::optional<T>& value) {
  value.reset();
  if (!j.is_null()) read_value(member, j, value.emplace());
}
/// A whole number, or several, as the command line's parser takes them.
template <class T>
inline constexpr bool is_of_counts =
    std::is_same_v<T, unsigned> || std::is_same_v<T, std::uint64_t> ||
    std::is_same_v<T, std::optional<unsigned>> || std::is_same_v<T, std::vector<unsigned>> ||
    std::is_same_v<T, std::vector<int>>;
template <class T, class Parse>
void read_counts(const std::string& member, const nlohmann::json& j, T& value, const Parse& parse) {
  std::string text;
  for (const nlohmann::json& number : j.is_array() ? j : nlohmann::json::array({j}))
    text += (text.empty() ? "" : ",") + number.dump();
  if (j.is_null() || text.empty()) value = T{};
  else value = parse(member, text);
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
