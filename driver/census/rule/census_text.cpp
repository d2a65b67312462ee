// Lays the census, and what changed between two builds, out as text for people and for tools.
#include "driver/census/rule/census_text.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

struct column {
  std::string_view heading;
  std::string (*text)(const census_entry&);
  bool number = false;
  bool optional = false;  ///< left out when it is empty for every entry
};

bool counted(const census_entry& entry) {
  return !entry.loops[0].inside.empty() || !entry.loops[0].outside.empty();
}

template <std::size_t I> std::string length_of(const census_entry& entry) {
  return counted(entry) ? fmt::format("{}", entry.loops[I].instructions) : "-";
}

template <std::string census_entry::* Member> std::string text_of(const census_entry& entry) {
  return entry.*Member;
}

constexpr std::array census_columns{
    column{"op", text_of<&census_entry::op>},
    column{"type", text_of<&census_entry::type>},
    column{"order", text_of<&census_entry::order>},
    column{"placement", text_of<&census_entry::placements>},
    column{"scope", text_of<&census_entry::scope>, false, true},
    column{"flavour", text_of<&census_entry::flavour>, false, true},
    column{"space", text_of<&census_entry::space>, false, true},
    column{"code for", text_of<&census_entry::architecture>, false, true},
    column{"baseline", length_of<0>, true},
    column{"test", length_of<1>, true},
    column{"one measured op compiled to",
           [](const census_entry& e) { return counted(e) ? to_text(e.per_op) : std::string(); }},
    column{"verdict", [](const census_entry& e) { return std::string(to_text(e.verdict)); }}};

/// What makes an entry's loops the same in a note: all that its row says of it.
std::string name_of(const census_entry& entry) {
  std::string text = entry.op;
  if (!entry.type.empty()) text += " " + entry.type;
  if (entry.order != "unordered") text += " " + entry.order;
  for (const std::string* part : {&entry.scope, &entry.flavour, &entry.space})
    if (!part->empty()) text += " " + *part;
  // Kernels for two placements of one op are two entries.
  const bool placed = !entry.placements.empty() && entry.placements != "none";
  if (!entry.architecture.empty() && placed) text += " " + entry.placements;
  return text;
}

std::string once_per_loop_text(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{:+} {}", text.empty() ? "" : ", ", count, name);
  return text;
}

std::string notes(const std::vector<census_entry>& census) {
  std::string text;
  std::map<std::string, std::size_t> unread;
  for (const census_entry& entry : census) unread[entry.reason] += entry.unread ? 1U : 0U;
  for (const auto& [reason, entries] : unread)
    if (entries != 0)
      text += fmt::format("{}: {} entries: {}\n", to_text(verdict::not_proven), entries, reason);
  for (const census_entry& entry : census) {
    if (entry.unread) continue;
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

std::string totals(const std::vector<census_entry>& census) {
  std::map<std::string_view, std::size_t> verdicts;
  for (const census_entry& entry : census) ++verdicts[to_text(entry.verdict)];
  std::string summary;
  for (const auto& [name, count] : verdicts)
    summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, name);
  return fmt::format("\n{} entries: {}\n", census.size(), or_dash(summary));
}

nlohmann::json or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

/// Of an op's loops "all", or the numbers of their measured ops: "0, 1".
std::string loops_text(const std::vector<unsigned>& loops) {
  if (loops == std::vector{0U}) return "baseline loop";
  if (!contains(loops, 0U))
    return fmt::format("loops with {} {}", fmt::join(loops, ", "),
                       loops == std::vector{1U} ? "op" : "ops");
  return loops.size() == 4 ? "all loops"
                           : fmt::format("baseline loop and those with {} ops",
                                         fmt::join(loops.begin() + 1, loops.end(), ", "));
}

std::string entries_text(const op_change& c) {
  return c.only.empty() ? c.op : fmt::format("{} ({})", c.op, c.only);
}

std::string counted_shapes(const std::map<std::string, int>& shapes, std::string_view between) {
  std::string text;
  for (const auto& [shape, count] : shapes)
    text += fmt::format("{}{} {}", text.empty() ? "" : between, count, shape);
  return text;
}

std::string summary(const worker_diff& diff) {
  std::size_t all = 0;
  std::string kinds;
  for (const auto& [what, loops] : diff.loops) {
    all += loops;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", loops, to_text(what));
  }
  return fmt::format("{}: {} loops compared{}{}", diff.worker, all, kinds.empty() ? "" : ": ",
                     kinds);
}

/// Entries that one build alone has, and those that could not be compared.
std::vector<std::string> left_over(const worker_diff& diff) {
  std::vector<std::string> lines;
  if (!diff.only_a.empty())
    lines.push_back(fmt::format("only in A: {}", fmt::join(diff.only_a, "; ")));
  if (!diff.only_b.empty())
    lines.push_back(fmt::format("only in B: {}", fmt::join(diff.only_b, "; ")));
  for (const auto& [why, entries] : diff.unread)
    lines.push_back(fmt::format("not compared: {} entries: {}", entries, why));
  return lines;
}

/// In a cell of a table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string code(const std::map<std::string, int>& shapes) {
  return shapes.empty() ? "" : fmt::format("`{}`", cell(counted_shapes(shapes, "`, `")));
}

}  // namespace

