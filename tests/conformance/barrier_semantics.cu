// What barriers of each level order, and what this GPU does with one in divergent code. One case
// for each process: a barrier that nobody passes cannot be taken back.
//
//   barrier-semantics          the names of the cases
//   barrier-semantics CASE     {"case":"..","device":"..","outcome":"..","seen":n,"of":n}
//
// Status 0: the case ran, or hung and says so; 77: there is no such thing on this machine, or no
// GPU (the reason is on standard error); 1: an error.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

namespace cg = cooperative_groups;

constexpr int cannot = 77;
constexpr unsigned warp_size = 32, half_warp = 16, block_threads = 256, cluster_blocks = 4;
constexpr unsigned rounds = 500;
constexpr auto deadline = std::chrono::seconds(5);

void require(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "barrier-semantics: %s: %s\n", call, cudaGetErrorString(code));
  std::exit(1);
}
#define REQUIRE(call) require(call, #call)

[[noreturn]] void refuse(const char* reason) {
  std::fprintf(stderr, "barrier-semantics: %s\n", reason);
  std::exit(cannot);
}

/// What a kernel finds, in memory that both sides see.
struct findings {
  unsigned long long seen;  ///< outcomes that the case counts
  unsigned long long of;    ///< how often it looked
  unsigned arrived, passed, done;
};

__device__ unsigned thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

enum class level { warp, block, cluster, grid, none_of_grid };

template <level L> __device__ void barrier() {
  if constexpr (L == level::warp) __syncwarp();
  if constexpr (L == level::block || L == level::none_of_grid) __syncthreads();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if constexpr (L == level::cluster) cg::this_cluster().sync();
#endif
  if constexpr (L == level::grid) cg::this_grid().sync();
}

/// Another thread of the same warp, block, cluster or grid, and where there is one of another part
/// of it (a warp's lane, a block's warp, a cluster's block).
template <level L> __device__ unsigned partner() {
  const unsigned me = thread_of_grid(), all = gridDim.x * blockDim.x;
  if constexpr (L == level::warp) return me ^ 1U;
  if constexpr (L == level::block) return me ^ warp_size;
  if constexpr (L == level::cluster) return me ^ blockDim.x;
  return (me + all / 2) % all;
}

__device__ void report(unsigned missing, findings* found) {
  if (missing != 0) atomicAdd(&found->seen, static_cast<unsigned long long>(missing));
  if (threadIdx.x == 0) atomicAdd(&found->of, static_cast<unsigned long long>(rounds) * blockDim.x);
}

/// Each thread writes, passes the barrier, and reads what its partner wrote; by plain accesses,
/// which a barrier has to order. Counts what was not there.
template <level L> __global__ void exchange(unsigned* words, findings* found) {
  unsigned missing = 0;
  for (unsigned round = 1; round <= rounds; ++round) {
    words[thread_of_grid()] = round;
    barrier<L>();
    // A partner beyond the barrier's reach may be rounds ahead; what counts is one behind.
    if (words[partner<L>()] < round) ++missing;
    barrier<L>();
  }
  report(missing, found);
}

/// The same from one block's own memory to another block of the cluster.
__global__ void exchange_in_cluster(findings* found) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ unsigned words[block_threads];
  const auto cluster = cg::this_cluster();
  const unsigned* theirs =
      cluster.map_shared_rank(words, (cluster.block_rank() + 1) % cluster.num_blocks());
  unsigned missing = 0;
  for (unsigned round = 1; round <= rounds; ++round) {
    words[threadIdx.x] = round;
    cluster.sync();
    if (theirs[threadIdx.x] != round) ++missing;
    cluster.sync();
  }
  report(missing, found);
#endif
}

__device__ long long now_ns() {
  long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}
__device__ unsigned peek(const unsigned* word) {
  return *const_cast<const volatile unsigned*>(word);
}

// Two barriers in the text, one in hardware; the text differs so that no compiler makes them one.
__device__ void sync_here() { __syncthreads(); }
__device__ void sync_there() { asm volatile("barrier.sync 0; // there" ::: "memory"); }

__device__ bool in_first_half() { return threadIdx.x % warp_size < half_warp; }

/// The halves of each warp wait at another barrier of the text.
__global__ void two_branches(findings* found) {
  if (in_first_half()) {
    sync_here();
    atomicAdd(&found->seen, 1ULL);
  } else {
    sync_there();
    atomicAdd(&found->of, 1ULL);
  }
  __syncthreads();
  if (threadIdx.x == 0) found->done = 1;
}

/// One half of a warp waits; the other looks for a while whether it has passed, then comes too.
/// `seen`: lanes that passed before all had arrived.
__global__ void late_half(findings* found) {
  constexpr long long patience_ns = 50'000'000;
  if (in_first_half()) {
    if (threadIdx.x % warp_size == 0) atomicExch(&found->arrived, 1U);
    sync_here();
    atomicAdd(&found->passed, 1U);
  } else {
    const long long start = now_ns();
    while (peek(&found->arrived) == 0 && now_ns() - start < patience_ns) {
    }
    const long long arrived = now_ns();
    while (peek(&found->passed) == 0 && now_ns() - arrived < patience_ns) {
    }
    const unsigned early = peek(&found->passed);
    if (threadIdx.x % warp_size == half_warp) {
      found->seen = early;
      found->of = peek(&found->arrived);
    }
    sync_there();
  }
  __syncthreads();
  if (threadIdx.x == 0) found->done = 1;
}

