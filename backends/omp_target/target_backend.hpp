// Policies of OpenMP on a device for bind_typed and bind_untyped: the lane, forms of each op,
// launches, and reasons for missing ops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backends/omp_target/target_rig.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::omp_target {

/// Launches the loop's kernel once with the rig's setup.
template <class Op, int Count, class Lane> void launch_body(bench& rig, unsigned) {
  launch<Op, Count, Lane>(static_cast<target_rig&>(rig).setup());
}
template <class Op, class Lane> std::uint64_t litmus_of_barrier(bench& rig) {
  return static_cast<target_rig&>(rig).run_litmus(&launch_litmus<Op, Lane>);
}
template <class Op, int Count, class Lane> void host_body(bench& rig, unsigned) {
  auto& on = static_cast<target_rig&>(rig);
  on.note_outcome(loop<Op, Count, Lane>(on.host(), on.trips()));
}

template <class Op, class Lane> const void* lane_at(std::size_t index) {
  return index == 0 ? reinterpret_cast<const void*>(&run_lane<Op, 0, Lane>)
                    : reinterpret_cast<const void*>(&run_lane<Op, 1, Lane>);
}
template <class Op, class Lane> const void* loop_at(std::size_t index) {
  return index == 0 ? reinterpret_cast<const void*>(&loop<Op, 0, Lane>)
                    : reinterpret_cast<const void*>(&loop<Op, 1, Lane>);
}

struct backend {
  // A compiler treats shared and own cells alike, so both placements use one lane.
  template <class T, form F> using lane = omp_target::lane<T, F.order>;
  static constexpr bool code_on_device = true;

  // Atomics have device scope. Only one type has orders besides the default.
  template <class Op, class T> static consteval auto forms_of() {
    constexpr bool is_atomic = Op::info.orders == orders::atomic;
    constexpr std::array flushes{order::unordered, order::acquire, order::release, order::acq_rel};
    constexpr std::size_t orders = Op::info.orders == orders::fence               ? flushes.size()
                                   : is_atomic && std::is_same_v<T, std::int32_t> ? 3
                                                                                  : 1;
    constexpr auto all_places = places_of(Op::info.places);
    std::array<form, orders * all_places.size()> forms{};
    for (std::size_t i = 0; i < forms.size(); ++i) {
      form& f = forms[i];
      f.placement = all_places[i % all_places.size()];
      if (f.placement != placement::none) f.space = space::global;
      if (Op::info.orders == orders::fence) f.order = flushes[i / all_places.size()];
      if (!is_atomic) continue;
      f.order = atomic_orders[i / all_places.size()];
      f.scope = scope::device;
      f.flavour = flavour::function;
    }
    return forms;
  }
  template <class Op, class Lane> static consteval bool is_additive() { return false; }
  template <class Op, int Count, class Lane> static consteval lane_body body_of() {
    return &launch_body<Op, Count, Lane>;
  }
  template <class Op, class Lane> static consteval code_finder code_of() {
    return &lane_at<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    if constexpr (Op::info.litmus == litmus::barrier) return &litmus_of_barrier<Op, Lane>;
    else return nullptr;
  }
  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    if (info.compares) return "`omp atomic compare` is built for integers";
    if (info.family == family::atomic)
      return "g++ makes a plain access of it, and the driver's compiler merges those of a loop";
    return "OpenMP has no such construct";
  }
};

/// Policies for ops that a host thread starts.
struct region_backend {
  template <class T, form F> using lane = host_thread;
  template <class Op, class Lane> static consteval bool is_additive() { return false; }
  template <class Op, int Count, class Lane> static consteval lane_body body_of() {
    return &host_body<Op, Count, Lane>;
  }
  template <class Op, class Lane> static consteval code_finder code_of() {
    return &loop_at<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() { return nullptr; }
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "OpenMP has no such construct";
  }
};

using device_ops =
    op_list<syncmeter::ops::barrier, syncmeter::ops::atomic_add, syncmeter::ops::atomic_fetch_add,
            syncmeter::ops::atomic_exchange, syncmeter::ops::atomic_cas_pass,
            syncmeter::ops::atomic_cas_fail, syncmeter::ops::atomic_write,
            syncmeter::ops::atomic_read, syncmeter::ops::critical_add,
            syncmeter::ops::critical_named_add, syncmeter::ops::lock_add, syncmeter::ops::fence,
            syncmeter::ops::handoff>;
using region_ops = op_list<ops::target_region, ops::target_teams_region, ops::target_reduction_sum>;

/// Returns the rows of one type. void selects ops without a type.
template <class T> [[nodiscard]] std::vector<measurable> rows_of();

/// Returns the expected code per op, or an empty object without a declaration.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

}  // namespace syncmeter::omp_target
