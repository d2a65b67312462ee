// The host as a lane: the timed loop of one host thread launches kernels, waits for them, and calls
// a library. The host's compiler compiles it, and functions hide the kernels.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backends/cuda/rig/gpu_rig.hpp"
#include "core/host/lone_thread.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter::cuda {

/// A rig whose samples are loops of the calling thread, bound to a quiet PU near the device. All
/// queued work must finish before the clock stops. Both sides include this wait, and their
/// difference is the op's cost.
class host_loop_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  void begin_round() override { thread_.begin_round(); }
  void finish() override { thread_.finish(); }
  /// Adds the entries of a CPU lane: "pus", "pus_seen", "quiet_probe", "core_clock_ghz". A point
  /// with a home also adds "launching_thread": the allowed PUs, and the GPU's NUMA node.
  void describe(nlohmann::json& visit) const override;

 protected:
  /// Throws point_refused if the device has no PUs for the point's home.
  void prepare_point() override;
  sample measure(std::size_t index) final;
  /// Restores the state changed by a sample's ops, before the clock starts.
  virtual void begin_sample() = 0;
  /// Ends the timed part: waits for all work queued by the loop.
  virtual void wait() = 0;
  /// Returns the counted part of the time, after the clock. A row may time only a part of its ops.
  [[nodiscard]] virtual double counted_ns(double whole_ns, std::uint64_t) const { return whole_ns; }
  /// Returns the fault after `ops` ops, or an empty text. Called after the clock.
  [[nodiscard]] virtual std::string verdict(std::uint64_t ops) = 0;

 private:
  std::optional<device_neighbours> neighbours_;  ///< queried once
  std::vector<int> pus_;                         ///< the thread's allowed PUs
  bool is_settled_ = false;                      ///< in this visit
  lone_thread thread_;
};

/// Runs one sample's loop on a host thread. `Rig` constructs the lane. If several threads run the
/// loop, the lane also gets the thread's place.
template <class Rig, class Op, int Count, class Lane>
void host_loop_body(bench& rig, unsigned place) {
  auto& on = static_cast<Rig&>(rig);
  if constexpr (std::is_constructible_v<Lane, Rig&, unsigned>)
    static_cast<void>(loop<Op, Count>(Lane{on, place}, on.trips()));
  else static_cast<void>(loop<Op, Count>(Lane{on}, on.trips()));
}

/// The functions bind_typed and bind_untyped call for ops on the host's lane. `Lane` is a template
/// of a type and a form, constructed from a `Rig`.
template <class Rig, template <class, class> class Lane> struct host_loop_backend {
  template <form F> struct form_of_lane {
    static constexpr form value = F;
  };
  template <class T, form F> using lane = Lane<T, form_of_lane<F>>;

  template <class Op, int Count, class L> static constexpr lane_body body_of() {
    return &host_loop_body<Rig, Op, Count, L>;
  }
  template <class Op, class L> static const void* code_at(std::size_t index) {
    using loop_of_lane = decltype(loop<Op, 0, L>(std::declval<L>(), 0)) (*)(L, std::uint32_t);
    constexpr std::array<loop_of_lane, 4> loops{&loop<Op, 0, L>, &loop<Op, 1, L>, &loop<Op, 2, L>,
                                                &loop<Op, 4, L>};
    return reinterpret_cast<const void*>(loops.at(index));
  }
  template <class Op, class L> static constexpr code_finder code_of() { return &code_at<Op, L>; }
  template <class Op, class L> static constexpr litmus_check litmus_of() { return nullptr; }
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "CUDA has no such operation";
  }
  // An op may list its forms. Otherwise it has one form.
  template <class Op, class T> static consteval auto forms_of() {
    if constexpr (requires { Op::forms; }) return Op::forms;
    else return std::array{form{}};
  }
};

}  // namespace syncmeter::cuda
