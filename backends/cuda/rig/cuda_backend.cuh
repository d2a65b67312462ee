// The functions bind_typed and bind_untyped call for the CUDA backend: its lane, op forms, kernel
// stubs, and the reasons for missing ops.
#pragma once

#include <string_view>
#include <vector>

#include "backends/cuda/lane/cuda_forms.hpp"
#include "backends/cuda/lane/cuda_kernel.cuh"
#include "backends/cuda/rig/cuda_rig.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::cuda {

/// Returns the call for a CUDA kernel.
template <class... Parameters> kernel_call call_of(void (*kernel)(Parameters...)) {
  return {reinterpret_cast<const void*>(kernel)};
}

/// Makes the ring before a sample of an op that walks memory.
template <class Op> void make_ring(bench& rig) { static_cast<cuda_rig&>(rig).walk_on(Op::ring); }

/// An op with its own list of forms. Otherwise forms_built selects them.
template <class Op> concept lists_forms = requires { Op::forms; };

/// Returns true if 2 and 4 measured ops are built too.
template <class Op, class Lane> consteval bool has_all_counts() {
  if constexpr (requires { Op::without_additivity; }) {
    return false;
  } else {
    constexpr value_type type = type_tag<typename Lane::value_type>::value;
    if constexpr (lists_forms<Op>)
      return type == value_type::int32 && Lane::lane_form == Op::forms.front();
    else return has_additivity(Op::info, Lane::lane_form, type);
  }
}

/// Returns the host stub of the kernel for counts[index], whose symbol equals the kernel's.
template <class Op, class Lane> const void* stub_at(std::size_t index) {
  if constexpr (has_all_counts<Op, Lane>()) {
    if (index == 2) return reinterpret_cast<const void*>(&kernel<Op, 2, Lane>);
    if (index == 3) return reinterpret_cast<const void*>(&kernel<Op, 4, Lane>);
  }
  return index == 0 ? reinterpret_cast<const void*>(&kernel<Op, 0, Lane>)
                    : reinterpret_cast<const void*>(&kernel<Op, 1, Lane>);
}

template <class Op, class Lane> std::uint64_t run_litmus(bench& rig) {
  auto& on = static_cast<cuda_rig&>(rig);
  if constexpr (Op::info.litmus == litmus::barrier) {
    return on.run_litmus(call_of(&barrier_litmus<Op, Lane>), true);
  } else {
    return on.run_litmus(call_of(&fence_litmus<Op, Lane>), Lane::lane_form.scope == scope::block);
  }
}

/// The backend for one study's ops, selected by its lanes.
template <template <class, class> class LaneOf> struct backend_of {
  template <class T, form F>
  using lane = LaneOf<
      T, form_constant<F.order, F.placement, F.scope, F.flavour, F.space, F.some_lanes, F.size>>;
  template <class Object, class Lane> using lane_with = object_lane<Object, Lane>;
  static constexpr bool code_on_device = true;

  template <class Op, class T> static consteval auto forms_of() {
    if constexpr (lists_forms<Op>) {
      return Op::forms;
    } else {
      constexpr form_list list = forms_built(Op::info, type_tag<T>::value);
      std::array<form, list.size()> forms{};
      for (std::size_t i = 0; i < forms.size(); ++i) forms[i] = list[i];
      return forms;
    }
  }
  template <class Op, class Lane> static consteval bool is_additive() {
    return has_all_counts<Op, Lane>();
  }
  template <class Op, class Lane> static consteval sample_hooks hooks_of() {
    if constexpr (walks_memory<Op>) return {.before = &make_ring<Op>};
    else return {};
  }
  template <class Op, class Lane> static consteval code_finder code_of() {
    return &stub_at<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    if constexpr (Op::info.litmus == litmus::none) return nullptr;
    else return &run_litmus<Op, Lane>;
  }
  static consteval std::string_view why_unsupported(const op_info& info,
                                                    std::optional<value_type> type, const form& f) {
    return missing_word(info, type, f);
  }
};
using backend = backend_of<lane>;

}  // namespace syncmeter::cuda