std::string what_sets_apart(const std::vector<const census_entry*>& some,
                            const std::vector<const census_entry*>& all) {
  std::vector<std::string> parts;
  for (const auto& [name, axis] : census_axes) {
    const auto values_in = [axis = axis](const std::vector<const census_entry*>& entries) {
      std::vector<std::string> values;
      for (const census_entry* entry : entries) add_once(values, entry->*axis);
      return values;
    };
    const std::vector<std::string> values = values_in(some);
    if (values.size() < values_in(all).size()) parts.push_back(join(values, " "));
  }
  return join(parts, "; ");
}

std::string census_table(const std::vector<census_entry>& census) {
  std::string text;
  std::vector<std::string> lines(census.size() + 1);
  for (const column& one : census_columns) {
    std::vector<std::string> cells{std::string(one.heading)};
    for (const census_entry& entry : census) cells.push_back(or_dash(one.text(entry)));
    const auto is_empty = [](const std::string& cell) { return cell == "-"; };
    if (one.optional && std::all_of(cells.begin() + 1, cells.end(), is_empty)) continue;
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i] += one.number ? fmt::format("{:>{}}  ", cells[i], width)
                             : fmt::format("{:<{}}  ", cells[i], width);
    }
  }
  for (const std::string& line : lines)
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  if (const std::string below = notes(census); !below.empty()) text += "\n" + below;
  return text + totals(census);
}

std::string census_by_op(const std::vector<census_entry>& census) {
  constexpr std::size_t width = usual_width;
  std::vector<std::pair<std::string, std::vector<const census_entry*>>> ops;
  std::size_t op_width = 0, verdict_width = 0;
  for (const census_entry& entry : census) {
    const auto same_op = [&](const auto& op) { return op.first == entry.op; };
    auto op = std::ranges::find_if(ops, same_op);
    if (op == ops.end()) op = ops.insert(op, {entry.op, {}});
    op->second.push_back(&entry);
    op_width = std::max(op_width, entry.op.size());
    verdict_width = std::max(verdict_width, to_text(entry.verdict).size());
  }
  std::string text;
  for (const auto& [op, entries] : ops) {
    // Verdict and code -> the entries that have them; what is to be looked at stands first.
    std::map<std::pair<std::string, std::string>, std::vector<const census_entry*>> by_code;
    for (const census_entry* entry : entries) {
      std::string code = counted(*entry) ? to_text(entry->per_op) : "";
      if (!entry->reason.empty()) code += (code.empty() ? "" : "; ") + entry->reason;
      by_code[{std::string(to_text(entry->verdict)), or_dash(code)}].push_back(entry);
    }
    std::string name = op;
    for (const auto& [key, of_code] : by_code) {
      const auto& [verdict_text, code] = key;
      const std::string only = what_sets_apart(of_code, entries);
      text += fmt::format("{:<{}}  {:<{}}  {}\n", name, op_width, verdict_text, verdict_width,
                          wrapped(only.empty() ? code : fmt::format("{} ({})", code, only),
                                  op_width + verdict_width + 4, width));
      name.clear();
    }
  }
  return text + totals(census) + "--wide shows each loop with its length, and equal code\n";
}

