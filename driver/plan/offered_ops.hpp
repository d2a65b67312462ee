// The ops that the workers found here offer for these options, each with every row that its worker
// listed for it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/plan/plan.hpp"
#include "driver/plan/study.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {

/// One op of one backend. The rows belong to the worker_info they came from.
struct offered_op {
  std::string backend, name;
  std::vector<const capability*> rows;

  /// The values that the rows name on each axis, as listed; a default comes first.
  [[nodiscard]] std::vector<value_type> types() const;
  [[nodiscard]] std::vector<order> orders() const;
  [[nodiscard]] std::vector<placement> placements() const;
  /// The row that covers a point's type and form; null when there is none.
  [[nodiscard]] const capability* row(const point& p) const;
};

/// The entry of a worker that covers a point's op, type and form; null when there is none.
[[nodiscard]] const capability* entry_of(const point& p, const worker_info& worker);

/// The types of the user, else of the study, for an op; one without a value for an op without
/// types.
[[nodiscard]] std::vector<std::optional<value_type>>
wanted_types(const offered_op& op, const run_options& options, type_set of_study);
[[nodiscard]] std::vector<placement> wanted_placements(const offered_op& op,
                                                       const run_options& options,
                                                       const std::vector<placement>& of_study);
/// Of an op that hands a token on: a home is that of the token's mailboxes. On a GPU of an op that
/// a host thread launches, where that thread runs, near to the GPU (first) or far from it (other),
/// and of ops for which the study names homes, where what they share lies. {none} for every other.
[[nodiscard]] std::vector<home> wanted_homes(const offered_op& op, const run_options& options,
                                             const std::vector<home>& of_study, bool on_gpu);
/// Of an op with a size: the user's, else the study's, else those that its loops are built for; {0}
/// for every other.
[[nodiscard]] std::vector<unsigned> wanted_sizes(const offered_op& op, const run_options& options,
                                                 const std::vector<unsigned>& of_study);
/// Why an op has no row for a point, in words.
[[nodiscard]] std::string why_not_offered(const offered_op& op, const point& p);

/// The spellings of an axis' values, as a list for a message.
template <class Enum> [[nodiscard]] std::string texts(const std::vector<Enum>& values) {
  std::vector<std::string> all;
  for (const Enum value : values) all.emplace_back(to_text(value));
  return join(all);
}

/// All ops of the backends chosen. Throws usage_error when a backend that is asked for, or every
/// one, cannot be used; when an op of the options is none of theirs; and when a type is.
[[nodiscard]] std::vector<offered_op> offered_ops(const run_options& options,
                                                  const std::vector<worker_info>& workers);

/// Whether an op of a portable backend can be measured natively too, on a CPU.
[[nodiscard]] bool has_native(const std::vector<offered_op>& ops, const offered_op& op,
                              const std::vector<worker_info>& workers);

// A point at every combination of values on some of its axes.

/// The values to take on one axis.
template <class T> struct along {
  T point::* axis;
  std::vector<T> values;
};
template <class T> along(T point::*, std::vector<T>) -> along<T>;

/// Calls `add` with the point at each combination; the last axis changes fastest.
template <class Add> void for_each_combination(const point& p, const Add& add) { add(p); }
template <class Add, class T, class... Rest>
void for_each_combination(point p, const Add& add, const along<T>& first, const Rest&... rest) {
  for (const T value : first.values) {
    p.*first.axis = value;
    for_each_combination(p, add, rest...);
  }
}

/// The same along axes that are counted out at run time.
template <class Add>
void for_each_combination(point p, const Add& add, std::span<const along<unsigned>> axes) {
  if (axes.empty()) return add(p);
  for (const unsigned value : axes.front().values) {
    p.*axes.front().axis = value;
    for_each_combination(p, add, axes.subspan(1));
  }
}

/// The values of point::repeat: 0 where a point is measured once, else 1 to n.
[[nodiscard]] inline std::vector<unsigned> repeats_of(unsigned n) {
  if (n == 0) return {0};
  std::vector<unsigned> repeats;
  for (unsigned repeat = 1; repeat <= n; ++repeat) repeats.push_back(repeat);
  return repeats;
}

}  // namespace syncmeter
