#include "driver/ab/ab_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "driver/show/figures.hpp"
#include "driver/show/table.hpp"
#include "driver/text/columns.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;
using enum columns::align;
using rows = std::vector<std::vector<std::string>>;

// Two digits: more than an interval is worth.
std::string percent(double ratio) {
  if (!std::isfinite(ratio)) return "unknown";
  const double change = 100 * (ratio - 1);
  return fmt::format("{:+.{}f} %", change, std::abs(change) < 9.95 ? 1 : 0);
}

std::string size_of(double ratio) {
  if (!std::isfinite(ratio) || ratio > 1e6) return "unknown";
  const double change = 100 * (ratio - 1);
  return fmt::format("{:.{}f} %", change, change < 9.95 ? 1 : 0);
}

std::string points(std::size_t n) { return fmt::format("{} point{}", n, n == 1 ? "" : "s"); }

std::string name_of(const arm_change& c, const compared_arms& arms) {
  return arms.any_backend ? short_name(c.what) : c.what.backend + " " + short_name(c.what);
}

std::string state_of(const arm_change& c) {
  std::string text = c.hop_ns > 0 ? fmt::format("hop {:.0f} ns", c.hop_ns) : "";
  if (c.busy) text += text.empty() ? "busy" : ", busy";
  return text;
}

/// What of a comparison is told in a table.
struct section {
  std::string title;
  std::vector<std::string> titles;
  rows lines;
};

section changed(const arm_comparison& c, change_verdict verdict) {
  const auto found = c.of(verdict);
  const auto& [a, b] = c.arms.arms;
  section s{.title =
                fmt::format("{} in {}: {}", verdict == change_verdict::slower ? "Slower" : "Faster",
                            b.name, points(found.size())),
            .titles = {"point", a.name + " ns", b.name + " ns", "change", "95 % interval", "state"},
            .lines = {}};
  for (const arm_change* each : found) {
    const paired_change& change = each->change;
    s.lines.push_back(
        {name_of(*each, c.arms), nanoseconds(each->cost_ns[0]), nanoseconds(each->cost_ns[1]),
         percent(change.ratio.value),
         fmt::format("{} to {}", percent(change.ratio.low), percent(change.ratio.high)),
         state_of(*each)});
  }
  return s;
}

section not_told(const arm_comparison& c) {
  std::vector<const arm_change*> found = c.of(change_verdict::cannot_tell);
  std::erase_if(found, [](const arm_change* each) { return !each->why.empty(); });
  section s{.title = fmt::format("Cannot be told: {}", points(found.size())),
            .titles = {"point", "change", "95 % interval", "seen from", "state"},
            .lines = {}};
  for (const arm_change* each : found) {
    const paired_change& change = each->change;
    s.lines.push_back(
        {name_of(*each, c.arms), percent(change.ratio.value),
         fmt::format("{} to {}", percent(change.ratio.low), percent(change.ratio.high)),
         size_of(change.detectable), state_of(*each)});
  }
  return s;
}

std::string ops_in(const std::vector<std::string>& canonical_points) {
  std::set<std::string> ops;
  for (const std::string& text : canonical_points) {
    const std::size_t at = text.find(" op=") + 4;
    ops.insert(text.substr(at, text.find(' ', at) - at));
  }
  return fmt::format("{}", fmt::join(ops, ", "));
}

/// The smallest change that points compared could have shown, in the middle and at worst.
std::string detectable_line(const arm_comparison& c) {
  std::vector<double> sizes;
  for (const arm_change& each : c.points) {
    if (each.why.empty()) sizes.push_back(each.change.detectable);
  }
  if (sizes.empty()) return {};
  std::ranges::sort(sizes);
  return fmt::format("Smallest change that a campaign like this one reports in 80 of 100 cases: "
                     "{} for half of the points, {} for all.",
                     size_of(median(sizes)), size_of(sizes.back()));
}