nlohmann::json census_json(const std::vector<census_entry>& census) {
  nlohmann::json list = nlohmann::json::array();
  for (const census_entry& entry : census) {
    nlohmann::json lengths = nlohmann::json::array(), loops = nlohmann::json::array();
    for (const loop_code& loop : entry.loops) {
      lengths.push_back(loop.instructions);
      loops.push_back(loop.inside);
    }
    nlohmann::json object{
        {"loop_instructions", lengths}, {"loops", loops},
        {"per_op", entry.per_op},       {"once_per_loop", entry.once_per_loop},
        {"declared", entry.declared},   {"verdict", to_text(entry.verdict)},
        {"reason", entry.reason},       {"same_code_group", entry.same_code_group}};
    for (const auto& [name, axis] : census_axes) object[name] = entry.*axis;
    for (const char* name : {"type", "scope", "flavour", "space", "architecture"})
      object[name] = or_null(object[name]);
    list.push_back(std::move(object));
  }
  return list;
}

nlohmann::json census_summary(const census_entry& entry) {
  return {{"verdict", to_text(entry.verdict)},           {"reason", entry.reason},
          {"architecture", or_null(entry.architecture)}, {"per_op", entry.per_op},
          {"baseline", entry.loops[0].inside},           {"test", entry.loops[1].inside}};
}

std::string diff_text(const worker_diff& diff) {
  std::string text = wrapped(summary(diff), 2, usual_width) + "\n";
  for (const op_change& c : diff.changes) {
    text += fmt::format("  {}\n", wrapped(fmt::format("{}, {}: {}", entries_text(c),
                                                      loops_text(c.loops), to_text(c.how.what)),
                                          4, usual_width));
    for (const auto& [sign, shapes] : {std::pair{'-', &c.how.went}, std::pair{'+', &c.how.came}})
      for (const auto& [shape, count] : *shapes)
        text += fmt::format("    {} {:3} {}\n", sign, count, shape);
  }
  for (const std::string& line : left_over(diff))
    text += fmt::format("  {}\n", wrapped(line, 4, usual_width));
  return text;
}

std::string diff_markdown(const worker_diff& diff) {
  std::string text = summary(diff) + ".\n";
  if (!diff.changes.empty())
    text += "\n| op | loops | change | went | came |\n| --- | --- | --- | --- | --- |\n";
  for (const op_change& c : diff.changes) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(entries_text(c)), loops_text(c.loops),
                        to_text(c.how.what), code(c.how.went), code(c.how.came));
  }
  for (const std::string& line : left_over(diff)) text += fmt::format("\n{}\n", line);
  return text;
}

nlohmann::json diff_json(const worker_diff& diff) {
  nlohmann::json loops = nlohmann::json::object(), changes = nlohmann::json::array();
  for (const auto& [what, count] : diff.loops) loops[std::string(to_text(what))] = count;
  for (const op_change& c : diff.changes) {
    changes.push_back({{"op", c.op},
                       {"only", c.only},
                       {"loops", c.loops},
                       {"change", to_text(c.how.what)},
                       {"went", c.how.went},
                       {"came", c.how.came}});
  }
  return {{"worker", diff.worker}, {"loops", std::move(loops)}, {"changes", std::move(changes)},
          {"only_a", diff.only_a}, {"only_b", diff.only_b},     {"unread", diff.unread}};
}

std::string found_table(const std::vector<found_entry>& found) {
  std::string text;
  for (const auto& [entry, what] : found) {
    std::string axes;
    for (const census_axis& axis : std::span(census_axes).subspan(1)) {
      const std::string& value = entry.*axis.value;
      if (!value.empty() && value != "none" && value != "unordered")
        axes += (axes.empty() ? "" : " ") + value;
    }
    text +=
        fmt::format("{:<50} {:<16} {}\n", axes, to_text(kind_of(entry, what)),
                    entry.verdict == verdict::not_proven ? entry.reason : to_text(entry.per_op));
  }
  return text;
}

nlohmann::json found_json(const std::vector<found_entry>& found) {
  std::vector<census_entry> entries;
  for (const auto& [entry, what] : found) entries.push_back(entry);
  nlohmann::json list = census_json(entries);
  for (std::size_t i = 0; i < found.size(); ++i) {
    // What it declares is for the machine that the worker runs on.
    for (const char* key : {"declared", "same_code_group", "loops"}) list[i].erase(key);
    list[i]["kind"] = to_text(kind_of(found[i].entry, found[i].what));
    list[i]["instructions"] = instructions_per_op(found[i].entry, found[i].what);
    list[i]["family"] = found[i].what.family;
  }
  return list;
}

}  // namespace syncmeter
