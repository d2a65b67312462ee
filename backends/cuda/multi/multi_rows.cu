// The table of the ops over several devices.
#include "backends/cuda/multi/multi_rows.hpp"

#include "backends/cuda/multi/multi_kernel.cuh"
#include "backends/cuda/multi/multi_rig.hpp"
#include "backends/cuda/ops/multi_gpu.cuh"

namespace syncmeter::cuda {
namespace {

template <class Op, class Lane> const void* multi_stub(std::size_t index) {
  return index == 0 ? reinterpret_cast<const void*>(&multi_kernel<Op, 0, Lane>)
                    : reinterpret_cast<const void*>(&multi_kernel<Op, 1, Lane>);
}

template <class Op, class Lane> std::uint64_t run_multi_litmus(bench& rig) {
  if constexpr (Op::info.litmus == litmus::barrier) {
    return static_cast<multi_rig&>(rig).run_litmus(
        reinterpret_cast<const void*>(&multi_barrier_litmus<Op, Lane>));
  } else {
    return static_cast<multi_rig&>(rig).run_litmus(
        reinterpret_cast<const void*>(&token_litmus<Op, Lane>));
  }
}

}  // namespace

struct multi_backend {
  template <class T, form F>
  using lane = multi_lane<
      T, form_constant<F.order, F.placement, F.scope, F.flavour, F.space, F.some_lanes, F.size>>;
  static constexpr bool code_on_device = true;

  template <class Op, class T> static consteval auto forms_of() { return Op::forms; }
  template <class Op, class Lane> static consteval bool is_additive() { return false; }
  template <class Op, class Lane> static consteval code_finder code_of() {
    return &multi_stub<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    if constexpr (Op::info.litmus == litmus::none) return nullptr;
    else return &run_multi_litmus<Op, Lane>;
  }
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "CUDA has no such operation";
  }
};

using multi_ops = op_list<ops::multi_gpu_barrier_counter, ops::multi_gpu_barrier_flags,
                          ops::multi_gpu_barrier_dissemination, ops::multi_gpu_fetch_add,
                          ops::gpu_handoff, ops::cpu_gpu_handoff>;

std::vector<measurable> multi_rows() {
  static constexpr auto rows = bind_untyped<multi_backend>(multi_ops{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
