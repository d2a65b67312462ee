// What changed between two builds as text for people and for tools.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "driver/census/census_diff.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/wrapped_text.hpp"

namespace syncmeter {
namespace {

/// Of an op's loops "all", or the numbers of their measured ops: "0, 1".
std::string loops_text(const std::vector<unsigned>& loops) {
  if (loops == std::vector{0U}) return "baseline loop";
  if (std::ranges::find(loops, 0U) == loops.end())
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

std::string diff_text(const worker_diff& diff) {
  std::string text = wrapped(summary(diff), 2, usual_width) + "\n";
  for (const op_change& c : diff.changes) {
    text += fmt::format("  {}\n", wrapped(fmt::format("{}, {}: {}", entries_text(c),
                                                      loops_text(c.loops), to_text(c.how.what)),
                                          4, usual_width));
    for (const auto& [sign, shapes] : {std::pair{'-', &c.how.went}, std::pair{'+', &c.how.came}}) {
      for (const auto& [shape, count] : *shapes)
        text += fmt::format("    {} {:3} {}\n", sign, count, shape);
    }
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

}  // namespace syncmeter
