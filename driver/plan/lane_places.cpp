#include "driver/plan/lane_places.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/text/columns.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

// A line with more of them is not read; the table has them all.
constexpr std::size_t most_cores_named = 8;

const processing_unit* unit_of(const topology& machine, int os) {
  const auto found = std::ranges::find(machine.units(), os, &processing_unit::os);
  return found == machine.units().end() ? nullptr : &*found;
}

std::string number(int index) { return index < 0 ? "" : fmt::to_string(index); }

std::vector<int> lanes_on(std::span<const int> pus, int os) {
  std::vector<int> lanes;
  for (std::size_t lane = 0; lane < pus.size(); ++lane) {
    if (pus[lane] == os) lanes.push_back(static_cast<int>(lane));
  }
  return lanes;
}

// "P#4 (lane 7)", for each other PU of the core that may be used.
std::string siblings_of(const topology& machine, const processing_unit& unit,
                        std::span<const int> pus) {
  std::vector<std::string> siblings;
  for (const processing_unit& other : machine.units()) {
    if (other.os == unit.os || unit.core < 0 || other.core != unit.core) continue;
    const std::vector<int> lanes = lanes_on(pus, other.os);
    siblings.push_back(fmt::format(
        "P#{}{}", other.os, lanes.empty() ? "" : fmt::format(" (lane {})", as_ranges(lanes))));
  }
  return fmt::format("{}", fmt::join(siblings, ", "));
}

std::string kinds_text(const topology& machine, std::span<const int> pus) {
  if (machine.kinds() < 2) return "";
  std::map<int, std::vector<int>, std::greater<>> lanes_by_kind;
  for (std::size_t lane = 0; lane < pus.size(); ++lane) {
    if (const processing_unit* unit = unit_of(machine, pus[lane]))
      lanes_by_kind[unit->kind].push_back(static_cast<int>(lane));
  }
  std::vector<std::string> parts;
  for (const auto& [kind, lanes] : lanes_by_kind)
    parts.push_back(fmt::format("{} on {}", as_ranges(lanes), machine.kind_name(kind)));
  return parts.empty() ? "" : fmt::format("lanes {}", fmt::join(parts, ", "));
}

std::string cores_text(const topology& machine, std::span<const int> pus) {
  std::map<int, std::vector<int>> lanes_by_core;
  for (std::size_t lane = 0; lane < pus.size(); ++lane) {
    const processing_unit* const unit = unit_of(machine, pus[lane]);
    if (unit != nullptr && unit->core >= 0)
      lanes_by_core[unit->core].push_back(static_cast<int>(lane));
  }
  std::vector<std::string> together;
  for (const auto& [core, lanes] : lanes_by_core) {
    if (lanes.size() > 1) together.push_back(fmt::format("{}", fmt::join(lanes, "+")));
  }
  if (together.empty()) return "";
  const std::size_t named = std::min(most_cores_named, together.size());
  const std::span<const std::string> first(together.data(), named);
  return fmt::format(
      "lanes that share a core: {}{}", fmt::join(first, ", "),
      named < together.size() ? fmt::format(" and {} cores more", together.size() - named) : "");
}

}  // namespace

std::string lane_table(const topology& machine, std::span<const int> pus) {
  using enum columns::align;
  columns table({{"lane", right},
                 {"PU", left},
                 {"core", right},
                 {"L2", right},
                 {"L3", right},
                 {"NUMA node", right},
                 {"package", right},
                 {"kind", left},
                 {"SMT siblings", left}});
  for (std::size_t lane = 0; lane < pus.size(); ++lane) {
    const processing_unit* const unit = unit_of(machine, pus[lane]);
    if (unit == nullptr) {
      const std::string where = pus[lane] < 0 ? "not bound" : fmt::format("P#{}", pus[lane]);
      table.row({fmt::to_string(lane), where, "", "", "", "", "", "", ""});
      continue;
    }
    table.row({fmt::to_string(lane), fmt::format("P#{}", unit->os), number(unit->core),
               number(unit->l2), number(unit->l3), number(unit->numa), number(unit->package),
               machine.kind_name(unit->kind), siblings_of(machine, *unit, pus)});
  }
  return table.text();
}

std::string lane_note(const topology& machine, std::span<const int> pus) {
  const std::string kinds = kinds_text(machine, pus), cores = cores_text(machine, pus);
  return kinds + (kinds.empty() || cores.empty() ? "" : "; ") + cores;
}

namespace {

// Which PUs affinity quiet went by; empty where the plan has no such lanes.
std::string quiet_note(const campaign_plan& plan, const topology& machine) {
  const auto is_quiet = [](const point& p) { return p.affinity == affinity::quiet; };
  if (std::ranges::none_of(plan.points, [&](const planned_point& p) {
        return is_quiet(p.what) || std::ranges::any_of(p.same_as, is_quiet);
      }))
    return "";
  if (!machine.avoided())
    return "quiet: a probe at the start of the run chooses the PUs; these are those of a machine "
           "that nobody else uses";
  if (machine.avoided()->empty())
    return "quiet: no PU was busy when the run began, so lanes are where close puts them";
  std::vector<std::pair<double, int>> busy;
  for (const auto& [pu, share] : *machine.avoided()) busy.emplace_back(-share, pu);
  std::ranges::sort(busy);
  std::vector<std::string> parts;
  for (const auto& [share, pu] : std::span(busy).first(std::min(busy.size(), most_cores_named)))
    parts.push_back(fmt::format("{} ({:.0f} %)", pu, -100 * share));
  const std::size_t more = busy.size() - parts.size();
  return fmt::format("quiet: others slowed PU{} {}{} when the run began; lanes are elsewhere where "
                     "there is room",
                     busy.size() == 1 ? "" : "s", fmt::join(parts, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

std::vector<std::string> placement_notes(const campaign_plan& plan, const topology& machine) {
  std::map<affinity, const planned_point*> largest;
  for (const planned_point& p : plan.points) {
    if (p.what.affinity == affinity::none || p.what.lanes < 2) continue;
    const auto [found, is_new] = largest.try_emplace(p.what.affinity, &p);
    if (!is_new && found->second->what.lanes < p.what.lanes) found->second = &p;
  }
  std::vector<std::string> notes;
  for (const auto& [policy, p] : largest) {
    if (const std::string note = lane_note(machine, p->pus); !note.empty())
      notes.push_back(fmt::format("{}, up to {} lanes: {}", to_text(policy), p->what.lanes, note));
  }
  if (std::string note = quiet_note(plan, machine); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace syncmeter
