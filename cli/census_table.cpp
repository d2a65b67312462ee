// Lays the census out in columns.
#include "cli/census_table.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace syncmeter {
namespace {

using row = std::array<std::string, 8>;

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

row row_of(const census_entry& entry) {
  const bool counted = !entry.loops[0].inside.empty() || !entry.loops[0].outside.empty();
  const auto length = [&](std::size_t i) {
    return counted ? fmt::format("{}", entry.loops[i].instructions) : std::string("-");
  };
  return {entry.op,
          or_dash(entry.type),
          entry.order,
          or_dash(entry.placements),
          length(0),
          length(1),
          counted ? to_text(entry.per_op) : "-",
          std::string(to_text(entry.verdict))};
}

/// What makes an entry's loops the same in a note: all that its row says of it.
std::string name_of(const census_entry& entry) {
  std::string text = entry.op;
  if (!entry.type.empty()) text += " " + entry.type;
  if (entry.order != "unordered") text += " " + entry.order;
  return text;
}

std::string once_per_loop_text(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{:+} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

std::string notes(const std::vector<census_entry>& census) {
  std::string text;
  for (const census_entry& entry : census) {
    // The table already shows what is not declared.
    if (entry.reason.empty() || entry.verdict == verdict::not_declared) continue;
    text += fmt::format("{}: {}: {}\n", name_of(entry), to_text(entry.verdict), entry.reason);
  }
  for (const census_entry& entry : census) {
    if (entry.once_per_loop.empty()) continue;
    text += fmt::format("{}: once per loop, not per op: {}\n", name_of(entry),
                        once_per_loop_text(entry.once_per_loop));
  }
  std::map<std::size_t, std::string> groups;
  for (const census_entry& entry : census) {
    if (entry.same_code_group == 0) continue;
    std::string& names = groups[entry.same_code_group];
    names += (names.empty() ? "" : ", ") + name_of(entry);
  }
  for (const auto& [number, names] : groups) text += fmt::format("same machine code: {}\n", names);
  return text;
}

}  // namespace

std::string census_table(const std::vector<census_entry>& census) {
  std::vector<row> rows{{"op", "type", "order", "placement", "baseline", "test",
                         "one measured op compiled to", "verdict"}};
  for (const census_entry& entry : census) rows.push_back(row_of(entry));
  std::array<std::size_t, std::tuple_size_v<row>> widths{};
  for (const row& r : rows) {
    for (std::size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], r[i].size());
  }
  std::string text;
  for (const row& r : rows) {
    std::string line;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const bool number = i == 4 || i == 5;
      line += number ? fmt::format("{:>{}}  ", r[i], widths[i])
                     : fmt::format("{:<{}}  ", r[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (const std::string below = notes(census); !below.empty()) text += "\n" + below;
  std::map<std::string_view, std::size_t> verdicts;
  for (const census_entry& entry : census) ++verdicts[to_text(entry.verdict)];
  std::string summary;
  for (const auto& [name, count] : verdicts) {
    summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, name);
  }
  return text + fmt::format("\n{} entries: {}\n", census.size(), or_dash(summary));
}

nlohmann::json census_json(const std::vector<census_entry>& census) {
  nlohmann::json list = nlohmann::json::array();
  for (const census_entry& entry : census) {
    nlohmann::json lengths = nlohmann::json::array(), loops = nlohmann::json::array();
    for (const loop_code& loop : entry.loops) {
      lengths.push_back(loop.instructions);
      loops.push_back(loop.inside);
    }
    list.push_back({{"backend", entry.backend},
                    {"op", entry.op},
                    {"type", entry.type.empty() ? nlohmann::json() : nlohmann::json(entry.type)},
                    {"order", entry.order},
                    {"placements", entry.placements},
                    {"loop_instructions", lengths},
                    {"loops", loops},
                    {"per_op", entry.per_op},
                    {"once_per_loop", entry.once_per_loop},
                    {"declared", entry.declared},
                    {"verdict", to_text(entry.verdict)},
                    {"reason", entry.reason},
                    {"same_code_group", entry.same_code_group}});
  }
  return list;
}

}  // namespace syncmeter
