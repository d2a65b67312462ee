// What bind_typed and bind_untyped need of Kokkos' CUDA space: launches by Kokkos, and the names of
// the kernels that Kokkos makes.
#pragma once

#include <string>
#include <typeinfo>

#include "backends/cuda/rig/cuda_rig.hpp"
#include "backends/kokkos/kokkos_cuda.cuh"
#include "backends/kokkos/kokkos_device_lane.cuh"

namespace syncmeter::kokkos {

/// One parallel_for over `blocks` teams. Light: its functor is a parameter of the kernel, as one of
/// CUDA's own would be, and not what a copy leaves in constant memory.
template <unsigned Teams, class Functor>
void launch_teams(const cuda::launch_shape& shape, const Functor& functor) {
  constexpr auto light = Kokkos::Experimental::WorkItemProperty::HintLightWeight;
  const policy_for<Teams> teams(space_on(shape.stream), static_cast<int>(shape.blocks),
                                static_cast<int>(shape.lanes), 1);
  Kokkos::parallel_for("syncmeter", Kokkos::Experimental::require(teams, light), functor);
}

template <class Op, int Count, class Lane> void launch_timed(bench& on, unsigned) {
  const auto& rig = static_cast<const cuda::cuda_rig&>(on);
  launch_teams<teams_that_fit<Op>>(rig.shape(),
                                   timed_team<Op, Count, Lane>{rig.setup(), rig.trips()});
}

template <class Op, class Lane>
void launch_litmus(const void*, const cuda::launch_shape& shape, void** arguments) {
  launch_teams<teams_that_fit<Op>>(
      shape, litmus_team<Op, Lane>{*static_cast<const cuda::kernel_setup*>(arguments[0]),
                                   *static_cast<unsigned* const*>(arguments[1]),
                                   *static_cast<unsigned long long* const*>(arguments[2])});
}

template <class Op, class Lane> std::uint64_t run_litmus(bench& rig) {
  return static_cast<cuda::cuda_rig&>(rig).run_litmus({nullptr, &launch_litmus<Op, Lane>},
                                                      Op::info.litmus == litmus::barrier);
}

template <class Op, class Lane> std::string kernel_name_at(std::size_t index) {
  switch (counts.at(index)) {
  case 0:
    return name_of(typeid(timed_team<Op, 0, Lane>));
  case 1:
    return name_of(typeid(timed_team<Op, 1, Lane>));
  case 2:
    return name_of(typeid(timed_team<Op, 2, Lane>));
  default:
    return name_of(typeid(timed_team<Op, 4, Lane>));
  }
}

struct device_backend {
  template <class T, form F>
  using lane = device_lane<
      T, cuda::form_constant<F.order, F.placement, F.scope, F.flavour, F.space, F.some_lanes>>;
  static constexpr bool code_on_device = true;

  // As in the CUDA backend, additivity is built for one type.
  template <class Op, class Lane> static consteval bool is_additive() {
    return std::is_same_v<typename Lane::value_type, std::int32_t>;
  }
  template <class Op, int Count, class Lane> static consteval lane_body body_of() {
    return &launch_timed<Op, Count, Lane>;
  }
  template <class Op, class Lane> static consteval kernel_namer kernel_name_of() {
    return &kernel_name_at<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    if constexpr (Op::info.litmus == litmus::none) return nullptr;
    else return &run_litmus<Op, Lane>;
  }
  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    if (info.takes_token) return "not available on GPUs; the op handoff waits by load";
    return why_without(info);
  }
};

}  // namespace syncmeter::kokkos
