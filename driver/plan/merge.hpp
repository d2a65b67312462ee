// Which points would measure the same thing: they are measured once, and say so.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// A point about to be planned, with what its worker said of its op.
struct candidate {
  planned_point planned;
  const capability* row = nullptr;
};

/// Keeps the first of every set of points with the same measurement and names the others in its
/// `same_as`. The same means: one backend, one wait policy, and either equal machine code of both
/// loops on equal cells, lanes and PUs (in order), or, for an op without a type or without a code
/// hash, all axes equal but an affinity that chose the same PUs. Lanes that are not bound may run
/// anywhere, so points with affinity none are never the same.
[[nodiscard]] std::vector<planned_point> merge_equal(std::vector<candidate> candidates);

}  // namespace syncmeter
