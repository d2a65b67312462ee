#include "driver/results/units.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "driver/plan/pinned_lanes.hpp"

namespace syncmeter {

using nlohmann::json;

namespace {

// Their names in the file are those of the struct, but for the number itself.
constexpr std::pair<const char*, int processing_unit::*> members[]{
    {"pu", &processing_unit::os},
    {"package", &processing_unit::package},
    {"numa", &processing_unit::numa},
    {"l3", &processing_unit::l3},
    {"l2", &processing_unit::l2},
    {"core", &processing_unit::core},
    {"thread", &processing_unit::thread_in_core},
    {"kind", &processing_unit::kind}};

}  // namespace

json units_json(std::span<const processing_unit> units) {
  json list = json::array();
  for (const processing_unit& unit : units) {
    json entry;
    for (const auto& [name, member] : members) entry[name] = unit.*member;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<processing_unit> units_in(const json& campaign) {
  std::vector<processing_unit> units;
  const auto entries = campaign.find("units");
  if (entries == campaign.end() || !entries->is_array()) return units;
  for (const json& entry : *entries) {
    processing_unit unit;
    for (const auto& [name, member] : members) {
      if (const auto value = entry.find(name); value != entry.end() && value->is_number_integer())
        unit.*member = value->get<int>();
    }
    units.push_back(unit);
  }
  return units;
}

json units_named(const campaign_plan& plan, const run_options& options, const topology& machine) {
  const auto named = [](const planned_point& p) {
    return !p.what.pus.empty() || p.what.cells != 0;
  };
  if (std::none_of(plan.points.begin(), plan.points.end(), named)) return {};
  return units_json(units_wanted(options, machine));
}

}  // namespace syncmeter
