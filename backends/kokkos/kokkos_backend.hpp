// The Kokkos backend of one execution space on the host: its lane, why it lacks what it lacks, and
// its table.
#pragma once

#include <string_view>
#include <vector>

#include "backends/kokkos/kokkos_lane.hpp"
#include "core/host/host_sampler.hpp"
#include "core/measurable.hpp"

namespace syncmeter::kokkos {

/// A sample on a sum that lies outside the cells: emptied before it, gathered and checked after.
template <class Op, int Count, class Lane>
sample scatter_sample(void* opaque, std::uint32_t trips) {
  using sum_of_lane = scatter_sum<typename Lane::space, typename Lane::value_type>;
  auto& rig = *static_cast<host_rig*>(opaque);
  auto& kept = shared(rig.setup(0)).scatter;
  if (std::any_cast<sum_of_lane>(&kept) == nullptr) kept.template emplace<sum_of_lane>();
  auto& sum = *std::any_cast<sum_of_lane>(&kept);
  sum.reset();
  auto taken = rig.run(&timed_body<Op, Count, Lane>, Count, trips);
  const auto ops = std::uint64_t{trips} * Op::info.unroll * ops_in_step(Op::info, Count);
  if (taken.failure.empty()) taken.failure = sum.check(ops, rig.lanes(), Op::scatters_atomically);
  return taken;
}

template <class Op, int Count, class Lane> sample array_sample(void* opaque, std::uint32_t trips) {
  using value = typename Lane::value_type;
  auto& rig = *static_cast<host_rig*>(opaque);
  return reduction_sample<Op, Count, Lane, value>(
      rig, shared(rig.setup(0)).input, filler_of(on_space<typename Lane::space>{}, value{}), trips);
}

template <class Space> struct backend : host_backend {
  template <class Op, int Count, class Lane> static constexpr sampler sampler_of() {
    if constexpr (requires { Op::scatters_atomically; }) return &scatter_sample<Op, Count, Lane>;
    else if constexpr (requires { Op::reduces_an_array; }) return &array_sample<Op, Count, Lane>;
    else return host_backend::sampler_of<Op, Count, Lane>();
  }

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
