// The Kokkos backend of one host execution space, with the table for one type. The build compiles
// this file once per SM_SPACE and SM_TYPE (void for ops without a type).
#include <string_view>
#include <type_traits>
#include <vector>

#include "backends/kokkos/kokkos_lane.hpp"
#include "backends/kokkos/kokkos_ops.hpp"
#include "core/host/host_backend.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::kokkos {

/// Returns the sum of an op that scatters. The sum is outside the cells: hooks reset the sum before
/// each sample, and gather and check afterwards.
template <class Lane> auto& sum_of(host_rig& rig) {
  using sum_of_lane = scatter_sum<typename Lane::space, typename Lane::value_type>;
  auto& kept = shared(rig.setup(0)).scatter;
  if (std::any_cast<sum_of_lane>(&kept) == nullptr) kept.template emplace<sum_of_lane>();
  return *std::any_cast<sum_of_lane>(&kept);
}
template <class Lane> void empty_sum(bench& on) {
  sum_of<Lane>(static_cast<host_rig&>(on)).reset();
}
template <class Op, class Lane> std::string check_sum(bench& on, std::uint64_t ops) {
  auto& rig = static_cast<host_rig&>(on);
  return sum_of<Lane>(rig).check(ops, rig.lanes(), Op::scatters_atomically);
}

template <class Lane> void plant_in_array(bench& on) {
  using value = typename Lane::value_type;
  auto& rig = static_cast<host_rig&>(on);
  plant_maximum<value>(rig, shared(rig.setup(0)).input,
                       filler_of(on_space<typename Lane::space>{}, value{}));
}

template <class Space> struct backend : host_backend {
  template <class Op, class Lane> static constexpr sample_hooks hooks_of() {
    if constexpr (requires { Op::scatters_atomically; })
      return {.before = &empty_sum<Lane>, .after = &check_sum<Op, Lane>};
    else if constexpr (requires { Op::reduces_an_array; }) return {.before = &plant_in_array<Lane>};
    else return {};
  }

  // A CPU compiler treats shared and own cells alike, so one lane serves both placements.
  template <class T, form F> using lane = kokkos::lane<Space, T, F.order>;

  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    return why_without(info);
  }
};

using all_ops = decltype(joined(shared_ops{}, own_ops{}));

template <class Space, class T> std::vector<measurable> rows() {
  if constexpr (std::is_void_v<T>) {
    static constexpr auto all = bind_untyped<backend<Space>>(all_ops{});
    return {all.begin(), all.end()};
  } else {
    static constexpr auto all = bind_typed<backend<Space>, T>(all_ops{});
    return {all.begin(), all.end()};
  }
}

template std::vector<measurable> rows<Kokkos::SM_SPACE, SM_TYPE>();

}  // namespace syncmeter::kokkos
