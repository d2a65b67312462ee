// The tables of barriers, and what follows from them in sentences.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/barrier_study.hpp"
#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/options.hpp"
#include "cli/parse_axes.hpp"
#include "cli/studies.hpp"

namespace syncmeter {
namespace {

using enum columns::align;
using word = barrier_ratio::word;

std::string name_of(const barrier_runtime& runtime) {
  return fmt::format("{} {}", runtime.first, to_text(runtime.second));
}

std::vector<barrier_runtime> runtimes_of(const std::vector<barrier_placement>& all) {
  std::set<barrier_runtime> found;
  for (const barrier_placement& placed : all) {
    for (const auto* rows : {&placed.curve, &placed.late}) {
      for (const barrier_row& row : *rows) {
        for (const auto& [runtime, cost] : row.costs) found.insert(runtime);
      }
    }
  }
  return {found.begin(), found.end()};
}

// A busy lane and several placement states are in the notes of the table of points.
std::string cost_text(const barrier_cost& cost) {
  const point_summary& s = *cost.point;
  if (has_upper_bound(s)) return "< " + upper_bound_ns(s.cost_ns.high);
  if (!has_cost(s)) return std::string(to_text(s.status));
  const double half = (s.cost_ns.high - s.cost_ns.low) / 2;
  return std::isfinite(half) ? fmt::format("{}+-{:.2g}", nanoseconds(s.cost_ns.value), half)
                             : nanoseconds(s.cost_ns.value);
}

std::string ratio_text(const barrier_ratio& r) {
  if (r.visits == 0) return "-";
  if (r.visits == 1) return fmt::format("{:.3g}", r.ratio.value);
  return fmt::format("{:.3g} ({:.3g}..{:.3g})", r.ratio.value, r.ratio.low, r.ratio.high);
}

std::string mark(word says) {
  constexpr std::array<const char*, 5> marks{"", "=", ">", "<", "?"};
  return marks.at(static_cast<std::size_t>(says));
}

const barrier_cost* find(const barrier_row& row, const barrier_runtime& runtime) {
  const auto found = row.costs.find(runtime);
  return found == row.costs.end() ? nullptr : &found->second;
}

std::vector<columns::column> titles(const std::vector<std::string>& names,
                                    std::vector<columns::column> first) {
  for (const std::string& name : names) first.push_back({name, right});
  return first;
}

std::string cost_table(const std::vector<barrier_placement>& all,
                       const std::vector<barrier_runtime>& runtimes) {
  std::vector<std::string> names;
  for (const barrier_runtime& runtime : runtimes) names.push_back(name_of(runtime));
  columns table(titles(names, {{"lanes", right}}));
  for (const barrier_placement& placed : all) {
    table.heading(placed.affinities);
    for (const barrier_row& row : placed.curve) {
      std::vector<std::string> cells{fmt::to_string(row.lanes)};
      for (const barrier_runtime& runtime : runtimes) {
        const barrier_cost* const cost = find(row, runtime);
        cells.push_back(cost == nullptr ? "" : cost_text(*cost));
      }
      table.row(std::move(cells));
    }
  }
  return table.text();
}

std::string span_text(double least, double most) {
  const std::string low = fmt::format("{:.3g}", least), high = fmt::format("{:.3g}", most);
  return low == high ? high : fmt::format("{} to {}", low, high);
}

/// Two columns of the table of costs, and how their ratio is called.
struct comparison_of {
  barrier_runtime upper, lower;
  std::string name;
};

// A table of ratios of one kind, and for each a sentence that says at which numbers of lanes it is
// what.
class ratio_report {
 public:
  explicit ratio_report(std::vector<comparison_of> which) : which_(std::move(which)) {}

  [[nodiscard]] std::string text(const std::vector<barrier_placement>& all) const {
    std::vector<std::string> names;
    for (const comparison_of& c : which_) names.push_back(c.name);
    columns table(titles(names, {{"lanes", right}}));
    std::string sentences;
    for (const barrier_placement& placed : all) {
      table.heading(placed.affinities);
      for (const barrier_row& row : placed.curve) {
        std::vector<std::string> cells{fmt::to_string(row.lanes)};
        for (const comparison_of& c : which_) {
          const auto r = ratio_in(row, c);
          cells.push_back(r ? fmt::format("{} {}", ratio_text(*r), mark(r->says())) : "");
        }
        table.row(std::move(cells));
      }
    }
    for (const comparison_of& c : which_) {
      for (const barrier_placement& placed : all) sentences += sentence(placed, c);
    }
    return table.text() + sentences;
  }

