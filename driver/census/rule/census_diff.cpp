#include "driver/census/rule/census_diff.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/op.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// Removes negative counts.
class_counts positive(class_counts counts) {
  std::erase_if(counts, [](const auto& entry) { return entry.second < 0; });
  return counts;
}

using entry_name = std::vector<std::string>;

/// Maps entries by their axes and a running number, because an op may have loops for several sizes.
std::map<entry_name, const census_entry*> by_name(const std::vector<census_entry>& entries,
                                                  bool across_backends) {
  std::map<entry_name, const census_entry*> named;
  for (const census_entry& e : entries) {
    entry_name name;
    for (const census_axis& axis : std::span(census_axes).first(census_axes.size() - 1))
      name.push_back(e.*axis.value);
    if (across_backends) name.front().clear();
    name.emplace_back();
    for (int n = 2; named.contains(name); ++n) name.back() = fmt::to_string(n);
    named[std::move(name)] = &e;
  }
  return named;
}

std::string text_of(entry_name name) {
  std::erase(name, "");
  return join(name, " ");
}

/// Returns why the entry's loops cannot be compared, or an empty text.
std::string unreadable(const census_entry& entry) {
  const bool has_lines =
      std::ranges::any_of(entry.loops, [](const loop_code& l) { return !l.lines.empty(); });
  if (has_lines) return {};
  return entry.reason.empty() ? std::string("its loops have no instructions") : entry.reason;
}

/// Entries with the same change, before the search for distinguishing axes.
struct changed_alike {
  std::vector<unsigned> loops;
  loop_change how;
  std::vector<const census_entry*> entries;
};

/// Returns the changes in one entry. Adds each loop to `counted`.
changed_alike changes_between(const census_entry& a, const census_entry& b,
                              std::map<change, std::size_t>& counted) {
  changed_alike found{.loops = {}, .how = {}, .entries = {&a}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (a.loops[i].lines.empty() && b.loops[i].lines.empty()) continue;
    loop_change one = compare_loops(a.loops[i].lines, b.loops[i].lines);
    ++counted[one.what];
    if (one.what == change::none) continue;
    found.loops.push_back(static_cast<unsigned>(counts[i]));
    if (found.loops.size() == 1 || i == 1) found.how = std::move(one);
  }
  return found;
}

/// Returns "all loops", or the loops by measured ops.
std::string loops_text(const std::vector<unsigned>& loops) {
  if (loops == std::vector{0U}) return "baseline loop";
  if (!contains(loops, 0U))
    return fmt::format("loops with {} {}", fmt::join(loops, ", "),
                       loops == std::vector{1U} ? "op" : "ops");
  return loops.size() == 4 ? "all loops"
                           : fmt::format("baseline loop and those with {} operations",
                                         fmt::join(loops.begin() + 1, loops.end(), ", "));
}

std::string entries_text(const op_change& c) {
  return c.only.empty() ? c.op : fmt::format("{} ({})", c.op, c.only);
}

std::string summary(const worker_diff& diff) {
  std::size_t all = 0;
  const std::string kinds = join_texts(diff.loops, [&all](const auto& kind) {
    all += kind.second;
    return fmt::format("{} {}", kind.second, to_text(kind.first));
  });
  return fmt::format("{}: {} loops compared{}{}", diff.worker, all, kinds.empty() ? "" : ": ",
                     kinds);
}

/// Lists entries in only one build, and entries without a comparison.
std::vector<std::string> left_over(const worker_diff& diff) {
  std::vector<std::string> lines;
  if (!diff.only_a.empty())
    lines.push_back(fmt::format("only in A: {}", fmt::join(diff.only_a, "; ")));
  if (!diff.only_b.empty())
    lines.push_back(fmt::format("only in B: {}", fmt::join(diff.only_b, "; ")));
  for (const auto& [why, entries] : diff.unread)
    lines.push_back(
        fmt::format("not compared: {}: {}", count_text(entries, "entry", "entries"), why));
  return lines;
}

/// Escapes text for a table cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string code(const class_counts& shapes) {
  return cell(join_texts(
      shapes, [](const auto& shape) { return fmt::format("`{} {}`", shape.second, shape.first); }));
}

}  // namespace

std::string_view to_text(change what) {
  constexpr std::array<std::string_view, 4> names{"equal", "other registers", "another order",
                                                  "other instructions"};
  return names.at(static_cast<std::size_t>(what));
}

loop_change compare_loops(std::span<const loop_line> a, std::span<const loop_line> b) {
  const auto same = [&](auto member) { return std::ranges::equal(a, b, {}, member, member); };
  if (same(&loop_line::text)) return {};
  if (same(&loop_line::shape)) return {.what = change::registers, .went = {}, .came = {}};
  const class_counts of_a = shapes_in(a), of_b = shapes_in(b);
  if (of_a == of_b) return {.what = change::order, .went = {}, .came = {}};
  return {change::instructions, positive(difference(of_a, of_b)), positive(difference(of_b, of_a))};
}

bool worker_diff::changed() const { return !changes.empty() || !only_a.empty() || !only_b.empty(); }

worker_diff compare_workers(std::string worker, const std::vector<census_entry>& a,
                            const std::vector<census_entry>& b, bool across_backends) {
  worker_diff diff;
  diff.worker = std::move(worker);
  const auto in_a = by_name(a, across_backends), in_b = by_name(b, across_backends);
  std::map<std::string, std::vector<changed_alike>> changed;             // by op
  std::map<std::string, std::vector<const census_entry*>> all_compared;  // by op
  for (const auto& [name, entry] : in_a) {
    const auto other = in_b.find(name);
    if (other == in_b.end()) {
      diff.only_a.push_back(text_of(name));
      continue;
    }
    std::string unread = unreadable(*entry);
    if (unread.empty()) unread = unreadable(*other->second);
    if (!unread.empty()) {
      ++diff.unread[unread];
      continue;
    }
    all_compared[entry->op].push_back(entry);
    changed_alike found = changes_between(*entry, *other->second, diff.loops);
    if (found.loops.empty()) continue;
    std::vector<changed_alike>& of_op = changed[entry->op];
    const auto same = std::ranges::find_if(of_op, [&](const changed_alike& x) {
      return x.loops == found.loops && x.how == found.how;
    });
    if (same == of_op.end()) of_op.push_back(std::move(found));
    else same->entries.push_back(entry);
  }
  for (const auto& [name, entry] : in_b)
    if (!in_a.contains(name)) diff.only_b.push_back(text_of(name));
  for (const auto& [op, groups] : changed)
    for (const changed_alike& group : groups)
      diff.changes.push_back(
          {op, what_sets_apart(group.entries, all_compared.at(op)), group.loops, group.how});
  return diff;
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
    text += "\n| operation | loops | change | went | came |\n| --- | --- | --- | --- | --- |\n";
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

}  // namespace syncmeter
