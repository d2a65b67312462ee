#include "driver/workers/protocol_schema.hpp"

#include <algorithm>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/workers/read_members.hpp"

namespace syncmeter {
namespace {

using members::shown, nlohmann::json;

constexpr std::string_view schema_text =
#include "worker_protocol_schema.inc"
    ;

// std::regex recurses for each character, so longer texts do not match.
constexpr std::size_t longest_matched = 1000;

bool is_of_type(const json& value, const json& type) {
  if (type.is_array())
    return std::ranges::any_of(type, [&](const json& each) { return is_of_type(value, each); });
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "null" && value.is_null();
}

bool matches(const std::string& text, const json& pattern) {
  return text.size() <= longest_matched &&
         std::regex_search(text, std::regex(pattern.get<std::string>()));
}

/// Implements the keywords that the protocol's schema uses.
class schema_check {
 public:
  explicit schema_check(const json& root) : root_(root) {}

  void check(const json& value, const json& schema, const std::string& where) {
    if (schema.contains("$ref")) {
      const json::json_pointer place(schema.at("$ref").get<std::string>().substr(1));
      return check(value, root_.at(place), where);
    }
    if (schema.contains("type") && !is_of_type(value, schema.at("type")))
      return refuse(value, where, "of type " + text_of(schema.at("type")));
    if (schema.contains("const") && value != schema.at("const"))
      return refuse(value, where, schema.at("const").dump());
    if (schema.contains("enum") && !contains_value(schema.at("enum"), value))
      return refuse(value, where, "one of " + text_of(schema.at("enum")));
    if (value.is_number()) check_number(value, schema, where);
    if (value.is_string()) check_text(value, schema, where);
    if (value.is_array()) check_list(value, schema, where);
    if (value.is_object()) check_object(value, schema, where);
    if (!schema.contains("if")) return;
    schema_check condition(root_);
    condition.check(value, schema.at("if"), where);
    const char* const branch = condition.found.empty() ? "then" : "else";
    if (schema.contains(branch)) check(value, schema.at(branch), where);
  }

  std::vector<std::string> found;

 private:
  static std::string text_of(const json& names) {
    if (names.is_string()) return names.get<std::string>();
    std::string text;
    for (const json& name : names)
      text +=
          (text.empty() ? "" : ", ") + (name.is_string() ? name.get<std::string>() : name.dump());
    return text;
  }
  static bool contains_value(const json& list, const json& value) {
    return std::ranges::find(list, value) != list.end();
  }
  void refuse(const json& value, const std::string& where, const std::string& wanted) {
    found.push_back(fmt::format("\"{}\" is {}, not {}", where, shown(value), wanted));
  }
  void check_number(const json& value, const json& schema, const std::string& where) {
    const auto number = value.get<double>();
    if (schema.contains("minimum") && number < schema.at("minimum").get<double>())
      refuse(value, where, "at least " + schema.at("minimum").dump());
    else if (schema.contains("maximum") && number > schema.at("maximum").get<double>())
      refuse(value, where, "at most " + schema.at("maximum").dump());
  }
  void check_text(const json& value, const json& schema, const std::string& where) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() < schema.value("minLength", std::size_t{0}))
      found.push_back(fmt::format("\"{}\" is empty", where));
    else if (schema.contains("pattern") && !matches(text, schema.at("pattern")))
      refuse(value, where, "of the form " + text_of(schema.at("pattern")));
  }
  void check_list(const json& list, const json& schema, const std::string& where) {
    if (list.size() < schema.value("minItems", std::size_t{0}))
      found.push_back(fmt::format("\"{}\" has {} values, at least {} are needed", where,
                                  list.size(), schema.at("minItems").dump()));
    if (list.size() > schema.value("maxItems", list.size()))
      found.push_back(fmt::format("\"{}\" has {} values, at most {} are allowed", where,
                                  list.size(), schema.at("maxItems").dump()));
    if (!schema.contains("items")) return;
    const std::size_t before = found.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      check(list[i], schema.at("items"), fmt::format("{}[{}]", where, i));
      if (found.size() > before && !list[i].is_object()) return;
    }
  }
  void check_object(const json& object, const json& schema, const std::string& where) {
    const auto place_of = [&where](const std::string& name) {
      return where.empty() ? name : where + '.' + name;
    };
    for (const json& name : schema.value("required", json::array()))
      if (!object.contains(name.get<std::string>()))
        found.push_back(fmt::format("\"{}\" is missing", place_of(name.get<std::string>())));
    const json known = schema.value("properties", json::object());
    for (const auto& [name, value] : object.items()) {
      if (known.contains(name)) check(value, known.at(name), place_of(name));
      else if (schema.contains("additionalProperties"))
        check(value, schema.at("additionalProperties"), place_of(name));
    }
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> schema_flaws(const json& line, std::string_view kind) {
  static const json root = json::parse(schema_text);
  schema_check found(root);
  found.check(line, root.at("$defs").at(std::string(kind)), "");
  return found.found;
}

}  // namespace syncmeter
