// The tables of false sharing, and what follows from them in sentences.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/columns.hpp"
#include "cli/false_sharing.hpp"
#include "cli/parse_axes.hpp"
#include "cli/studies.hpp"
#include "core/environment.hpp"

namespace syncmeter {
namespace {

using enum columns::align;
using rows_of_affinity = std::vector<const sharing_row*>;

std::string types_text(const std::vector<value_type>& types) {
  std::vector<std::string> names;
  for (const value_type type : types) names.emplace_back(to_text(type));
  return join(names, " ");
}

std::string interval_text(const cost_ratio& r) {
  return r.visits > 1 ? fmt::format("{:.3f}..{:.3f}", r.ratio.low, r.ratio.high) : "";
}

std::string mark(const cost_ratio& r) {
  if (r.visits == 0) return "-";
  static const std::map<comparison, const char*> marks{{comparison::same, " ="},
                                                       {comparison::dearer, " >"},
                                                       {comparison::cheaper, " <"},
                                                       {comparison::open, " ?"}};
  return fmt::format("{:.2f}{}", r.ratio.value, marks.at(r.says()));
}

std::string size_text(const sharing_row& row) {
  if (!row.size.bytes) return "cannot tell";
  if (*row.size.bytes == row.strides.front()) return "none";
  return fmt::format("{} B", *row.size.bytes);
}

std::string stride_table(const std::vector<sharing_row>& rows) {
  std::set<unsigned> strides;
  for (const sharing_row& row : rows) strides.insert(row.strides.begin(), row.strides.end());
  std::vector<columns::column> titles{{"backend", left}, {"op", left},       {"types", left},
                                      {"lanes", right},  {"affinity", left}, {"from", right},
                                      {"state", right}};
  for (const unsigned stride : strides) titles.push_back({fmt::format("{} B", stride), right});
  titles.push_back({"size", right});
  titles.push_back({"64 B : 128 B", right});
  columns table(std::move(titles));
  for (const sharing_row& row : rows) {
    std::vector<std::string> cells{row.what.backend,
                                   row.what.op,
                                   types_text(row.types),
                                   fmt::to_string(row.what.lanes),
                                   row.affinities,
                                   fmt::format("{} B", row.what.base_offset),
                                   row.state ? fmt::to_string(*row.state) : ""};
    for (const unsigned stride : strides) {
      const auto at = std::find(row.strides.begin(), row.strides.end(), stride);
      cells.push_back(
          at == row.strides.end()
              ? ""
              : mark(row.over_apart[static_cast<std::size_t>(at - row.strides.begin())]));
    }
    cells.push_back(size_text(row));
    cells.push_back(mark(row.next_line));
    table.row(std::move(cells));
  }
  return table.text();
}

// From the start of a line only: that is where one element apart means one line.
std::string price_table(const std::vector<sharing_row>& rows) {
  columns table({{"backend", left},
                 {"op", left},
                 {"type", left},
                 {"lanes", right},
                 {"affinity", left},
                 {"state", right},
                 {"ratio", right},
                 {"95 % interval", right},
                 {"visits", right},
                 {"", left}});
  bool any = false;
  for (const sharing_row& row : rows) {
    if (row.what.base_offset != 0) continue;
    for (const auto& [type, r] : row.one_element) {
      any = true;
      table.row({row.what.backend, row.what.op, std::string(to_text(type)),
                 fmt::to_string(row.what.lanes), row.affinities,
                 row.state ? fmt::to_string(*row.state) : "",
                 r.visits > 0 ? fmt::format("{:.3f}", r.ratio.value) : "", interval_text(r),
                 fmt::to_string(r.visits), r.reason});
    }
  }
  if (!any) return {};
  return fmt::format("\nOne element apart over cells {} B apart: what it costs not to pad\n{}",
                     apart_bytes, table.text());
}

std::string where(const sharing_row& row) {
  return fmt::format("{}, {} lanes, from {} B", row.what.op, row.what.lanes, row.what.base_offset);
}

// The two strides between which the cost falls, of the first row that has the size.
std::string evidence(const rows_of_affinity& rows, unsigned bytes) {
  for (const sharing_row* row : rows) {
    if (row->size.bytes != bytes || row->strides.front() == bytes) continue;
    const auto at = std::find(row->strides.begin(), row->strides.end(), bytes);
    const auto i = static_cast<std::size_t>(at - row->strides.begin());
    std::string text;
    for (const std::size_t k : {i - 1, i}) {
      const cost_ratio& r = row->over_apart[k];
      text +=
          fmt::format("at {} B {:.3f} ({}), ", row->strides[k], r.ratio.value, interval_text(r));
    }
    return text + where(*row);
  }
  return {};
}

std::string size_sentence(const rows_of_affinity& rows) {
  const interference_size size = size_of_all(rows);
  const auto told = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const auto* r) { return r->size.bytes.has_value(); }));
  const std::string more =
      size.dearer_at > 0 ? fmt::format("more than {} B, but ", size.dearer_at) : "";
  if (!size.bytes) return fmt::format("{}cannot tell: {}", more, size.reason);
  std::string by = fmt::format("by {} of {} rows", told, rows.size());
  if (told < rows.size()) by += "; of the others one cannot tell: " + size.reason;
  const bool none = std::all_of(rows.begin(), rows.end(), [&](const auto* r) {
    return !r->size.bytes || *r->size.bytes == r->strides.front();
  });
  if (none) return fmt::format("none: one element apart costs the same as cells apart ({})", by);
  return fmt::format("{} B: {} ({})", *size.bytes, evidence(rows, *size.bytes), by);
}

