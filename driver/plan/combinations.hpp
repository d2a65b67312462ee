// A point at every combination of values on some of its axes.
#pragma once

#include <span>
#include <vector>

#include "core/point.hpp"

namespace syncmeter {

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
