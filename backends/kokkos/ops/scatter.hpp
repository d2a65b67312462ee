// Contributions of all lanes to one sum, to be laid beside atomic_add. test - baseline == one more
// access and contribution; what gathers the copies in the end is not part of it.
#pragma once

#include "backends/kokkos/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::kokkos::ops {

// The sum is no cell of the lanes: a hook checks it (kokkos_backend.hpp).
consteval op_info scatter_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::reduction,
          .typed = true,
          .places = places::shared,
          .note = note};
}

struct scatter_add {
  static constexpr op_info info = scatter_info(
      "scatter_add",
      "x += 1 by a ScatterView with the space's default strategy; without contribute()");
  static constexpr bool scatters_atomically = false;
  SM_FN static void common(has_scatter_add auto& lane) { lane.scatter_add(lane.one()); }
  SM_FN static void measured(has_scatter_add auto& lane) { lane.scatter_add(lane.one()); }
};

struct scatter_add_atomic {
  static constexpr op_info info =
      scatter_info("scatter_add_atomic", "x += 1 by a ScatterView that adds atomically");
  static constexpr bool scatters_atomically = true;
  SM_FN static void common(has_scatter_add_atomic auto& lane) {
    lane.scatter_add_atomic(lane.one());
  }
  SM_FN static void measured(has_scatter_add_atomic auto& lane) { common(lane); }
};

}  // namespace syncmeter::kokkos::ops
