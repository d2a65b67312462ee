// The table of ops by host threads on several devices.
#include "backends/cuda/multi/multi_host.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/host_loop.hpp"

// Ops and lane need external linkage: the census finds loops by their symbols.
namespace syncmeter::cuda {

/// The lane: a host thread, and its device's place.
template <class T, class Form> struct multi_host_lane {
  multi_host_lane(multi_host_rig& of, unsigned at) : rig{&of}, place{at} {}
  [[nodiscard]] int outcome() const { return 0; }

  multi_host_rig* rig;
  unsigned place;
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

struct multi_gpu_host_barrier {  // test - baseline == a kernel on each device, one host thread per
                                 // device waiting, then a barrier
  static constexpr op_info info =
      host_info("multi_gpu_host_barrier", round_by::team,
                "one host thread per device: launch, wait for the kernel, then an OpenMP barrier");
  SM_FN static void common(auto& lane) { host_team_round(*lane.rig, lane.place); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

struct multi_gpu_host_barrier_one_thread {  // test - baseline == a kernel on each device, and one
                                            // host thread waiting for all
  static constexpr op_info info =
      host_info("multi_gpu_host_barrier_one_thread", round_by::launches,
                "one host thread launches on every device, then waits for each");
  SM_FN static void common(auto& lane) { host_lone_round(*lane.rig); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

struct multi_gpu_allreduce_nccl {  // test - baseline == one all-reduce of one number, queued behind
                                   // the last
  static constexpr op_info info = [] {
    op_info sum = host_info("multi_gpu_allreduce_nccl", round_by::library,
                            "NCCL's all-reduce of one int32, several queued in a stream");
    sum.set_up_ns = 2e9;  // the library looks at all links
    return sum;
  }();
  SM_FN static void common(auto& lane) { host_all_reduce(*lane.rig); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

struct multi_gpu_graph_barrier {  // test - baseline == one more round: a kernel on each device,
                                  // each after the whole previous round, in graphs of 16 rounds
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
  SM_FN static void common(auto& lane) { host_graph_round(*lane.rig); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

std::uint64_t count_early_rounds(bench& rig) {
  return static_cast<multi_host_rig&>(rig).early_rounds();
}

struct multi_host_backend : host_loop_backend<multi_host_rig, multi_host_lane> {
  template <class Op, class L> static constexpr litmus_check litmus_of() {
    return Op::info.litmus == litmus::barrier ? &count_early_rounds : nullptr;
  }
};

namespace {

std::vector<measurable> rows_of_host() {
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

nlohmann::json declared_round(const measurable& row) {
  constexpr std::array<std::string_view, 4> rounds{"host_team_round", "host_lone_round",
                                                   "host_all_reduce", "host_graph_round"};
  return {{"x86-64", fmt::format("call:syncmeter::cuda::{} 1", rounds.at(row.info.kind))}};
}

}  // namespace

row_group multi_host_group() {
  return {rows_of_host(), &make_rig<multi_host_rig>, &declared_round};
}

}  // namespace syncmeter::cuda
