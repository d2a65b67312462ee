// The OpenMP backend: its lane, reasons for missing ops, and its table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/omp/omp_lane.hpp"
#include "core/host/host_backend.hpp"
#include "core/measurable.hpp"

namespace syncmeter::omp {

template <class T> void plant_in_array(bench& on) {
  auto& rig = static_cast<host_rig&>(on);
  plant_maximum<T>(rig, static_cast<shared_objects*>(rig.setup(0).backend)->input, &fill);
}

struct backend : host_backend {
  template <class Op, class Lane> static constexpr sample_hooks hooks_of() {
    if constexpr (requires { Op::reduces_an_array; })
      return {.before = &plant_in_array<typename Lane::value_type>};
    else return {};
  }

  // A CPU compiler treats shared and own cells alike, so one lane serves both placements.
  template <class T, form F> using lane = omp::lane<T, F.order>;

  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form& f) {
    if (info.family == family::atomic || info.takes_token)
      return "this compiler has no `omp atomic compare` (OpenMP 5.1)";
    if (info.family == family::fence && f.order == order::seq_cst) {
      return "this compiler has no `omp flush seq_cst` (OpenMP 5.1)";
    }
    if (!info.why_missing.empty()) return info.why_missing;
    return "OpenMP has no such construct";
  }
};

/// Returns the whole table. Its parts are separate translation units (cmake/tables.cmake).
[[nodiscard]] std::vector<measurable> all_rows();

/// Returns the expected x86-64 code per op ("lock_add 1"), or an empty text without a declaration.
[[nodiscard]] std::string declared_instructions(const measurable& row);

}  // namespace syncmeter::omp