 private:
  [[nodiscard]] static std::optional<barrier_ratio> ratio_in(const barrier_row& row,
                                                             const comparison_of& c) {
    const barrier_cost* const upper = find(row, c.upper);
    const barrier_cost* const lower = find(row, c.lower);
    if (upper == nullptr || lower == nullptr) return std::nullopt;
    return ratio_of(*upper, *lower);
  }

  [[nodiscard]] static std::string sentence(const barrier_placement& placed,
                                            const comparison_of& c) {
    constexpr std::array<const char*, 5> words{"not compared", "the same within 5 %", "dearer",
                                               "cheaper", "not resolved"};
    std::array<std::vector<std::string>, 5> lanes;
    std::array<std::pair<double, double>, 5> factors;
    for (const barrier_row& row : placed.curve) {
      const auto r = ratio_in(row, c);
      if (!r) continue;
      const auto at = static_cast<std::size_t>(r->says());
      const double factor = std::max(r->ratio.value, 1 / r->ratio.value);
      auto& [least, most] = factors.at(at);
      least = lanes.at(at).empty() ? factor : std::min(least, factor);
      most = std::max(most, factor);
      lanes.at(at).push_back(fmt::to_string(row.lanes));
    }
    std::vector<std::string> parts;
    for (const word w : {word::cheaper, word::dearer, word::same, word::open, word::unknown}) {
      const auto at = static_cast<std::size_t>(w);
      if (lanes.at(at).empty()) continue;
      const auto& [least, most] = factors.at(at);
      const bool differs = w == word::cheaper || w == word::dearer;
      const std::string by = differs ? fmt::format(" ({} times)", span_text(least, most)) : "";
      parts.push_back(fmt::format("{} at {}{}", words.at(at), join(lanes.at(at), " "), by));
    }
    if (parts.empty()) return {};
    return fmt::format("- {}, {}, by lanes: {}\n", c.name, placed.affinities, join(parts, "; "));
  }