/// One half of each warp ends without a barrier.
__global__ void half_ends(findings* found) {
  if (!in_first_half()) return;
  sync_here();
  atomicAdd(&found->seen, 1ULL);
  found->done = 1;
}

/// One half of each warp waits twice, the other once before it ends.
__global__ void one_fewer(findings* found) {
  if (in_first_half()) {
    sync_here();
    sync_here();
    atomicAdd(&found->seen, 1ULL);
    found->done = 1;
  } else {
    sync_there();
  }
}

struct launch {
  unsigned blocks = 1, threads = warp_size;
  bool cooperative = false, cluster = false;
};

void start(const void* kernel, const launch& how, void** arguments) {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(how.blocks);
  config.blockDim = dim3(how.threads);
  config.attrs = attributes;
  if (how.cooperative) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  if (how.cluster) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs].val.clusterDim.x = cluster_blocks;
    attributes[config.numAttrs].val.clusterDim.y = 1;
    attributes[config.numAttrs++].val.clusterDim.z = 1;
  }
  REQUIRE(cudaLaunchKernelExC(&config, kernel, arguments));
}

/// Whether the kernel ended in time.
bool ends() {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < deadline) {
    const cudaError_t state = cudaStreamQuery(nullptr);
    if (state == cudaSuccess) return true;
    if (state != cudaErrorNotReady) require(state, "the kernel");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

struct test_case {
  const char* name;
  const void* kernel;
  launch how;
  bool takes_words = false;
  const char* none_seen = "";  ///< the outcome when nothing was counted
  const char* some_seen = "";  ///< and when something was
};

template <class... Parameters> const void* stub_of(void (*kernel)(Parameters...)) {
  return reinterpret_cast<const void*>(kernel);
}

constexpr const char *ordered = "ordered", *unordered = "not ordered", *hangs = "hangs",
                     *lost = "lost", *ended = "lanes that ended are not waited for";
constexpr unsigned many_blocks = 0;  ///< as many as run at once
constexpr launch one_block{1, block_threads},
    two_clusters{2 * cluster_blocks, block_threads, false, true},
    whole_grid{many_blocks, block_threads, true}, all_blocks{many_blocks, block_threads},
    two_warps{1, 2 * warp_size}, one_warp{1, warp_size};

const test_case cases[] = {
    {"warp_orders_warp", stub_of(exchange<level::warp>), one_block, true, ordered, unordered},
    {"block_orders_block", stub_of(exchange<level::block>), one_block, true, ordered, unordered},
    {"cluster_orders_cluster", stub_of(exchange<level::cluster>), two_clusters, true, ordered,
     unordered},
    {"cluster_orders_shared_memory", stub_of(exchange_in_cluster), two_clusters, false, ordered,
     unordered},
    {"grid_orders_grid", stub_of(exchange<level::grid>), whole_grid, true, ordered, unordered},
    {"block_does_not_order_grid", stub_of(exchange<level::none_of_grid>), all_blocks, true,
     "not seen", unordered},
    {"divergent_branches", stub_of(two_branches), two_warps, false, lost, "works"},
    {"divergent_late_half", stub_of(late_half), one_warp, false, "waits for every lane",
     "does not wait for every lane"},
    {"divergent_half_ends", stub_of(half_ends), two_warps, false, lost, ended},
    {"divergent_one_fewer", stub_of(one_fewer), two_warps, false, lost, ended}};

int run(const test_case& what) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) refuse("there is no GPU");
  cudaDeviceProp device{};
  REQUIRE(cudaGetDeviceProperties(&device, 0));
  launch how = what.how;
  if (how.cluster && device.major < 9) refuse("this GPU has no clusters: they came with 9.0");
  if (how.blocks == many_blocks) {
    int blocks = 0;
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, what.kernel,
                                                          static_cast<int>(how.threads), 0));
    how.blocks = static_cast<unsigned>(blocks * device.multiProcessorCount);
  }
  findings* found = nullptr;
  unsigned* words = nullptr;
  // Pinned, so that a host can read it though the kernel never ends.
  REQUIRE(cudaHostAlloc(reinterpret_cast<void**>(&found), sizeof *found, cudaHostAllocMapped));
  std::memset(found, 0, sizeof *found);
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&words), how.blocks * how.threads * sizeof *words));
  REQUIRE(cudaMemset(words, 0, how.blocks * how.threads * sizeof *words));
  REQUIRE(cudaDeviceSynchronize());
  void* with_words[] = {&words, &found};
  void* without[] = {&found};
  start(what.kernel, how, what.takes_words ? with_words : without);
  const bool done = ends();
  const char* outcome = !done ? hangs : found->seen == 0 ? what.none_seen : what.some_seen;
  std::printf("{\"case\":\"%s\",\"device\":\"%s\",\"outcome\":\"%s\",\"seen\":%llu,\"of\":%llu}\n",
              what.name, device.name, outcome, found->seen, found->of);
  std::fflush(stdout);
  // Not by way of the runtime's destructors: they would wait for a kernel that hangs.
  std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const test_case& one : cases) std::puts(one.name);
    return 0;
  }
  for (const test_case& one : cases) {
    if (std::strcmp(argv[1], one.name) == 0) return run(one);
  }
  std::fprintf(stderr, "barrier-semantics: '%s' is not a case; without an argument it names them\n",
               argv[1]);
  return 1;
}
