#include "driver/census/rule/census_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

bool has_counts(const census_entry& entry) {
  return !entry.loops[0].inside.empty() || !entry.loops[0].outside.empty();
}

/// Returns an entry's name for notes, from the values in its row.
std::string name_of(const census_entry& entry) {
  std::string text = entry.op;
  if (!entry.type.empty()) text += " " + entry.type;
  if (entry.order != "unordered") text += " " + entry.order;
  for (const std::string* part : {&entry.scope, &entry.flavour, &entry.space})
    if (!part->empty()) text += " " + *part;
  // Kernels for two placements are separate entries.
  const bool placed = !entry.placements.empty() && entry.placements != "none";
  if (!entry.architecture.empty() && placed) text += " " + entry.placements;
  return text;
}

std::string notes(const std::vector<census_entry>& census) {
  std::string text;
  std::map<std::string, std::size_t> unread;
  for (const census_entry& entry : census) unread[entry.reason] += entry.unread ? 1U : 0U;
  for (const auto& [reason, entries] : unread)
    if (entries != 0)
      text += fmt::format("{}: {}: {}\n", to_text(verdict::not_proven),
                          count_text(entries, "entry", "entries"), reason);
  for (const census_entry& entry : census) {
    if (entry.unread) continue;
    // The table already shows undeclared entries.
    if (entry.reason.empty() || entry.verdict == verdict::not_declared) continue;
    text += fmt::format("{}: {}: {}\n", name_of(entry), to_text(entry.verdict), entry.reason);
  }
  for (const census_entry& entry : census) {
    if (entry.once_per_loop.empty()) continue;
    text += fmt::format("{}: once per loop, not per op: {}\n", name_of(entry),
                        join_texts(entry.once_per_loop, [](const auto& term) {
                          return fmt::format("{:+} {}", term.second, term.first);
                        }));
  }
  std::map<std::size_t, std::vector<std::string>> groups;
  for (const census_entry& entry : census)
    if (entry.same_code_group != 0) groups[entry.same_code_group].push_back(name_of(entry));
  for (const auto& [number, names] : groups)
    text += fmt::format("same machine code: {}\n", join(names));
  return text;
}

std::string totals(const std::vector<census_entry>& census) {
  std::map<std::string_view, std::size_t> verdicts;
  for (const census_entry& entry : census) ++verdicts[to_text(entry.verdict)];
  const std::string summary = join_texts(
      verdicts, [](const auto& one) { return fmt::format("{} {}", one.second, one.first); });
  return fmt::format("\n{}: {}\n", count_text(census.size(), "entry", "entries"), or_dash(summary));
}

/// Inserts blanks in names longer than `most`, after "::" or a bracket, to allow line breaks.
std::string with_breaks(const std::string& text, std::size_t most) {
  return join_texts(
      split(text, ' '),
      [most](std::string_view word) {
        std::string parts;
        while (word.size() > most) {
          const std::size_t at = word.find_last_of(":<,", most - 1);
          if (at == std::string_view::npos) break;
          parts += fmt::format("{} ", word.substr(0, at + 1));
          word.remove_prefix(at + 1);
        }
        return parts.append(word);
      },
      " ");
}

nlohmann::json or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

}  // namespace

std::string census_table(const std::vector<census_entry>& census) {
  constexpr auto right = columns::align::right;
  columns table({{"op"},
                 {"type"},
                 {"order"},
                 {"placement"},
                 {"scope"},
                 {"flavour"},
                 {"space"},
                 {"code for"},
                 {"baseline", right},
                 {"test", right},
                 {"one measured operation compiled to"},
                 {"verdict"}});
  const auto axes = std::span(census_axes).subspan(1);
  // GPU columns appear only if an entry has a value.
  std::array<bool, census_axes.size() - 1> shown{true, true, true, true};
  for (const census_entry& entry : census)
    for (std::size_t i = 0; i < axes.size(); ++i)
      shown[i] = shown[i] || !(entry.*axes[i].value).empty();
  for (const census_entry& entry : census) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < axes.size(); ++i)
      cells.push_back(shown[i] ? or_dash(entry.*axes[i].value) : "");
    for (const std::size_t side : {0U, 1U})
      cells.push_back(has_counts(entry) ? fmt::to_string(entry.loops[side].instructions) : "-");
    cells.push_back(has_counts(entry) ? to_text(entry.per_op) : "-");
    cells.emplace_back(to_text(entry.verdict));
    table.row(std::move(cells));
  }
  std::string text = table.text({.indent = 0});
  if (const std::string below = notes(census); !below.empty()) text += "\n" + below;
  return text + totals(census);
}

std::string census_by_op(const std::vector<census_entry>& census) {
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
    // Maps verdict and code to entries. The verdict texts sort entries that need attention first.
    std::map<std::pair<std::string, std::string>, std::vector<const census_entry*>> by_code;
    for (const census_entry* entry : entries) {
      std::string code = has_counts(*entry) ? to_text(entry->per_op) : "";
      if (!entry->reason.empty()) code += (code.empty() ? "" : "; ") + entry->reason;
      by_code[{std::string(to_text(entry->verdict)), or_dash(code)}].push_back(entry);
    }
    std::string name = op;
    for (const auto& [key, of_code] : by_code) {
      const auto& [verdict_text, code] = key;
      const std::string only = what_sets_apart(of_code, entries);
      const std::size_t indent = op_width + verdict_width + 4;
      const std::string shown = only.empty() ? code : fmt::format("{} ({})", code, only);
      text += fmt::format("{:<{}}  {:<{}}  {}\n", name, op_width, verdict_text, verdict_width,
                          wrapped(with_breaks(shown, usual_width - indent), indent));
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

std::string found_table(const std::vector<found_entry>& found) {
  std::string text;
  for (const auto& [entry, what] : found) {
    std::vector<std::string> axes;
    for (const census_axis& axis : std::span(census_axes).subspan(1))
      axes.push_back(entry.*axis.value);
    std::erase_if(axes, [](const std::string& value) {
      return value.empty() || value == "none" || value == "unordered";
    });
    text +=
        fmt::format("{:<50} {:<16} {}\n", join(axes, " "), to_text(kind_of(entry, what)),
                    entry.verdict == verdict::not_proven ? entry.reason : to_text(entry.per_op));
  }
  return text;
}

nlohmann::json found_json(const std::vector<found_entry>& found) {
  std::vector<census_entry> entries;
  for (const auto& [entry, what] : found) entries.push_back(entry);
  nlohmann::json list = census_json(entries);
  for (std::size_t i = 0; i < found.size(); ++i) {
    // Removes the declaration, which applies to the worker's own machine.
    for (const char* key : {"declared", "same_code_group", "loops"}) list[i].erase(key);
    list[i]["kind"] = to_text(kind_of(found[i].entry, found[i].what));
    list[i]["instructions"] = instructions_per_op(found[i].entry, found[i].what);
    list[i]["family"] = found[i].what.family;
  }
  return list;
}

}  // namespace syncmeter
