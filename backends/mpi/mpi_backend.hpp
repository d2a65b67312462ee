// The backend of MPI: its lane, reasons for missing ops, and its table. Orders and sequence equal
// the std backend, because comparisons need the same access.
#pragma once

#include <string_view>
#include <vector>

#include "backends/mpi/mpi_lane.hpp"
#include "backends/std/std_backend.hpp"
#include "core/host/host_backend.hpp"
#include "core/measurable.hpp"

namespace syncmeter::mpi {

struct backend : standard::backend {
  template <class T, form F> using lane = mpi::lane<T, F.order>;

  // MPI_Win_sync orders accesses for the documented pattern: data, sync, flag.
  template <class Op, class Lane> static constexpr litmus_check litmus_of() {
    if constexpr (Op::info.name == "window_sync")
      return &run_host_litmus<&message_litmus<Op, Lane>>;
    else return host_litmus_of<Op, Lane>();
  }

  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    if (info.family == family::critical)
      return "MPI has no critical section; its lock is of a window (rma_lock_add)";
    if (info.name == "rma_cas_pass")
      return "MPI_Compare_and_swap takes integers and bytes, no floating values";
    return "MPI has no such operation, and std::atomic_ref neither";
  }
};

/// Returns the whole table. Its parts are separate translation units (cmake/tables.cmake).
[[nodiscard]] std::vector<measurable> all_rows();

}  // namespace syncmeter::mpi
