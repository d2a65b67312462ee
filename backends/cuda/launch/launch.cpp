// The boundary of a kernel as a barrier: the host's cost to launch, to wait and to keep an order.
// One host thread runs the loop, and lanes and blocks belong to the kernel. test - baseline == one
// more of the same. On both sides the clock includes the wait for all kernels. The host's compiler
// compiles this file, because the host loops are timed.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/launch/launch_rig.hpp"

namespace syncmeter::cuda {

/// The host's launch lane: its words are the calls in launch_queue.hpp. It ignores type and form.
template <class T, class Form> struct launch_lane {
  explicit launch_lane(launch_rig& rig) : queue{&rig.queue()} {}
  /// Returns 0, because the rig checks the results.
  [[nodiscard]] SM_FN int outcome() const { return 0; }

  launch_queue* queue;
};

namespace ops {

consteval op_info host_launch(std::string_view name, std::string_view note) {
  return {.name = name, .family = family::launch, .unroll = 1, .host_lane = true, .note = note};
}
consteval op_info host_launch_of_graph(std::string_view name, std::string_view note) {
  op_info info = host_launch(name, note);
  info.size_of = "kernels of a graph";
  return info;
}
consteval op_info host_launch_programmatic(std::string_view name, std::string_view note) {
  op_info info = host_launch(name, note);
  info.kind = static_cast<std::uint8_t>(launch_kind::programmatic);
  return info;
}
consteval op_info host_launch_at_once(std::string_view name, std::string_view note) {
  op_info info = host_launch(name, note);
  info.launching = launching::cooperative;
  return info;
}

// Defines an op with the same word for `common` and `measured`.
#define SM_LAUNCH_OP(NAME, INFO, WORD)                                                             \
  struct NAME {                                                                                    \
    static constexpr op_info info = INFO;                                                          \
    SM_FN static void common(auto& lane) { WORD(*lane.queue); }                                    \
    SM_FN static void measured(auto& lane) { common(lane); }                                       \
  }

SM_LAUNCH_OP(launch,
             host_launch("launch", "launch of an empty kernel, then cudaStreamSynchronize; checked "
                                   "before and after each sample with kernels that count"),
             launch_and_wait);
// The null-kernel method: successive kernels in a stream.
SM_LAUNCH_OP(additional_launch,
             host_launch("additional_launch",
                         "one more empty kernel in a stream; the host synchronizes at the end, and "
                         "after every 1000 kernels since more would fill the launch queue"),
             launch_another);
SM_LAUNCH_OP(launch_call,
             host_launch("launch_call", "time inside the call that launches an empty kernel on an "
                                        "idle device, minus the cost of reading the clock"),
             launch_timed);
SM_LAUNCH_OP(cooperative_launch,
             host_launch_at_once(
                 "cooperative_launch",
                 "cudaLaunchCooperativeKernel of an empty kernel, then cudaStreamSynchronize"),
             launch_cooperative_and_wait);
SM_LAUNCH_OP(additional_cooperative_launch,
             host_launch_at_once("additional_cooperative_launch",
                                 "one more empty cooperative kernel in a stream"),
             launch_another_cooperative);
SM_LAUNCH_OP(
    graph_launch,
    host_launch_of_graph(
        "graph_launch",
        "launch of a graph of empty kernels in sequence, then cudaStreamSynchronize; per graph"),
    launch_chain_and_wait);
SM_LAUNCH_OP(additional_graph_launch,
             host_launch_of_graph("additional_graph_launch",
                                  "one more graph of empty kernels in a stream; per graph"),
             launch_another_chain);
SM_LAUNCH_OP(
    programmatic_launch,
    host_launch_programmatic(
        "programmatic_launch",
        "one more empty kernel in a stream by programmatic dependent launch: it starts before its "
        "predecessor ends and waits for it on the device; compute capability 9.0 or newer"),
    launch_programmatic);
SM_LAUNCH_OP(blocking_copy,
             host_launch("blocking_copy", "blocking cudaMemcpy of 4 bytes from an idle device"),
             copy_back);
SM_LAUNCH_OP(stream_order,
             host_launch("stream_order",
                         "one more kernel in a stream that reads what its predecessor wrote"),
             launch_in_order);
SM_LAUNCH_OP(stream_event_order,
             host_launch("stream_event_order",
                         "the same with kernels alternating between two streams, by "
                         "cudaEventRecord and cudaStreamWaitEvent"),
             launch_after_event);
SM_LAUNCH_OP(
    event_record_wait,
    host_launch(
        "event_record_wait",
        "cudaEventRecord in an idle stream, then cudaEventSynchronize; has no result to check"),
    record_and_wait);
#undef SM_LAUNCH_OP

// Compares two kernels of one work unit each with one kernel of two: measures a kernel's end
// between them.
struct kernel_split {
  static constexpr op_info info = [] {
    op_info split = host_launch(
        "kernel_split", "two kernels with one unit of work each (about 5 us) against one kernel "
                        "with both; marginal: launch time hidden behind the work is not counted");
    split.pairing = pairing::insert;
    return split;
  }();
  SM_FN static void before(auto& lane) { add_work(*lane.queue); }
  SM_FN static void measured(auto& lane) { cut_work(*lane.queue); }
  SM_FN static void after(auto& lane) { end_work(*lane.queue); }
};

// The same, but every kernel starts while the previous kernel works.
struct programmatic_split {
  static constexpr op_info info = [] {
    op_info split = kernel_split::info;
    split.name = "programmatic_split";
    split.kind = static_cast<std::uint8_t>(launch_kind::programmatic);
    split.note = "kernel_split with programmatic dependent launches on both sides; marginal; "
                 "compute capability 9.0 or newer";
    return split;
  }();
  SM_FN static void before(auto& lane) { add_work(*lane.queue); }
  SM_FN static void measured(auto& lane) { cut_work_early(*lane.queue); }
  SM_FN static void after(auto& lane) { end_work_early(*lane.queue); }
};

using launch_ops = op_list<launch, additional_launch, launch_call, cooperative_launch,
                           additional_cooperative_launch, graph_launch, additional_graph_launch,
                           programmatic_launch, kernel_split, programmatic_split, blocking_copy,
                           stream_order, stream_event_order, event_record_wait>;

}  // namespace ops

namespace {

using leaves = launch_word::leaves;

// A null kernel's word also has a call with counting kernels.
#define SM_LAUNCH_WORD(OP, LEAVES, FUNCTION)                                                       \
  launch_word {                                                                                    \
    ops::OP::info.name, leaves::LEAVES, #FUNCTION,                                                 \
        leaves::LEAVES == leaves::kernels ? &FUNCTION : nullptr                                    \
  }
constexpr std::array words{
    SM_LAUNCH_WORD(launch, kernels, launch_and_wait),
    SM_LAUNCH_WORD(additional_launch, kernels, launch_another),
    SM_LAUNCH_WORD(launch_call, kernels, launch_timed),
    SM_LAUNCH_WORD(cooperative_launch, kernels, launch_cooperative_and_wait),
    SM_LAUNCH_WORD(additional_cooperative_launch, kernels, launch_another_cooperative),
    SM_LAUNCH_WORD(graph_launch, kernels, launch_chain_and_wait),
    SM_LAUNCH_WORD(additional_graph_launch, kernels, launch_another_chain),
    SM_LAUNCH_WORD(programmatic_launch, kernels, launch_programmatic),
    SM_LAUNCH_WORD(kernel_split, units, cut_work),
    SM_LAUNCH_WORD(programmatic_split, units, cut_work_early),
    SM_LAUNCH_WORD(blocking_copy, copies, copy_back),
    SM_LAUNCH_WORD(stream_order, order, launch_in_order),
    SM_LAUNCH_WORD(stream_event_order, order, launch_after_event),
    SM_LAUNCH_WORD(event_record_wait, nothing, record_and_wait)};
#undef SM_LAUNCH_WORD

// Declares one call per op, because a loop of launches is a loop of calls.
nlohmann::json declares(const measurable& row) {
  return {{"x86-64", fmt::format("call:syncmeter::cuda::{} 1", word_of(row.info.name).name)}};
}

}  // namespace

const launch_word& word_of(std::string_view op) {
  const auto found = std::ranges::find(words, op, &launch_word::op);
  if (found == words.end()) throw std::logic_error(fmt::format("no word is defined for op {}", op));
  return *found;
}

bool times_itself(const op_info& info) { return info.name == ops::launch_call::info.name; }

row_group launch_group() {
  static constexpr auto rows =
      bind_untyped<host_loop_backend<launch_rig, launch_lane>>(ops::launch_ops{});
  return {{rows.begin(), rows.end()}, &make_rig<launch_rig>, &declares};
}

}  // namespace syncmeter::cuda
