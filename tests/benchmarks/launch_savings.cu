// What a host that launches small kernels one by one, or waits for each, could save: the same
// kernels in several forms, and how long the loop of each takes.
//
//   launch_savings FORM [--steps N] [--launches N] [--of-graph N]
//
// FORM is one of the names in `forms`; `steps` is the length of a kernel, in dependent adds. Prints
// what the kernels computed, the same for all forms of one group, and on standard error how long
// the loop took.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(3);
}

constexpr int threads = 256, blocks = 16, cells = threads * blocks, streams = 4;

struct options {
  int steps = 1000, launches = 40'000, of_graph = 100;
};

__global__ void add(int* cell, int steps, int* last) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int mine = cell[i];
  for (int s = 0; s < steps; ++s) {
    ++mine;
    asm volatile("" : "+r"(mine));  // one after the other
  }
  cell[i] = mine;
  if (i == 0) *last = mine;
}

/// What all forms work on.
struct memory {
  int* cell = nullptr;    ///< cells for each stream
  int* values = nullptr;  ///< one of each launch
  int* pinned = nullptr;
  std::array<cudaStream_t, streams> stream{};
  cudaEvent_t event = nullptr;
  std::vector<int> host;

  explicit memory(const options& how) : host(static_cast<std::size_t>(how.launches)) {
    check(cudaMalloc(&cell, streams * cells * sizeof(int)));
    check(cudaMemset(cell, 0, streams * cells * sizeof(int)));
    check(cudaMalloc(&values, host.size() * sizeof(int)));
    check(cudaMemset(values, 0, host.size() * sizeof(int)));
    check(cudaMallocHost(&pinned, streams * cells * sizeof(int)));
    for (cudaStream_t& each : stream) check(cudaStreamCreate(&each));
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    // Not in the loop: the kernel is loaded when it is launched first.
    add<<<blocks, threads, 0, stream[0]>>>(cell, 0, values);
    check(cudaDeviceSynchronize());
  }

  void launch(const options& how, int number, int in_stream = 0) const {
    add<<<blocks, threads, 0, stream[in_stream]>>>(cell + in_stream * cells, how.steps,
                                                   values + number);
  }
  void copy_cells(int in_stream, int of_stream) const {
    check(cudaMemcpyAsync(pinned + of_stream * cells, cell + of_stream * cells, cells * sizeof(int),
                          cudaMemcpyDeviceToHost, stream[in_stream]));
  }
  void copy_values() {
    check(cudaMemcpy(host.data(), values, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  }
};

void launches(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) of.launch(how, l);
}

cudaGraphExec_t graph_of(memory& of, const options& how, int first) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t launched = nullptr;
  check(cudaStreamBeginCapture(of.stream[0], cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < how.of_graph; ++k) of.launch(how, first + k);
  check(cudaStreamEndCapture(of.stream[0], &graph));
  check(cudaGraphInstantiate(&launched, graph, 0));
  return launched;
}

/// Each graph has the same kernels, which write their values at the same places.
void graphs(memory& of, const options& how) {
  cudaGraphExec_t const graph = graph_of(of, how, 0);
  for (int l = 0; l < how.launches; l += how.of_graph) check(cudaGraphLaunch(graph, of.stream[0]));
}

void device_waits(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) {
    of.launch(how, l);
    check(cudaDeviceSynchronize());
  }
}

void stream_waits(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) {
    of.launch(how, l);
    check(cudaStreamSynchronize(of.stream[0]));
  }
}

void event_waits(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) {
    of.launch(how, l);
    check(cudaEventRecord(of.event, of.stream[0]));
    check(cudaEventSynchronize(of.event));
  }
}

void copies(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) {
    of.launch(how, l);
    check(cudaMemcpy(&of.host[l], of.values + l, sizeof(int), cudaMemcpyDeviceToHost));
  }
}

void one_copy(memory& of, const options& how) {
  launches(of, how);
  check(cudaDeviceSynchronize());
  of.copy_values();
}

/// An asynchronous copy after each kernel, which no call waits for.
void asynchronous_copies(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) {
    of.launch(how, l);
    of.copy_cells(0, 0);
  }
}

void waits_for_copies(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) {
    of.launch(how, l);
    of.copy_cells(0, 0);
    check(cudaStreamSynchronize(of.stream[0]));
  }
}

/// Streams whose kernels run at the same time.
void overlapping_streams(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) of.launch(how, l, l % streams);
}

/// Kernels in some streams, and copies of the cells of others in theirs, at the same time.
void overlapping_copies(memory& of, const options& how) {
  for (int l = 0; l < how.launches; ++l) {
    of.launch(how, l, l % 2);
    of.copy_cells(2 + l % 2, 2 + l % 2);
  }
}

void graphs_and_kernels(memory& of, const options& how) {
  cudaGraphExec_t const graph = graph_of(of, how, 0);
  for (int l = 0; l < how.launches; l += how.of_graph + 1) {
    check(cudaGraphLaunch(graph, of.stream[0]));
    of.launch(how, l);
  }
}

struct form {
  std::string_view name;
  void (*run)(memory& of, const options& how);
};
constexpr std::array forms{
    form{"launches", launches},
    form{"graphs", graphs},
    form{"device-waits", device_waits},
    form{"stream-waits", stream_waits},
    form{"event-waits", event_waits},
    form{"copies", copies},
    form{"one-copy", one_copy},
    form{"asynchronous-copies", asynchronous_copies},
    form{"waits-for-copies", waits_for_copies},
    form{"overlapping-streams", overlapping_streams},
    form{"overlapping-copies", overlapping_copies},
    form{"graphs-and-kernels", graphs_and_kernels},
};

void run(const form& one, const options& how) {
  memory of(how);
  const auto begin = std::chrono::steady_clock::now();
  one.run(of, how);
  check(cudaDeviceSynchronize());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::array<int, streams> last{};
  for (int s = 0; s < streams; ++s)
    check(cudaMemcpy(&last[s], of.cell + s * cells, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", last[0], last[1], last[2], last[3]);
  std::fprintf(stderr, "loop_s %.6f\n", took.count());
}

/// The same in two processes at once.
void run_in_two(const form& one, const options& how) {
  for (int process = 0; process < 2; ++process)
    if (::fork() == 0) {
      run(one, how);
      std::exit(0);
    }
  while (::wait(nullptr) > 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  bool in_two = false;
  const form* chosen = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--steps" && has_value) how.steps = std::atoi(argv[++i]);
    else if (word == "--launches" && has_value) how.launches = std::atoi(argv[++i]);
    else if (word == "--of-graph" && has_value) how.of_graph = std::atoi(argv[++i]);
    else if (word == "--two-processes") in_two = true;
    else
      for (const form& each : forms)
        if (each.name == word) chosen = &each;
  }
  if (chosen == nullptr || how.launches < how.of_graph) {
    std::fprintf(stderr, "launch_savings FORM [--steps N] [--launches N] [--of-graph N] "
                         "[--two-processes]; FORM is one of");
    for (const form& each : forms)
      std::fprintf(stderr, " %.*s", static_cast<int>(each.name.size()), each.name.data());
    std::fprintf(stderr, "\n");
    return 2;
  }
  if (in_two) run_in_two(*chosen, how);
  else run(*chosen, how);
}
