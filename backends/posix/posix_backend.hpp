// The backend of POSIX threads: its lane, the litmus test for an asymmetric fence, reasons for
// missing ops, and its table.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "backends/posix/posix_lane.hpp"
#include "core/host/host_backend.hpp"
#include "core/measurable.hpp"

namespace syncmeter::posix {

// Store buffering with a fence in lane 0 only: a compiler barrier must suffice for lane 1.
template <class Lane> void asymmetric_litmus(host_rig& rig, unsigned lane) {
  Lane words{rig.setup(lane)};
  store_buffering(rig, lane, [&] {
    if (lane == 0) words.expedited_barrier();
    else asm volatile("" ::: "memory");
  });
}

struct backend : host_backend {
  // A CPU compiler treats shared and own cells alike, so one lane serves both placements.
  template <class T, form F> using lane = posix::lane<T>;

  template <class Op, class Lane> static constexpr litmus_check litmus_of() {
    if constexpr (std::same_as<Op, ops::membarrier>)
      return &run_host_litmus<&asymmetric_litmus<Lane>>;
    else return host_backend::litmus_of<Op, Lane>();
  }

  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    if (info.name == ops::per_cpu_add::info.name)
      return "restartable sequences: this build has them for x86-64 with glibc 2.35 or newer only";
    if (info.family == family::critical && info.guard != guard::lock_object)
      return "POSIX has no critical section but that of a lock object (lock_add), and no atomics";
    return "POSIX has no atomic operations and no fences: those of the language are C++'s (std)";
  }
};

/// Returns the whole table. Its parts are separate translation units (cmake/tables.cmake).
[[nodiscard]] std::vector<measurable> all_rows();

/// Returns the expected x86-64 code per op ("call:pthread_barrier_wait 1"), or an empty text
/// without a declaration.
[[nodiscard]] std::string declared_instructions(const measurable& row);

}  // namespace syncmeter::posix
