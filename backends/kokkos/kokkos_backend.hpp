// The Kokkos backend of one execution space on the host: its lane, why it lacks what it lacks, and
// its table.
#pragma once

#include <string_view>
#include <vector>

#include "backends/kokkos/kokkos_lane.hpp"
#include "core/host_sampler.hpp"
#include "core/measurable.hpp"

namespace syncmeter::kokkos {

/// Why Kokkos lacks a word, in any space.
[[nodiscard]] consteval std::string_view why_without(const op_info& info) {
  if (!has_atomics && info.name != "critical_named_add" && info.name != "lock_add")
    return "this Kokkos was built without atomics (Kokkos_ENABLE_ATOMICS_BYPASS)";
  if (info.family == family::atomic)
    return "Kokkos' atomics take no memory order: they are relaxed";
  if (info.family == family::fence)
    return "Kokkos has memory_fence, load_fence and store_fence: unordered, acquire and release "
           "here";
  if (info.name == "critical_named_add") return "Kokkos has no named critical section";
  if (info.name == "lock_add") return "Kokkos has no lock object";
  return "Kokkos has nothing for it";
}

template <class Space> struct backend : host_backend {
  // On a CPU the compiler cannot tell a shared cell from one of its own: one lane for both
  // placements.
  template <class T, form F> using lane = kokkos::lane<Space, T, F.order>;

  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    return why_without(info);
  }
};

/// The table of one space, by type (void for the ops without one): each is a translation unit of
/// its own (kokkos_table.cpp).
template <class Space, class T> [[nodiscard]] std::vector<measurable> rows();

}  // namespace syncmeter::kokkos