// Pairs of lines begin where the page does, so that only arrays from the start of a line count.
std::string next_line_sentence(const rows_of_affinity& rows) {
  std::size_t same = 0, asked = 0;
  std::string differ, open;
  for (const sharing_row* row : rows) {
    if (row->what.base_offset != 0) continue;
    ++asked;
    const cost_ratio& r = row->next_line;
    const comparison says = r.says();
    same += says == comparison::same ? 1U : 0U;
    const std::string text = r.visits > 1 ? fmt::format("{:.3f} ({}) at {}", r.ratio.value,
                                                        interval_text(r), where(*row))
                                          : fmt::format("{} at {}", r.reason, where(*row));
    if (differ.empty() && says == comparison::dearer)
      differ = text + "; adjacent lines are fetched in pairs";
    if (differ.empty() && says == comparison::cheaper)
      differ = text + "; 128 B cost more, which pairs of lines do not explain";
    if (open.empty() && says == comparison::open) open = text;
  }
  if (!differ.empty()) return "differ: " + differ;
  if (same > 0)
    return fmt::format("the same within {:.0f} % in {} of {} rows", 100 * same_within, same, asked);
  return fmt::format("cannot tell: {}", open.empty() ? "no such rows" : open);
}

// All rows of the op that was measured at most strides, for each placement.
std::map<std::string, rows_of_affinity> deciding_rows(const std::vector<sharing_row>& rows) {
  std::size_t most = 0;
  for (const sharing_row& row : rows) most = std::max(most, row.strides.size());
  std::map<std::string, rows_of_affinity> by_affinity;
  for (const sharing_row& row : rows) {
    if (row.strides.size() == most) by_affinity[row.affinities].push_back(&row);
  }
  return by_affinity;
}

std::string study_of(const results_file& file) {
  const auto options = file.campaign.find("options");
  return options == file.campaign.end() ? "" : options->value("study", "");
}

std::string left_out_text(const std::string& name) {
  const study* found = find_study(name);
  if (found == nullptr || found->left_out.empty()) return {};
  return fmt::format("- left out by the study: {}\n", found->left_out);
}

}  // namespace

std::string false_sharing_text(const results_file& file, const std::vector<point_summary>& points) {
  const std::string study_name = study_of(file);
  const std::vector<sharing_row> rows = false_sharing_of(file, points);
  const bool asked_for = study_name == "false-sharing";
  const bool any_control = std::any_of(rows.begin(), rows.end(), [](const sharing_row& r) {
    return r.has_control && !r.strides.empty();
  });
  if (!asked_for && !any_control) return {};
  std::string text = fmt::format(
      "\nFalse sharing: cost at each stride over that of cells {} B apart, of the same visits, in "
      "one placement state\n",
      apart_bytes);
  if (rows.empty()) {
    text += "\nDestructive interference size of this machine\n- cannot tell: no two lanes were "
            "measured, and false sharing takes two; a machine with one processing unit has none\n";
  } else {
    text += stride_table(rows);
    text += fmt::format("  types pooled; = the same within {:.0f} %, > more, < less, ? neither\n",
                        100 * same_within);
    text += price_table(rows);
    text += "\nDestructive interference size of this machine\n";
    for (const auto& [affinities, deciding] : deciding_rows(rows)) {
      text += fmt::format("- {}: {}\n", affinities, size_sentence(deciding));
      text += fmt::format("  64 B against 128 B: {}\n", next_line_sentence(deciding));
    }
  }
  const auto machine = file.campaign.find("machine");
  if (machine != file.campaign.end())
    text += fmt::format("- said by others: {}\n", line_sizes_text(*machine));
  return text + left_out_text(study_name);
}

}  // namespace syncmeter
