// What a primitive of one's own is written with (docs/how-to/add-a-primitive.md); installed as
// <syncmeter/primitive.hpp>.
#pragma once

#include "core/cell_object.hpp"
#include "core/measurable.hpp"
#include "core/ops/critical.hpp"

namespace syncmeter {

/// x += 1 under a lock that is the op's object, one for each cell. A cell that lost an update fails
/// its visit.
consteval op_info locked_add_info(std::string_view name,
                                  std::string_view note = "x += 1 under a lock of one's own") {
  return ops::lock_info(name, note);
}

/// A barrier that is the op's object: one for the team, on a GPU one for each block. A litmus test
/// fails the first visit where a lane came through early.
consteval op_info barrier_info(std::string_view name, std::string_view note = {}) {
  return {.name = name,
          .family = family::barrier,
          .litmus = litmus::barrier,
          .unroll = 4,
          .communicates = true,
          .note = note};
}

/// Two ops that only make sense together (push and pop, post and wait), on a structure that is the
/// op's object, one for each cell: `common` holds both, and the cost is the mean of the two.
consteval op_info pair_info(std::string_view name, std::string_view note = {}) {
  return {.name = name,
          .family = family::structure,
          .typed = true,
          .places = places::shared_and_strided,
          .unroll = 1,
          .ops_per_step = 2,
          .note = note};
}

/// The same op, which the census holds to what it says that one op compiles to, on the machine that
/// it is built for: "lock_xadd 1", or another declaration of the census.
consteval op_info promising(std::string_view compiles_to, op_info info) {
  info.compiles_to = compiles_to;
  return info;
}

}  // namespace syncmeter
