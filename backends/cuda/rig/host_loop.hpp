// The host as a lane: what launches kernels, waits for them, and calls a library runs in the timed
// loop of one host thread. Compiled by the host's compiler: kernels are behind functions.
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

/// A rig whose samples are loops of the calling thread, which is kept on a quiet PU near the
/// device. What the loop queued has to be over when the clock stops: the wait for it is on both
/// sides, and their difference is the op's.
class host_loop_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  void begin_round() override { thread_.begin_round(); }
  void finish() override { thread_.finish(); }
  /// Adds what a lane of a CPU has too: "pus", "pus_seen", "quiet_probe", "core_clock_ghz"; of a
  /// point with a home also "launching_thread": the PUs that it may be on, and the GPU's NUMA node.
  void describe(nlohmann::json& visit) const override;

 protected:
  /// Throws point_refused where the device has no PUs of the point's home.
  void prepare_point() override;
  sample measure(std::size_t index) final;
  /// Before the clock starts: what the ops of a sample change is as it was.
  virtual void begin_sample() = 0;
  /// The last of the timed part: all that the loop queued is done.
  virtual void wait() = 0;
  /// After the clock: how much of the time between its two readings counts; all of it, unless the
  /// ops of a row time a part of what they do themselves.
  [[nodiscard]] virtual double counted_ns(double whole_ns, std::uint64_t) const { return whole_ns; }
  /// After the clock: what is wrong with what `ops` ops left behind; empty when it is right.
  [[nodiscard]] virtual std::string verdict(std::uint64_t ops) = 0;

 private:
  std::optional<device_neighbours> neighbours_;  ///< asked for once
  std::vector<int> pus_;                         ///< that the thread may be on
  bool is_settled_ = false;                      ///< in this visit
  lone_thread thread_;
};

/// The loop of one sample on one host thread; `Rig` is what the lane is made from, and where
/// several threads run it, the place of the thread.
template <class Rig, class Op, int Count, class Lane>
void host_loop_body(bench& rig, unsigned place) {
  auto& on = static_cast<Rig&>(rig);
  if constexpr (std::is_constructible_v<Lane, Rig&, unsigned>)
    static_cast<void>(loop<Op, Count>(Lane{on, place}, on.trips()));
  else static_cast<void>(loop<Op, Count>(Lane{on}, on.trips()));
}

/// What bind_typed and bind_untyped need of ops on the host's lane. `Lane` is a template of a type
/// and a form, made from a `Rig`.
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
  // An op may list its forms; the others have one.
  template <class Op, class T> static consteval auto forms_of() {
    if constexpr (requires { Op::forms; }) return Op::forms;
    else return std::array{form{}};
  }
};

}  // namespace syncmeter::cuda
