#include "backends/cuda/launch/launch_queue.hpp"

#include <vector>

#include "core/harness/core_probes.hpp"

namespace syncmeter::cuda {
namespace {

void wait(launch_queue& queue) {
  SM_CUDA(cudaStreamSynchronize(queue.first.get()));
  queue.queued = 0;
}

void wait_when_full(launch_queue& queue) {
  if (++queue.queued >= most_queued) wait_for_all(queue);
}

// End a word: the host waits for its kernels, or goes on.
void finish(launch_queue& queue) {
  wait(queue);
  ++queue.calls;
}
void go_on(launch_queue& queue) {
  ++queue.calls;
  wait_when_full(queue);
}

void launch_null(launch_queue& queue) {
  void* arguments[] = {&queue.counts};
  SM_CUDA(cudaLaunchKernel(null_kernel(), dim3(queue.blocks), dim3(queue.lanes), arguments, 0,
                           queue.first.get()));
}

void launch_cooperative(launch_queue& queue) {
  void* arguments[] = {&queue.counts};
  SM_CUDA(cudaLaunchCooperativeKernel(null_kernel(), dim3(queue.blocks), dim3(queue.lanes),
                                      arguments, 0, queue.first.get()));
}

void launch_chain(launch_queue& queue) {
  const auto& chain = queue.counts == nullptr ? queue.chain : queue.counting_chain;
  SM_CUDA(cudaGraphLaunch(chain.get(), queue.first.get()));
}

// Launches a kernel that may start before the queued kernels end.
void launch_early(launch_queue& queue, const void* kernel, void** arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(queue.blocks);
  config.blockDim = dim3(queue.lanes);
  config.stream = queue.first.get();
  config.attrs = &early;
  config.numAttrs = 1;
  SM_CUDA(cudaLaunchKernelExC(&config, kernel, arguments));
}

void launch_work(launch_queue& queue, bool early = false) {
  float factor = 0.5F;
  void* arguments[] = {&queue.board, &queue.pending, &factor};
  if (early) {
    launch_early(queue, dependent_work_kernel(), arguments);
  } else {
    SM_CUDA(cudaLaunchKernel(work_kernel(), dim3(queue.blocks), dim3(queue.lanes), arguments, 0,
                             queue.first.get()));
  }
  queue.pending = 0;
  wait_when_full(queue);
}

void launch_ordered(launch_queue& queue, cudaStream_t stream) {
  unsigned long long number = queue.calls;
  void* arguments[] = {&queue.board, &number};
  SM_CUDA(cudaLaunchKernel(ordered_kernel(), dim3(queue.blocks), dim3(queue.lanes), arguments, 0,
                           stream));
  go_on(queue);
}

}  // namespace

void make_chain(executable_graph& chain, unsigned nodes, unsigned blocks, unsigned lanes,
                launch_board* board) {
  graph_plan links;
  void* arguments[] = {&board};
  std::vector<cudaGraphNode_t> last;
  for (unsigned i = 0; i < nodes; ++i)
    last = {links.add(null_kernel(), blocks, lanes, arguments, last)};
  chain.make(links);
}

void wait_for_all(launch_queue& queue) {
  wait(queue);
  SM_CUDA(cudaStreamSynchronize(queue.second.get()));
}

void launch_and_wait(launch_queue& queue) {
  launch_null(queue);
  finish(queue);
}

void launch_another(launch_queue& queue) {
  launch_null(queue);
  go_on(queue);
}

void launch_timed(launch_queue& queue) {
  const auto start = steady_ns();
  launch_null(queue);
  queue.in_call_ns += steady_ns() - start;
  finish(queue);
}

void launch_cooperative_and_wait(launch_queue& queue) {
  launch_cooperative(queue);
  finish(queue);
}

void launch_another_cooperative(launch_queue& queue) {
  launch_cooperative(queue);
  go_on(queue);
}

void launch_chain_and_wait(launch_queue& queue) {
  launch_chain(queue);
  finish(queue);
}

void launch_another_chain(launch_queue& queue) {
  launch_chain(queue);
  go_on(queue);
}

void launch_programmatic(launch_queue& queue) {
  void* arguments[] = {&queue.counts};
  launch_early(queue, dependent_kernel(), arguments);
  go_on(queue);
}

void add_work(launch_queue& queue) { ++queue.pending; }

void cut_work(launch_queue& queue) { launch_work(queue); }

void end_work(launch_queue& queue) {
  ++queue.pending;
  ++queue.calls;
  launch_work(queue);
}

void cut_work_early(launch_queue& queue) { launch_work(queue, true); }

void end_work_early(launch_queue& queue) {
  ++queue.pending;
  ++queue.calls;
  launch_work(queue, true);
}

void copy_back(launch_queue& queue) {
  std::uint32_t brought = 0;
  SM_CUDA(cudaMemcpy(&brought, &queue.board->count, sizeof brought, cudaMemcpyDeviceToHost));
  queue.right += brought == copied_word ? 1U : 0U;
  ++queue.calls;
}

void launch_in_order(launch_queue& queue) { launch_ordered(queue, queue.first.get()); }

void launch_after_event(launch_queue& queue) {
  const unsigned turn = queue.calls % 2;
  const cudaStream_t from = turn == 0 ? queue.first.get() : queue.second.get();
  const cudaStream_t to = turn == 0 ? queue.second.get() : queue.first.get();
  SM_CUDA(cudaEventRecord(queue.marks[turn].get(), from));
  SM_CUDA(cudaStreamWaitEvent(to, queue.marks[turn].get(), 0));
  launch_ordered(queue, to);
}

void record_and_wait(launch_queue& queue) {
  SM_CUDA(cudaEventRecord(queue.marks[0].get(), queue.first.get()));
  SM_CUDA(cudaEventSynchronize(queue.marks[0].get()));
  ++queue.calls;
}

}  // namespace syncmeter::cuda