  std::vector<comparison_of> which_;
};

std::string sleeping_text(const std::vector<barrier_placement>& all,
                          const std::vector<barrier_runtime>& runtimes) {
  std::vector<comparison_of> which;
  for (const auto& [backend, wait] : runtimes) {
    const barrier_runtime passive{backend, wait_policy::passive};
    if (wait == wait_policy::active && std::ranges::find(runtimes, passive) != runtimes.end())
      which.push_back({passive, {backend, wait}, backend});
  }
  if (which.empty()) return {};
  return "\nPassive waiting over active, the same barrier: median over visits (95 % interval)\n" +
         ratio_report(std::move(which)).text(all);
}

std::string runtimes_text(const std::vector<barrier_placement>& all,
                          const std::vector<barrier_runtime>& runtimes) {
  std::vector<comparison_of> which;
  for (const barrier_runtime& lower : runtimes) {
    for (const barrier_runtime& upper : runtimes) {
      if (lower.first < upper.first && lower.second == upper.second)
        which.push_back(
            {upper, lower,
             fmt::format("{} : {} {}", upper.first, lower.first, to_text(lower.second))});
    }
  }
  if (which.empty()) return {};
  return "\nOne runtime over another, waiting alike: median over visits (95 % interval)\n" +
         ratio_report(std::move(which)).text(all);
}

const barrier_row* on_time(const std::vector<barrier_row>& rows, unsigned lanes) {
  const auto found = std::ranges::find_if(
      rows, [&](const barrier_row& r) { return r.lanes == lanes && r.late_us == 0; });
  return found == rows.end() ? nullptr : &*found;
}

std::string late_cell(const barrier_cost& cost, const barrier_cost* nobody_late) {
  const std::string text = cost_text(cost);
  if (cost.point->what.late_us == 0 || nobody_late == nullptr) return text;
  const barrier_ratio r = ratio_of(cost, *nobody_late);
  return r.visits == 0 ? text : fmt::format("{} x{:.3g} {}", text, r.ratio.value, mark(r.says()));
}

std::string late_text(const std::vector<barrier_placement>& all,
                      const std::vector<barrier_runtime>& runtimes) {
  std::vector<std::string> names;
  for (const barrier_runtime& runtime : runtimes) names.push_back(name_of(runtime));
  columns table(titles(names, {{"lanes", right}, {"late us", right}}));
  bool any = false;
  for (const barrier_placement& placed : all) {
    if (!placed.late.empty()) table.heading(placed.affinities);
    for (const barrier_row& row : placed.late) {
      any = true;
      const barrier_row* const none = on_time(placed.late, row.lanes);
      std::vector<std::string> cells{fmt::to_string(row.lanes), fmt::to_string(row.late_us)};
      for (const barrier_runtime& runtime : runtimes) {
        const barrier_cost* const cost = find(row, runtime);
        cells.push_back(cost == nullptr
                            ? ""
                            : late_cell(*cost, none == nullptr ? nullptr : find(*none, runtime)));
      }
      table.row(std::move(cells));
    }
  }
  if (!any) return {};
  return "\nA late arriver: ns beyond its lateness, from its arrival until the lane that is late "
         "next has left; it is another lane each time\n" +
         table.text() + "  x: over nobody late\n";
}

std::string library_of(const results_file& file, const std::string& backend) {
  for (const nlohmann::json& worker : file.workers) {
    const auto runtime = worker.value("runtime", nlohmann::json::object());
    if (!runtime.contains(backend)) continue;
    const std::string compiler =
        worker.value("build", nlohmann::json::object()).value("compiler", "unknown");
    return fmt::format("{}, {}", compiler, runtime.at(backend).value("library", "unknown library"));
  }
  return {};
}

std::string about_runtimes(const results_file& file, const std::vector<barrier_runtime>& runtimes) {
  std::set<std::string> backends;
  for (const barrier_runtime& runtime : runtimes) backends.insert(runtime.first);
  std::string text;
  for (const std::string& backend : backends) {
    const std::string library = library_of(file, backend);
    if (!library.empty()) text += fmt::format("- {}: {}\n", backend, library);
  }
  if (backends.contains("std"))
    text += "- std: std::barrier waits in its one way, whatever the wait policy: active and "
            "passive are a control there\n";
  if (!backends.contains("omp-llvm"))
    text += "- a second OpenMP runtime was not measured; `syncmeter list` says whether omp-llvm is "
            "here, and what it needs\n";
  return text;
}

std::string study_of(const results_file& file) {
  const auto options = file.campaign.find("options");
  return options == file.campaign.end() ? "" : options->value("study", "");
}

bool several_lanes(const std::vector<barrier_placement>& all) {
  return std::ranges::any_of(all, [](const barrier_placement& placed) {
    return std::ranges::any_of(placed.curve, [](const barrier_row& r) { return r.lanes > 1; }) ||
           !placed.late.empty();
  });
}

}  // namespace

std::string barrier_text(const results_file& file, const std::vector<point_summary>& points) {
  if (study_of(file) != "barrier") return {};
  const std::vector<barrier_placement> all = barriers_of(file, points);
  const std::vector<barrier_runtime> runtimes = runtimes_of(all);
  std::string text = "\nBarriers: ns by number of lanes, runtime and way of waiting\n";
  if (runtimes.empty()) return text + "- cannot tell: no barrier was measured\n";
  text += cost_table(all, runtimes);
  if (!several_lanes(all))
    return text + "- cannot tell what waiting costs: one lane waits for nobody, and a machine with "
                  "one processing unit has no more; --oversubscribe --lanes 2 measures two on it\n";
  text += sleeping_text(all, runtimes) + late_text(all, runtimes) + runtimes_text(all, runtimes);
  text += fmt::format("  = the same within {:.0f} %, > more, < less, ? neither\n",
                      100 * same_barrier_within);
  text += about_runtimes(file, runtimes);
  return text + fmt::format("- left out by the study: {}\n", find_study("barrier")->left_out);
}

}  // namespace syncmeter