std::vector<std::string> sentences(const arm_comparison& c) {
  std::vector<std::string> all;
  if (const std::size_t n = c.of(change_verdict::same).size(); n > 0)
    all.push_back(fmt::format("The same within {}: {}.", size_of(1 + c.arms.threshold), points(n)));
  if (c.arms.equal > 0)
    all.push_back(fmt::format("Equal machine code in both, not measured: {}; --all measures {}.",
                              points(c.arms.equal), c.arms.equal == 1 ? "it" : "them"));
  for (std::size_t i = 0; i < 2; ++i) {
    if (!c.arms.only[i].empty())
      all.push_back(fmt::format("Only in {}: {} ({}).", c.arms.arms[i].name,
                                points(c.arms.only[i].size()), ops_in(c.arms.only[i])));
  }
  std::map<std::string, std::vector<const arm_change*>> by_reason;
  for (const arm_change& each : c.points) {
    if (!each.why.empty()) by_reason[each.why].push_back(&each);
  }
  for (const auto& [why, found] : by_reason) {
    constexpr std::size_t named = 3;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(named, found.size()); ++i)
      names.push_back(name_of(*found[i], c.arms));
    if (found.size() > named) names.push_back(fmt::format("{} more", found.size() - named));
    all.push_back(fmt::format("Not compared, {}: {}.", why, fmt::join(names, "; ")));
  }
  if (std::string line = detectable_line(c); !line.empty()) all.push_back(std::move(line));
  return all;
}

std::string headline(const arm_comparison& c) {
  const auto& [a, b] = c.arms.arms;
  std::string text =
      fmt::format("{} against {}: {} compared, changes beyond {}, 95 % over all of them (Holm).",
                  b.name, a.name,
                  points(static_cast<std::size_t>(std::ranges::count_if(
                      c.points, [](const arm_change& p) { return p.why.empty(); }))),
                  size_of(1 + c.arms.threshold));
  return text;
}

std::vector<section> sections(const arm_comparison& c) {
  std::vector<section> all{changed(c, change_verdict::slower), changed(c, change_verdict::faster),
                           not_told(c)};
  std::erase_if(all, [](const section& s) { return s.lines.empty(); });
  return all;
}

bool nothing_changed(const arm_comparison& c) {
  return c.of(change_verdict::slower).empty() && c.of(change_verdict::faster).empty();
}

std::string unchanged(const arm_comparison& c) {
  if (c.exit_status() == 2) return "Nothing could be compared.";
  return fmt::format("Nothing changed by more than {}.", size_of(1 + c.arms.threshold));
}

}  // namespace

std::string ab_text(const arm_comparison& comparison, page_style style) {
  const std::size_t width = style.width == 0 ? usual_width : style.width;
  std::string text = wrapped(headline(comparison), 0, width) + "\n";
  if (nothing_changed(comparison)) text += unchanged(comparison) + "\n";
  for (const section& s : sections(comparison)) {
    std::vector<columns::column> titles;
    for (std::size_t i = 0; i < s.titles.size(); ++i) {
      const bool words = i == 0 || i + 1 == s.titles.size();
      titles.push_back({.title = s.titles[i], .side = words ? left : right});
    }
    columns table(titles);
    for (const auto& line : s.lines) table.row(line);
    text += "\n" + s.title + "\n" + table.text(style);
  }
  const std::vector<std::string> said = sentences(comparison);
  if (!said.empty()) text += "\n";
  for (const std::string& sentence : said) text += wrapped(sentence, 0, width) + "\n";
  return text;
}

std::string ab_markdown(const arm_comparison& comparison) {
  std::string text = headline(comparison) + "\n";
  if (nothing_changed(comparison)) text += "\n" + unchanged(comparison) + "\n";
  for (const section& s : sections(comparison)) {
    text += fmt::format("\n### {}\n\n| {} |\n|{}\n", s.title, fmt::join(s.titles, " | "), [&] {
      std::string rule;
      for (std::size_t i = 0; i < s.titles.size(); ++i) rule += " --- |";
      return rule;
    }());
    for (const auto& line : s.lines) text += fmt::format("| {} |\n", fmt::join(line, " | "));
  }
  for (const std::string& sentence : sentences(comparison)) text += "\n- " + sentence;
  return text + "\n";
}

json ab_json(const arm_comparison& comparison) {
  json list = json::array();
  for (const arm_change& each : comparison.points) {
    const paired_change& change = each.change;
    json one{{"point", each.what},
             {"verdict", to_text(change.verdict)},
             {"pairs", each.pairs},
             {"why", each.why}};
    if (each.pairs >= enough_pairs) {
      one["ratio"] = {
          {"value", change.ratio.value}, {"low", change.ratio.low}, {"high", change.ratio.high}};
      one["confidence"] = each.confidence;
      one["p"] = change.p;
      one["detectable"] = change.detectable;
      one["cost_ns"] = each.cost_ns;
      one["hop_ns"] = each.hop_ns;
      one["busy"] = each.busy;
    }
    list.push_back(std::move(one));
  }
  json all = comparison.arms;
  all["kind"] = "ab";
  all["exit_status"] = comparison.exit_status();
  all["points"] = std::move(list);
  return all;
}

}  // namespace syncmeter
