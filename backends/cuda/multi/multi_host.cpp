// The table of what host threads do with several devices.
#include "backends/cuda/multi/multi_host.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/multi/multi_host_rig.hpp"

// No unnamed namespace: the census finds loops by their symbols.
namespace syncmeter::cuda {

/// The lane: a host thread, and its device.
template <class T, class Form> class multi_host_lane {
 public:
  multi_host_lane(multi_host_rig& rig, unsigned place) : rig_{&rig}, place_{place} {}

  void round_of_team() { host_team_round(*rig_, place_); }
  void round_of_one() { host_lone_round(*rig_); }
  void all_reduce() { host_all_reduce(*rig_); }
  void graph_round() { host_graph_round(*rig_); }
  [[nodiscard]] int outcome() const { return 0; }

 private:
  multi_host_rig* rig_;
  unsigned place_;
};

consteval op_info host_info(std::string_view name, round_by round, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::barrier,
          .unroll = 1,
          .communicates = true,
          .host_lane = true,
          .note = note,
          .size_of = "devices",
          .kind = static_cast<std::uint8_t>(round)};
}

struct multi_gpu_host_barrier {  // test - baseline == one kernel on each device, and the host's
                                 // threads, one for each, waiting for them and meeting
  static constexpr op_info info =
      host_info("multi_gpu_host_barrier", round_by::team,
                "one host thread per device: launch, wait for the kernel, then an OpenMP barrier");
  SM_FN static void common(auto& lane) { lane.round_of_team(); }
  SM_FN static void measured(auto& lane) { lane.round_of_team(); }
};

struct multi_gpu_host_barrier_one_thread {  // test - baseline == one kernel on each device, and one
                                            // host thread waiting for all
  static constexpr op_info info =
      host_info("multi_gpu_host_barrier_one_thread", round_by::launches,
                "one host thread launches on every device, then waits for each");
  SM_FN static void common(auto& lane) { lane.round_of_one(); }
  SM_FN static void measured(auto& lane) { lane.round_of_one(); }
};

struct multi_gpu_allreduce_nccl {  // test - baseline == one all-reduce of one number, queued behind
                                   // the one before
  static constexpr op_info info = [] {
    op_info sum = host_info("multi_gpu_allreduce_nccl", round_by::library,
                            "NCCL's all-reduce of one int32, several queued in a stream");
    sum.set_up_ns = 2e9;  // the library looks at all links
    return sum;
  }();
  SM_FN static void common(auto& lane) { lane.all_reduce(); }
  SM_FN static void measured(auto& lane) { lane.all_reduce(); }
};

struct multi_gpu_graph_barrier {  // test - baseline == one more round of a kernel on each device,
                                  // each after all of the round before, in graphs of 16 rounds
  static constexpr op_info info = [] {
    static_assert(rounds_in_graph == 16);
    op_info rounds =
        host_info("multi_gpu_graph_barrier", round_by::graph,
                  "a CUDA graph of 16 rounds, in each a kernel on every device that depends on all "
                  "of the round before; includes the kernels and 1/16 of the graph's launch");
    rounds.unroll = rounds_in_graph;  // only whole graphs are launched
    rounds.litmus = litmus::barrier;
    return rounds;
  }();
  SM_FN static void common(auto& lane) { lane.graph_round(); }
  SM_FN static void measured(auto& lane) { lane.graph_round(); }
};

std::uint64_t look_at_rounds(bench& rig) {
  return static_cast<multi_host_rig&>(rig).early_rounds();
}

template <class Op, int Count, class Lane> void play(bench& rig, unsigned place) {
  auto& on = static_cast<multi_host_rig&>(rig);
  static_cast<void>(loop<Op, Count>(Lane{on, place}, on.trips()));
}

template <class Op, class Lane> const void* loop_at(std::size_t index) {
  using loop_of_lane = int (*)(Lane, std::uint32_t);
  constexpr std::array<loop_of_lane, 4> loops{&loop<Op, 0, Lane>, &loop<Op, 1, Lane>,
                                              &loop<Op, 2, Lane>, &loop<Op, 4, Lane>};
  return reinterpret_cast<const void*>(loops.at(index));
}

struct multi_host_backend {
  template <form F> struct form_of_lane {
    static constexpr form value = F;
  };
  template <class T, form F> using lane = multi_host_lane<T, form_of_lane<F>>;

  template <class Op, int Count, class L> static constexpr lane_body body_of() {
    return &play<Op, Count, L>;
  }
  template <class Op, class L> static constexpr code_finder code_of() { return &loop_at<Op, L>; }
  template <class Op, class L> static constexpr litmus_check litmus_of() {
    return Op::info.litmus == litmus::barrier ? &look_at_rounds : nullptr;
  }
  [[maybe_unused]] static consteval std::string_view
  why_unsupported(const op_info&, std::optional<value_type>, const form&) {
    return "CUDA has no such operation";
  }
  template <class Op, class T> static consteval auto forms_of() { return std::array{form{}}; }
};

std::vector<measurable> multi_host_rows() {
  static constexpr auto bound = bind_untyped<multi_host_backend>(
      op_list<multi_gpu_host_barrier, multi_gpu_host_barrier_one_thread, multi_gpu_allreduce_nccl,
              multi_gpu_graph_barrier>{});
  std::vector<measurable> rows{bound.begin(), bound.end()};
#if !defined(_OPENMP)
  rows.front().built = 0;
  rows.front().by_count = {};
  rows.front().code = nullptr;
  rows.front().unsupported = "this build of the CUDA worker has no OpenMP";
#endif
  return rows;
}

nlohmann::json multi_host_declares(const measurable& row) {
  constexpr std::array<std::string_view, 4> rounds{"host_team_round", "host_lone_round",
                                                   "host_all_reduce", "host_graph_round"};
  return {{"x86-64", fmt::format("call:syncmeter::cuda::{} 1", rounds.at(row.info.kind))}};
}

std::unique_ptr<gpu_rig> make_multi_host_rig(const device_facts& device) {
  return std::make_unique<multi_host_rig>(device);
}

}  // namespace syncmeter::cuda
