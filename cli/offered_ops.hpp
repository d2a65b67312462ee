// The ops that the workers found here offer for these options, each with every row that its worker
// listed for it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/plan.hpp"

namespace syncmeter {

template <class T> [[nodiscard]] bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

template <class T> void add_once(std::vector<T>& values, const T& value) {
  if (!contains(values, value)) values.push_back(value);
}

/// One op of one backend. The rows belong to the worker_info they came from.
struct offered_op {
  std::string backend, name;
  std::vector<const capability*> rows;

  /// The values that the rows name on each axis, as listed; a default comes first.
  [[nodiscard]] std::vector<value_type> types() const;
  [[nodiscard]] std::vector<order> orders() const;
  [[nodiscard]] std::vector<placement> placements() const;
  /// The row that covers a point's type, order and placement; null when there is none.
  [[nodiscard]] const capability* row(const point& p) const;
};

/// All ops of the backends chosen. Throws usage_error when a backend that is asked for, or every
/// one, cannot be used; when an op of the options is none of theirs; and when a type is.
[[nodiscard]] std::vector<offered_op> offered_ops(const run_options& options,
                                                  const std::vector<worker_info>& workers);

}  // namespace syncmeter
