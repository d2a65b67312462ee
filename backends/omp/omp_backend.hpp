// The OpenMP backend: its lane, why it lacks what it lacks, and its table.
#pragma once

#include <string_view>
#include <vector>

#include "backends/omp/omp_lane.hpp"
#include "core/host/host_sampler.hpp"
#include "core/measurable.hpp"

namespace syncmeter::omp {

template <class Op, int Count, class Lane> sample array_sample(void* opaque, std::uint32_t trips) {
  auto& rig = *static_cast<host_rig*>(opaque);
  auto& input = static_cast<shared_objects*>(rig.setup(0).backend)->input;
  return reduction_sample<Op, Count, Lane, typename Lane::value_type>(rig, input, &fill, trips);
}

struct backend : host_backend {
  template <class Op, int Count, class Lane> static constexpr sampler sampler_of() {
    if constexpr (requires { Op::reduces_an_array; }) return &array_sample<Op, Count, Lane>;
    else return host_backend::sampler_of<Op, Count, Lane>();
  }

  // On a CPU the compiler cannot tell a shared cell from one of its own: one lane for both
  // placements.
  template <class T, form F> using lane = omp::lane<T, F.order>;

  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form& f) {
    if (info.family == family::atomic || info.takes_token)
      return "this compiler has no `omp atomic compare` (OpenMP 5.1)";
    if (info.family == family::fence && f.order == order::seq_cst) {
      return "this compiler has no `omp flush seq_cst` (OpenMP 5.1)";
    }
    if (info.name.starts_with("lock_hint_"))
      return "this runtime has no omp_init_lock_with_hint (OpenMP 4.5)";
    return "OpenMP has no such construct";
  }
};

/// The whole table; its parts are translation units of their own (omp_table.cpp).
[[nodiscard]] std::vector<measurable> all_rows();

}  // namespace syncmeter::omp
