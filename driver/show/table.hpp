// The text for a reader: the table of points with their estimates (also as CSV), the format of
// figures, the notes below, and the points of a plan before its measurement.
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

/// Returns whether the cost is a number to show: an estimate exists, its interval is above 0, and
/// no status contradicts.
[[nodiscard]] bool has_cost(const point_summary& s);
/// Returns whether at least an upper bound of an estimate can be shown.
[[nodiscard]] bool has_upper_bound(const point_summary& s);

/// Returns whether the cost is counted in cycles too.
[[nodiscard]] bool has_cycles(const point_summary& s);

/// Returns ns with four significant digits, fewer below 1: "0.1043", "2.318", "45700", "2.3e-05".
[[nodiscard]] std::string nanoseconds(double ns);
/// Returns the same with a unit if shorter: "45.7 us", "4.50 ms".
[[nodiscard]] std::string duration(double ns);
/// Returns how far an interval reaches from its value, in % of the value: "3.1 %". Returns
/// "unknown" without bounds.
[[nodiscard]] std::string reach(const interval& cost);
/// Returns an upper bound in ns, rounded up: it stays a bound and is never a bare zero.
[[nodiscard]] std::string upper_bound_ns(double ns);
/// Returns "431 M", "22.1 k", "3.2".
[[nodiscard]] std::string engineering(double value);

/// Ops per second for one lane, and for all lanes together. There are no rates for a marginal cost
/// (a fence between accesses) or an unknown cost.
struct rates {
  double per_lane = 0, total = 0;
};
[[nodiscard]] std::optional<rates> rates_of(const point_summary& s);

/// Returns one row per measured point, grouped by family: by backend, family and op in listed
/// order, then by every axis. A point measured by another point has its own row if its op, type or
/// order differs. Affinities with the same placement share a row. `by_cost` puts the lowest cost
/// first, without groups. Refused points are in the notes, and only the first of many PU pairs have
/// rows.
[[nodiscard]] std::string point_table(const std::vector<point_summary>& points,
                                      page_style style = {}, bool by_cost = false);

/// Sentences that a reader must know about the figures, failures first. The first `urgent`
/// sentences change the meaning of the figures.
struct summary_notes_of {
  std::vector<std::string> all;
  std::size_t urgent = 0;
};
[[nodiscard]] summary_notes_of summary_notes(const results_file& file,
                                             const std::vector<point_summary>& points);

/// Returns the notes as text. Without `verbose`, returns only notes that prevent misreading the
/// figures (failures, an incomplete campaign, where the lanes were), and the number of other notes.
[[nodiscard]] std::string notes_text(const results_file& file,
                                     const std::vector<point_summary>& points, bool verbose,
                                     page_style style = {});

/// Returns the points of a plan, where their lanes sit, the points represented, and the estimated
/// time. With `machine`, also describes what each named PU pair and the lanes share.
[[nodiscard]] std::string plan_text(const campaign_plan& plan, const topology* machine = nullptr);

/// Returns "shared", on a GPU "one cell, known" (to the compiler) or "one cell, by data", "strided
/// 64 B", "strided 64 B from 32 B" (the base offset), "strided 64 B, 2 cells"; empty without cells.
[[nodiscard]] std::string placement_text(const point& p);

/// Returns "int32", or an empty string for an op without types.
[[nodiscard]] std::string type_text(const point& p);

/// Returns the status as users read it. Results files have to_text(status).
[[nodiscard]] std::string_view status_words(status what);

/// Returns an op and its axes in a few words, for a note: "atomic_add int32 relaxed strided 64 B, 2
/// threads".
[[nodiscard]] std::string short_name(const point& p);

/// A row: the point, its affinities, and the point measured instead if the op, type or order
/// differs.
struct table_row {
  const point_summary* shown;
  std::string affinities, stands_in;
  std::string words{};  ///< for the axes that vary in its section
};

/// Returns rows by backend, family and op in listed order, then by every axis. A point measured by
/// another point has its own row if its op, type or order differs.
[[nodiscard]] std::vector<table_row> rows_of(const std::vector<point_summary>& points);
/// Keeps only the first points among points that differ only in their PU pair: pairs of 8 PUs, both
/// ways round. The report shows all pairs as a matrix. Returns how many were left out.
std::size_t keep_some_pairs(std::vector<table_row>& rows);
/// Returns the other placements in three visits or more: one state each, quiet if possible.
[[nodiscard]] std::vector<const point_summary*> other_placements(const point_summary& s);

[[nodiscard]] std::string cost_text(const point_summary& s);
[[nodiscard]] std::string interval_text(const interval& cost_ns);
[[nodiscard]] std::string remarks(const table_row& row);

/// Returns RFC 4180 with a header. Every column of a quantity names its unit. An unresolved cost
/// has only its upper bound, and a cost below 0 only the times of both sides. A text has no control
/// characters and, if a spreadsheet would read it as a formula, a leading apostrophe.
[[nodiscard]] std::string to_csv(const std::vector<point_summary>& points);

/// Returns the same rows as a JSON array of objects. Cells without a value are left out. Numbers
/// and booleans are JSON numbers and booleans.
[[nodiscard]] std::string to_json_text(const std::vector<point_summary>& points);

}  // namespace syncmeter
