// The identity of a point in text and JSON: one fixed order of axes, and nothing written for an
// axis that has no value.
#include "core/point.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace syncmeter {
namespace {

template <axis_value Enum> std::string all_names() {
  std::string names;
  for (const auto& name : names_of(Enum{})) {
    if (!names.empty()) names += ", ";
    names += name.text;
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
        "point: pus: {} is not the number of a PU for each of {} lanes", list.dump(), lanes));
  return list.get<std::vector<int>>();
}

// Stride has a meaning only between strided cells; a stray one is kept visible, so that two points
// that differ never have the same text.
bool has_stride(const point& p) { return p.placement == placement::strided || p.stride != 0; }

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
  std::string text = fmt::format("backend={} op={}", p.backend, p.op);
  const auto add = [&text](std::string_view axis, const auto& value) {
    text += fmt::format(" {}={}", axis, value);
  };
  if (p.type) add("type", to_text(*p.type));
  if (p.placement != placement::none) add("placement", to_text(p.placement));
  if (has_stride(p)) add("stride", p.stride);
  if (p.base_offset != 0) add("base_offset", p.base_offset);
  if (p.cells != 0) add("cells", p.cells);
  add("lanes", p.lanes);
  if (p.blocks != 1) add("blocks", p.blocks);
  if (p.active != 0) add("active", p.active);
  if (p.waves) add("waves", "true");
  if (p.size != 0) add("size", p.size);
  if (p.scope != scope::none) add("scope", to_text(p.scope));
  if (p.flavour != flavour::none) add("flavour", to_text(p.flavour));
  if (p.space != space::none) add("space", to_text(p.space));
  add("order", to_text(p.order));
  add("affinity", to_text(p.affinity));
  add("wait", to_text(p.wait));
  if (p.home != home::none) add("home", to_text(p.home));
  if (!p.pus.empty()) add("pus", fmt::format("{}", fmt::join(p.pus, ",")));
  if (p.late_us != 0) add("late_us", p.late_us);
  if (p.repeat != 0) add("repeat", p.repeat);
  return text;
}

void to_json(nlohmann::json& j, const point& p) {
  j = nlohmann::json{{"backend", p.backend},
                     {"op", p.op},
                     {"lanes", p.lanes},
                     {"order", to_text(p.order)},
                     {"affinity", to_text(p.affinity)},
                     {"wait", to_text(p.wait)},
                     {"stride_bytes", stride_bytes(p)}};
  if (p.type) j["type"] = to_text(*p.type);
  if (p.placement != placement::none) j["placement"] = to_text(p.placement);
  if (has_stride(p)) j["stride"] = p.stride;
  if (p.base_offset != 0) j["base_offset"] = p.base_offset;
  if (p.cells != 0) j["cells"] = p.cells;
  if (p.blocks != 1) j["blocks"] = p.blocks;
  if (p.active != 0) j["active"] = p.active;
  if (p.waves) j["waves"] = true;
  if (p.size != 0) j["size"] = p.size;
  if (p.scope != scope::none) j["scope"] = to_text(p.scope);
  if (p.flavour != flavour::none) j["flavour"] = to_text(p.flavour);
  if (p.space != space::none) j["space"] = to_text(p.space);
  if (p.home != home::none) j["home"] = to_text(p.home);
  if (!p.pus.empty()) j["pus"] = p.pus;
  if (p.late_us != 0) j["late_us"] = p.late_us;
  if (p.repeat != 0) j["repeat"] = p.repeat;
}

void from_json(const nlohmann::json& j, point& p) {
  if (!j.is_object()) throw std::invalid_argument("point: " + j.dump() + " is not an object");
  for (const char* member : {"backend", "op"}) {
    if (!j.contains(member)) {
      throw std::invalid_argument(fmt::format("point: the member '{}' is missing", member));
    }
  }
  p = point{};
  p.backend = read_text(j, "backend");
  p.op = read_text(j, "op");
  if (j.contains("type")) p.type = read_name<value_type>(j, "type");
  if (j.contains("placement")) p.placement = read_name<placement>(j, "placement");
  if (j.contains("stride")) p.stride = read_number(j, "stride", 0);
  if (j.contains("base_offset")) p.base_offset = read_number(j, "base_offset", 0);
  if (j.contains("cells")) p.cells = read_number(j, "cells", 0);
  if (j.contains("lanes")) p.lanes = read_number(j, "lanes", 1);
  if (j.contains("blocks")) p.blocks = read_number(j, "blocks", 1);
  if (j.contains("active")) p.active = read_number(j, "active", 0);
  if (j.contains("waves")) p.waves = j.at("waves").get<bool>();
  if (j.contains("size")) p.size = read_number(j, "size", 0);
  if (j.contains("scope")) p.scope = read_name<scope>(j, "scope");
  if (j.contains("flavour")) p.flavour = read_name<flavour>(j, "flavour");
  if (j.contains("space")) p.space = read_name<space>(j, "space");
  if (j.contains("order")) p.order = read_name<order>(j, "order");
  if (j.contains("affinity")) p.affinity = read_name<affinity>(j, "affinity");
  if (j.contains("wait")) p.wait = read_name<wait_policy>(j, "wait");
  if (j.contains("home")) p.home = read_name<home>(j, "home");
  if (j.contains("pus")) p.pus = read_pus(j.at("pus"), p.lanes);
  if (j.contains("late_us")) p.late_us = read_number(j, "late_us", 0);
  if (j.contains("repeat")) p.repeat = read_number(j, "repeat", 0);
}

}  // namespace syncmeter
