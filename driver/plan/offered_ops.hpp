// The ops that the workers found here offer for these options, with all rows from each worker.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/plan/plan.hpp"
#include "driver/plan/study.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {

/// One op of one backend. The rows belong to their worker_info.
struct offered_op {
  std::string backend, name;
  std::vector<const capability*> rows;

  /// Returns the rows' values on each axis, in listed order. A default comes first.
  [[nodiscard]] std::vector<value_type> types() const;
  [[nodiscard]] std::vector<order> orders() const;
  [[nodiscard]] std::vector<placement> placements() const;
  /// Returns the row that covers a point's type and form, or nullptr.
  [[nodiscard]] const capability* row(const point& p) const;
};

/// Returns the worker's entry that covers a point's op, type and form, or nullptr.
[[nodiscard]] const capability* entry_of(const point& p, const worker_info& worker);

/// Returns the user's types for an op, else the study's. Returns one empty value for an op without
/// types.
[[nodiscard]] std::vector<std::optional<value_type>>
wanted_types(const offered_op& op, const run_options& options, type_set of_study);
[[nodiscard]] std::vector<placement> wanted_placements(const offered_op& op,
                                                       const run_options& options,
                                                       const std::vector<placement>& of_study);
/// Returns the homes of an op. For a token handoff, a home is the place of the mailboxes. If a host
/// thread launches a GPU op, the thread is near the GPU (first) or far away (other). If the study
/// names homes for another op, a home is the place of the shared data. Returns {none} for every
/// other op.
[[nodiscard]] std::vector<home> wanted_homes(const offered_op& op, const run_options& options,
                                             const std::vector<home>& of_study, bool on_gpu);
/// Returns the sizes for an op with a size: the user's, else the study's, else the sizes with built
/// loops. Returns {0} for every other op.
[[nodiscard]] std::vector<unsigned> wanted_sizes(const offered_op& op, const run_options& options,
                                                 const std::vector<unsigned>& of_study);
/// Returns why an op has no row for a point, in words.
[[nodiscard]] std::string why_not_offered(const offered_op& op, const point& p);

/// Returns the spellings of an axis' values, as a list for a message.
template <class Enum> [[nodiscard]] std::string texts(const std::vector<Enum>& values) {
  std::vector<std::string> all;
  for (const Enum value : values) all.emplace_back(to_text(value));
  return join(all);
}

/// Returns all ops of the chosen backends. Throws usage_error if a named backend or all backends
/// cannot be used, and for an op or type in the options that no backend has.
[[nodiscard]] std::vector<offered_op> offered_ops(const run_options& options,
                                                  const std::vector<worker_info>& workers);

/// Returns whether a native backend on a CPU can measure an op of a portable backend, too.
[[nodiscard]] bool has_native(const std::vector<offered_op>& ops, const offered_op& op,
                              const std::vector<worker_info>& workers);

// Builds a point at every combination of values on some axes.

/// The values to use on one axis.
template <class T> struct along {
  T point::* axis;
  std::vector<T> values;
};
template <class T> along(T point::*, std::vector<T>) -> along<T>;

/// Calls `add` with the point at each combination. The last axis changes fastest.
template <class Add> void for_each_combination(const point& p, const Add& add) { add(p); }
template <class Add, class T, class... Rest>
void for_each_combination(point p, const Add& add, const along<T>& first, const Rest&... rest) {
  for (const T value : first.values) {
    p.*first.axis = value;
    for_each_combination(p, add, rest...);
  }
}

/// Does the same along axes that are counted at run time.
template <class Add>
void for_each_combination(point p, const Add& add, std::span<const along<unsigned>> axes) {
  if (axes.empty()) return add(p);
  for (const unsigned value : axes.front().values) {
    p.*axes.front().axis = value;
    for_each_combination(p, add, axes.subspan(1));
  }
}

/// Returns the values for point::repeat: 0 for a single measurement, else 1 to n.
[[nodiscard]] inline std::vector<unsigned> repeats_of(unsigned n) {
  if (n == 0) return {0};
  std::vector<unsigned> repeats;
  for (unsigned repeat = 1; repeat <= n; ++repeat) repeats.push_back(repeat);
  return repeats;
}

}  // namespace syncmeter
