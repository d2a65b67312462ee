// The boundary of a kernel as a barrier: what the host pays to launch, to wait and to keep an
// order. One host thread runs the loop; lanes and blocks are those of the kernel. test - baseline
// == one more of the same, with the wait for all of them inside the clock on both sides.
#pragma once

#include "core/measurable.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

/// A lane that has the words of backends/cuda/launch/launch_queue.hpp.
template <class Lane>
concept has_launch_words = requires(Lane& lane) {
  lane.launch();
  lane.cut_work();
};

namespace ops {

/// op_info::kind. programmatic: a kernel comes in while the one before it works.
enum class launch_kind : std::uint8_t { plain, programmatic };

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

// An op of one word: `common` and `measured` are that word.
#define SM_LAUNCH_OP(NAME, INFO, WORD)                                                             \
  struct NAME {                                                                                    \
    static constexpr op_info info = INFO;                                                          \
    SM_FN static void common(has_launch_words auto& lane) { lane.WORD(); }                         \
    SM_FN static void measured(has_launch_words auto& lane) { lane.WORD(); }                       \
  }

SM_LAUNCH_OP(launch,
             host_launch("launch", "launch of an empty kernel, then cudaStreamSynchronize; checked "
                                   "before and after each sample with kernels that count"),
             launch);
// The null-kernel method: kernels that follow each other in a stream.
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
             launch_cooperative);
SM_LAUNCH_OP(additional_cooperative_launch,
             host_launch_at_once("additional_cooperative_launch",
                                 "one more empty cooperative kernel in a stream"),
             launch_another_cooperative);
SM_LAUNCH_OP(
    graph_launch,
    host_launch_of_graph(
        "graph_launch",
        "launch of a graph of empty kernels in sequence, then cudaStreamSynchronize; per graph"),
    launch_chain);
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

// One kernel with two units of work against two kernels with one: what is measured ends a kernel
// between them.
struct kernel_split {
  static constexpr op_info info = [] {
    op_info split = host_launch(
        "kernel_split", "two kernels with one unit of work each (about 5 us) against one kernel "
                        "with both; marginal: launch time hidden behind the work is not counted");
    split.pairing = pairing::insert;
    return split;
  }();
  SM_FN static void before(has_launch_words auto& lane) { lane.add_work(); }
  SM_FN static void measured(has_launch_words auto& lane) { lane.cut_work(); }
  SM_FN static void after(has_launch_words auto& lane) { lane.end_work(); }
};

// The same where every kernel comes in while the one before it works.
struct programmatic_split {
  static constexpr op_info info = [] {
    op_info split = kernel_split::info;
    split.name = "programmatic_split";
    split.kind = static_cast<std::uint8_t>(launch_kind::programmatic);
    split.note = "kernel_split with programmatic dependent launches on both sides; marginal; "
                 "compute capability 9.0 or newer";
    return split;
  }();
  SM_FN static void before(has_launch_words auto& lane) { lane.add_work(); }
  SM_FN static void measured(has_launch_words auto& lane) { lane.cut_work_early(); }
  SM_FN static void after(has_launch_words auto& lane) { lane.end_work_early(); }
};

using launch_ops = op_list<launch, additional_launch, launch_call, cooperative_launch,
                           additional_cooperative_launch, graph_launch, additional_graph_launch,
                           programmatic_launch, kernel_split, programmatic_split, blocking_copy,
                           stream_order, stream_event_order, event_record_wait>;

}  // namespace ops
}  // namespace syncmeter::cuda
