// Collectives of a team: all its members wait for each other and for a value. test - baseline ==
// one more. Each has another value than the one before, or an old result would pass for a new one.
#pragma once

#include "backends/kokkos/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::kokkos::ops {

consteval op_info team_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::group,
          .oracle = oracle::agreed,
          .communicates = true,
          .note = note};
}

struct team_broadcast {
  static constexpr op_info info =
      team_info("team_broadcast", "team_broadcast of 32 bits from rank 0 to one team of all lanes");
  SM_FN static void common(has_team_words auto& lane) { lane.team_broadcast(); }
  SM_FN static void measured(has_team_words auto& lane) { lane.team_broadcast(); }
};

struct team_reduce {
  static constexpr op_info info =
      team_info("team_reduce", "team_reduce, a sum of 32 bits over one team of all lanes");
  SM_FN static void common(has_team_words auto& lane) { lane.team_reduce(); }
  SM_FN static void measured(has_team_words auto& lane) { lane.team_reduce(); }
};

}  // namespace syncmeter::kokkos::ops
