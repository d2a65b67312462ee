// What a reader sees: the table of points with their estimates (also as CSV) and how its figures
// are written, the notes below it, and the points of a plan before it is measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/harness/stats.hpp"
#include "driver/plan/plan.hpp"
#include "driver/results/estimate.hpp"
#include "driver/results/results.hpp"
#include "driver/text/columns.hpp"

namespace syncmeter {

/// Whether the cost is a number to show: an estimate exists, its interval is above 0, and no status
/// stands against it.
[[nodiscard]] bool has_cost(const point_summary& s);
/// Whether an estimate exists of which at least an upper bound can be shown.
[[nodiscard]] bool has_upper_bound(const point_summary& s);

/// Whether that cost is counted in cycles too.
[[nodiscard]] bool has_cycles(const point_summary& s);

/// ns with four significant digits, fewer below 1: "0.1043", "2.318", "45700", "2.3e-05".
[[nodiscard]] std::string nanoseconds(double ns);
/// The same with a unit where that is shorter: "45.7 us", "4.50 ms".
[[nodiscard]] std::string duration(double ns);
/// How far an interval reaches from its value, in % of that: "3.1 %"; "unknown" without bounds.
[[nodiscard]] std::string reach(const interval& cost);
/// An upper bound in ns, rounded up, so that it stays one and is never a bare zero.
[[nodiscard]] std::string upper_bound_ns(double ns);
/// "431 M", "22.1 k", "3.2".
[[nodiscard]] std::string engineering(double value);

/// Ops per second of one lane, and of all lanes together; nothing where the cost is marginal (a
/// fence between accesses) or not known.
struct rates {
  double per_lane = 0, total = 0;
};
[[nodiscard]] std::optional<rates> rates_of(const point_summary& s);

/// One row per measured point, grouped by family: by backend, family and op as the ops are listed,
/// then by every axis. A point that another's measurement stands for has
/// a row of its own where its op, type or order is another; affinities of one placement share a
/// row; `by_cost`: the lowest cost first, without groups. Refused points stand in the notes, and of
/// many pairs of PUs only the first have rows.
[[nodiscard]] std::string point_table(const std::vector<point_summary>& points,
                                      page_style style = {}, bool by_cost = false);

/// What a reader must know of the figures, failures first: one sentence each. The first `urgent` of
/// them change what the figures say.
struct summary_notes_of {
  std::vector<std::string> all;
  std::size_t urgent = 0;
};
[[nodiscard]] summary_notes_of summary_notes(const results_file& file,
                                             const std::vector<point_summary>& points);

/// The notes as text. Without `verbose` those alone without which the
/// figures would be misread (failures, an incomplete campaign, where the lanes were), and how many
/// more there are.
[[nodiscard]] std::string notes_text(const results_file& file,
                                     const std::vector<point_summary>& points, bool verbose,
                                     page_style style = {});

/// The points of a plan, where their lanes sit, what each stands for, and the estimated time.
/// With `machine`: also what each named pair of PUs shares, and what lanes have in common.
[[nodiscard]] std::string plan_text(const campaign_plan& plan, const topology* machine = nullptr);

/// "shared", on a GPU "one cell, known" (to the compiler) or "one cell, by data", "strided 64 B",
/// "strided 64 B from 32 B" (the base offset), "strided 64 B, 2 cells"; empty without cells.
[[nodiscard]] std::string placement_text(const point& p);

/// "int32"; empty for an op without types.
[[nodiscard]] std::string type_text(const point& p);

/// Returns the status as users read it. Results files have to_text(status).
[[nodiscard]] std::string_view status_words(status what);

/// An op and its axes in a few words, for a note: "atomic_add int32 relaxed strided 64 B, 2
/// threads".
[[nodiscard]] std::string short_name(const point& p);

/// One row: the point, the affinities that it stands for, and what was measured in its place where
/// that is another op, type or order.
struct table_row {
  const point_summary* shown;
  std::string affinities, stands_in;
  std::string words{};  ///< of the axes that its section tells apart
};

/// By backend, family and op as the ops are listed, then by every axis. A point that another's
/// measurement stands for has a row of its own where its op, type or order is another.
[[nodiscard]] std::vector<table_row> rows_of(const std::vector<point_summary>& points);
/// Leaves of points that differ in their pair of PUs alone the first so many: 8 PUs, both ways
/// round. What the others are together is a matrix, which the report has. How many were left out.
std::size_t keep_some_pairs(std::vector<table_row>& rows);
/// The other placements that three visits met: one row each, quiet where it was met quiet as well.
[[nodiscard]] std::vector<const point_summary*> other_placements(const point_summary& s);

[[nodiscard]] std::string cost_text(const point_summary& s);
[[nodiscard]] std::string interval_text(const interval& cost_ns);
[[nodiscard]] std::string remarks(const table_row& row);

/// RFC 4180 with a header; every column of a quantity names its unit. A cost that was not resolved
/// has its upper bound only, one below 0 nothing but the times of both sides. A text has no control
/// characters and, where a spreadsheet would take it for a formula, an apostrophe before it.
[[nodiscard]] std::string to_csv(const std::vector<point_summary>& points);

/// The same rows as a JSON array of objects: cells without a value are left out, numbers and truths
/// are such.
[[nodiscard]] std::string to_json_text(const std::vector<point_summary>& points);

}  // namespace syncmeter
