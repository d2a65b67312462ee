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

consteval op_info host_launch(std::string_view name, std::string_view note) {
  return {.name = name, .family = family::launch, .unroll = 1, .host_lane = true, .note = note};
}
consteval op_info host_launch_of_graph(std::string_view name, std::string_view note) {
  op_info info = host_launch(name, note);
  info.size_of = "kernels of a graph";
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
             host_launch("launch", "a kernel that does nothing, and cudaStreamSynchronize; such "
                                   "kernels are counted before and after each sample"),
             launch);
// The null-kernel method: kernels that follow each other in a stream.
SM_LAUNCH_OP(additional_launch,
             host_launch("additional_launch",
                         "one more kernel that does nothing in a stream; the host waits once for "
                         "all, or after each 1000, since more would fill the launch queue"),
             launch_another);
SM_LAUNCH_OP(launch_call,
             host_launch("launch_call",
                         "until the launch of a kernel that does nothing returns, the device idle: "
                         "the time inside the call, less that between two readings of the clock"),
             launch_timed);
SM_LAUNCH_OP(cooperative_launch,
             host_launch_at_once("cooperative_launch",
                                 "cudaLaunchCooperativeKernel of a kernel that does nothing, and "
                                 "cudaStreamSynchronize"),
             launch_cooperative);
SM_LAUNCH_OP(additional_cooperative_launch,
             host_launch_at_once("additional_cooperative_launch",
                                 "one more cooperative kernel that does nothing in a stream"),
             launch_another_cooperative);
SM_LAUNCH_OP(graph_launch,
             host_launch_of_graph("graph_launch",
                                  "a graph of kernels that do nothing, each after the one before "
                                  "it, and cudaStreamSynchronize; per graph"),
             launch_chain);
SM_LAUNCH_OP(additional_graph_launch,
             host_launch_of_graph("additional_graph_launch",
                                  "one more graph of kernels that do nothing in a stream; per "
                                  "graph"),
             launch_another_chain);
SM_LAUNCH_OP(programmatic_launch,
             host_launch("programmatic_launch",
                         "one more kernel that does nothing in a stream, launched before the one "
                         "it depends on is over, for which it waits itself; cc >= 9.0"),
             launch_programmatic);
SM_LAUNCH_OP(blocking_copy,
             host_launch("blocking_copy", "cudaMemcpy of 4 bytes from an idle device, which waits"),
             copy_back);
SM_LAUNCH_OP(stream_order,
             host_launch("stream_order",
                         "one more kernel in a stream that reads what the one before it wrote"),
             launch_in_order);
SM_LAUNCH_OP(stream_event_order,
             host_launch("stream_event_order",
                         "the same, each kernel in the other of two streams: cudaEventRecord in "
                         "one, cudaStreamWaitEvent in the other"),
             launch_after_event);
SM_LAUNCH_OP(event_record_wait,
             host_launch("event_record_wait",
                         "cudaEventRecord in an idle stream, and cudaEventSynchronize; nothing "
                         "that could be checked"),
             record_and_wait);
#undef SM_LAUNCH_OP

// One kernel with two units of work against two kernels with one: what is measured ends a kernel
// between them.
struct kernel_split {
  static constexpr op_info info = [] {
    op_info split = host_launch(
        "kernel_split", "two kernels with one unit of work each, about 5 us, against one kernel "
                        "with both: marginal, what of it the work covers is not in it");
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
    split.note = "kernel_split with programmatic dependent launches on both sides: the next kernel "
                 "waits on the device for the one before it; marginal; cc >= 9.0";
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
