// Kernels whose atomic operations and barriers are known by formulas: what `syncmeter advise` must
// count, and which way to do the same is faster.
//
//   closed_kernels [--way global|warp|block|both] [--launches N] [--rounds N] [--counts] [--times]
//                 [--no-loops] [NAME ...]
//
// Each line of output is a JSON object, of a case; with --counts what it updates over all launches,
// as its inputs say, with --times how long the GPU took. A case is launched by a function of its
// own, launch_case<its number>.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(3);
}

using wide = unsigned long long;
constexpr unsigned warp = 32, all_lanes = ~0U, most_in_shared_memory = 4096;

/// What a launch works on: `number` values, each for the cell that `at` names.
struct updates {
  const unsigned* at;
  unsigned number, cells;
  unsigned work;  ///< steps of other work before each update
};

__device__ unsigned worked(unsigned steps, unsigned cell) {
  float sum = static_cast<float>(cell);
  for (unsigned i = 0; i < steps; ++i) {
    sum = sum * 0.999F + 1.0F;
    asm volatile("" : "+f"(sum));  // else it is known to be positive, and not worked out
  }
  return cell + (sum < -1.0F ? 1U : 0U);
}

/// Of the lanes with one cell the lowest adds for all, each of which has the value 1.
template <class T> __device__ void add_by_warp(T* cells, unsigned cell) {
  const unsigned peers = __match_any_sync(all_lanes, cell);
  if (threadIdx.x % warp == static_cast<unsigned>(__ffs(static_cast<int>(peers)) - 1))
    atomicAdd(&cells[cell], static_cast<T>(__popc(peers)));
}

// Kernels of one name are one in what nvdisasm prints: each has its own.
#define SM_WAYS(NAME, T)                                                                           \
  __global__ void NAME##_global(updates of, T* cells) {                                            \
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < of.number;                        \
         i += gridDim.x * blockDim.x)                                                              \
      atomicAdd(&cells[worked(of.work, of.at[i])], T{1});                                          \
  }                                                                                                \
  __global__ void NAME##_warp(updates of, T* cells) {                                              \
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < of.number;                        \
         i += gridDim.x * blockDim.x)                                                              \
      add_by_warp(cells, worked(of.work, of.at[i]));                                               \
  }                                                                                                \
  __global__ void NAME##_block(updates of, T* cells) {                                             \
    __shared__ T own[most_in_shared_memory];                                                       \
    for (unsigned i = threadIdx.x; i < of.cells; i += blockDim.x) own[i] = 0;                      \
    __syncthreads();                                                                               \
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < of.number;                        \
         i += gridDim.x * blockDim.x)                                                              \
      atomicAdd(&own[worked(of.work, of.at[i])], T{1});                                            \
    __syncthreads();                                                                               \
    for (unsigned i = threadIdx.x; i < of.cells; i += blockDim.x) atomicAdd(&cells[i], own[i]);    \
  }                                                                                                \
  __global__ void NAME##_both(updates of, T* cells) {                                              \
    __shared__ T own[most_in_shared_memory];                                                       \
    for (unsigned i = threadIdx.x; i < of.cells; i += blockDim.x) own[i] = 0;                      \
    __syncthreads();                                                                               \
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < of.number;                        \
         i += gridDim.x * blockDim.x)                                                              \
      add_by_warp(own, worked(of.work, of.at[i]));                                                 \
    __syncthreads();                                                                               \
    for (unsigned i = threadIdx.x; i < of.cells; i += blockDim.x) atomicAdd(&cells[i], own[i]);    \
  }
SM_WAYS(histogram, unsigned)
SM_WAYS(degrees, float)
SM_WAYS(sums, wide)
#undef SM_WAYS

/// Blocks relax a part of a row, and raise the flags of their neighbours: `work` rounds.
__global__ void stencil(updates of, unsigned* flags) {
  __shared__ float part[1024];
  part[threadIdx.x] = static_cast<float>(threadIdx.x);
  for (unsigned round = 0; round < of.work; ++round) {
    __syncthreads();
    const float next = part[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    part[threadIdx.x] = 0.5F * (part[threadIdx.x] + next);
    if (threadIdx.x == 0) {
      atomicAdd(&flags[(blockIdx.x + 1) % gridDim.x], 1U);
      atomicAdd(&flags[(blockIdx.x + gridDim.x - 1) % gridDim.x], 1U);
    }
  }
  if (part[threadIdx.x] < -1.0F) flags[0] = 0;
}

/// `work` barriers, with as many steps of other work before each as there are cells.
__global__ void barriers(updates of, unsigned* cells) {
  unsigned sum = threadIdx.x;
  for (unsigned round = 0; round < of.work; ++round) {
    sum = worked(of.cells - 1, sum);
    __syncthreads();
  }
  if (sum == all_lanes) cells[0] = 0;
}

/// Which cell a value is for.
enum class pattern {
  even,     ///< drawn at random
  runs,     ///< 32 after one another alike
  hub,      ///< every second one the cell 7, else drawn
  ordered,  ///< one after another
};
enum class kind { histogram, degrees, sums, stencil, barriers };

struct closed_case {
  const char* name;
  kind of;
  pattern to;
  unsigned number;  ///< of values; of stencils and barriers 0
  unsigned cells;
  unsigned blocks, threads, work, launches;
  bool may_gain;  ///< as it is meant: nothing else but updates or barriers takes its time
};

constexpr unsigned million = 1U << 20U;
constexpr std::array cases{
    closed_case{"hist-1", kind::histogram, pattern::even, 4 * million, 1, 1056, 256, 0, 8, true},
    closed_case{"hist-4", kind::histogram, pattern::even, 4 * million, 4, 1056, 256, 0, 12, true},
    closed_case{"hist-16", kind::histogram, pattern::even, 4 * million, 16, 1056, 256, 0, 16, true},
    closed_case{"hist-64", kind::histogram, pattern::even, 8 * million, 64, 1056, 256, 0, 8, true},
    closed_case{"hist-256", kind::histogram, pattern::even, 8 * million, 256, 1056, 256, 0, 10,
                true},
    closed_case{"hist-1k", kind::histogram, pattern::even, 16 * million, 1024, 1056, 256, 0, 16,
                true},
    closed_case{"hist-4k", kind::histogram, pattern::even, 16 * million, 4096, 1056, 256, 0, 30,
                true},
    closed_case{"hist-16k", kind::histogram, pattern::even, 16 * million, 16384, 1056, 256, 0, 40,
                true},
    closed_case{"hist-64k", kind::histogram, pattern::even, 16 * million, 65536, 1056, 256, 0, 40,
                true},
    closed_case{"hist-256-runs", kind::histogram, pattern::runs, 4 * million, 256, 1056, 256, 0, 12,
                true},
    closed_case{"hist-4k-runs", kind::histogram, pattern::runs, 4 * million, 4096, 1056, 256, 0,
                120, true},
    closed_case{"hist-64k-runs", kind::histogram, pattern::runs, 4 * million, 65536, 1056, 256, 0,
                300, true},
    closed_case{"hist-1k-hub", kind::histogram, pattern::hub, 4 * million, 1024, 1056, 256, 0, 14,
                true},
    closed_case{"hist-64k-hub", kind::histogram, pattern::hub, 4 * million, 65536, 1056, 256, 0, 14,
                true},
    closed_case{"hist-1k-1024", kind::histogram, pattern::even, 16 * million, 1024, 132, 1024, 0,
                16, true},
    closed_case{"degrees-32", kind::degrees, pattern::even, 4 * million, 32, 1056, 256, 0, 20,
                true},
    closed_case{"degrees-512", kind::degrees, pattern::even, 8 * million, 512, 1056, 256, 0, 16,
                true},
    closed_case{"degrees-4k", kind::degrees, pattern::even, 16 * million, 4096, 1056, 256, 0, 40,
                true},
    closed_case{"degrees-32k", kind::degrees, pattern::even, 16 * million, 32768, 1056, 256, 0, 40,
                true},
    closed_case{"degrees-1k-hub", kind::degrees, pattern::hub, 2 * million, 1024, 1056, 256, 0, 14,
                true},
    closed_case{"degrees-32k-hub", kind::degrees, pattern::hub, 2 * million, 32768, 1056, 256, 0,
                14, true},
    closed_case{"sum-1", kind::sums, pattern::even, 4 * million, 1, 1056, 256, 0, 8, true},
    closed_case{"sum-8", kind::sums, pattern::even, 4 * million, 8, 1056, 256, 0, 18, true},
    closed_case{"sum-512", kind::sums, pattern::even, 8 * million, 512, 1056, 256, 0, 30, true},
    closed_case{"sum-512-runs", kind::sums, pattern::runs, 4 * million, 512, 1056, 256, 0, 50,
                true},
    closed_case{"stencil-256", kind::stencil, pattern::even, 0, 1056, 1056, 256, 2000, 30, true},
    closed_case{"stencil-1024", kind::stencil, pattern::even, 0, 264, 264, 1024, 2000, 30, true},
    closed_case{"barriers-64", kind::barriers, pattern::even, 0, 1, 1056, 64, 10000, 60, true},
    closed_case{"barriers-256", kind::barriers, pattern::even, 0, 1, 1056, 256, 10000, 30, true},
    closed_case{"barriers-1024", kind::barriers, pattern::even, 0, 1, 264, 1024, 10000, 30, true},
    // With nothing to gain: much other work, or updates of addresses side by side.
    closed_case{"rest-private", kind::histogram, pattern::ordered, 4 * million, 1U << 17U, 1056,
                256, 100, 500, false},
    closed_case{"rest-hist-64k", kind::histogram, pattern::even, 4 * million, 65536, 1056, 256, 600,
                140, false},
    closed_case{"rest-hist-256", kind::histogram, pattern::even, million, 256, 1056, 256, 12000, 25,
                false},
    closed_case{"rest-hist-1k", kind::histogram, pattern::even, million, 1024, 1056, 256, 4000, 80,
                false},
    closed_case{"rest-degrees-4k", kind::degrees, pattern::even, million, 4096, 1056, 256, 2000,
                160, false},
    closed_case{"rest-degrees-32k", kind::degrees, pattern::even, 2 * million, 32768, 1056, 256,
                1000, 160, false},
    closed_case{"rest-sum-512", kind::sums, pattern::even, million, 512, 1056, 256, 8000, 40,
                false},
    closed_case{"rest-few-blocks", kind::histogram, pattern::even, million, 4096, 8, 128, 500, 12,
                false},
    closed_case{"rest-barriers-256", kind::barriers, pattern::even, 0, 2000, 1056, 256, 400, 4,
                false},
    closed_case{"rest-barriers-1024", kind::barriers, pattern::even, 0, 4000, 264, 1024, 200, 4,
                false},
};

/// The finalizer of MurmurHash3.
__host__ __device__ unsigned scrambled(unsigned x) {
  x = (x ^ (x >> 16U)) * 0x85ebca6bU;
  x = (x ^ (x >> 13U)) * 0xc2b2ae35U;
  return x ^ (x >> 16U);
}

/// Which cell the value of this number is for.
__host__ __device__ unsigned cell_of(pattern to, unsigned number, unsigned cells) {
  if (to == pattern::ordered) return number % cells;
  if (to == pattern::hub && number % 2 == 0) return 7;
  const unsigned drawn = scrambled((to == pattern::runs ? number / warp : number) + 1);
  return static_cast<unsigned>(std::uint64_t{drawn} * cells >> 32U);
}

__global__ void fill(pattern to, unsigned number, unsigned cells, unsigned* at) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < number; i += gridDim.x * blockDim.x)
    at[i] = cell_of(to, i, cells);
}

/// What must be counted of one launch by the way `global`.
struct expected {
  std::uint64_t updates = 0, addresses = 0, hottest = 0, hottest_warps = 0, warp_addresses = 0,
                shared = 0, barriers = 0;
};

/// The values of a warp are 32 after one another: grids are whole warps.
expected expected_of(const closed_case& of, const std::string& way) {
  if (of.of == kind::barriers) return {.barriers = std::uint64_t{of.work} * of.blocks};
  if (of.of == kind::stencil)
    return {.updates = std::uint64_t{2} * of.work * of.blocks,
            .addresses = of.blocks,
            .hottest = std::uint64_t{2} * of.work,
            .hottest_warps = std::uint64_t{2} * of.work,
            .warp_addresses = std::uint64_t{2} * of.work * of.blocks,
            .barriers = std::uint64_t{2} * of.work * of.blocks};
  // By cell: its values, the warps that have it, and the last of these.
  std::vector<std::uint64_t> values(of.cells), warps(of.cells);
  std::vector<unsigned> last(of.cells, ~0U);
  std::uint64_t warp_cells = 0;
  for (unsigned i = 0; i < of.number; ++i) {
    const unsigned cell = cell_of(of.to, i, of.cells);
    ++values[cell];
    if (last[cell] == i / warp) continue;
    last[cell] = i / warp;
    ++warps[cell];
    ++warp_cells;
  }
  const bool in_block = way == "block" || way == "both", by_warp = way == "warp" || way == "both";
  const std::uint64_t copied = std::uint64_t{of.cells} * of.blocks;
  if (in_block)
    return {.updates = copied,
            .addresses = of.cells,
            .hottest = of.blocks,
            .hottest_warps = of.blocks,
            .warp_addresses = copied,
            .shared = by_warp ? warp_cells : of.number,
            .barriers = std::uint64_t{2} * of.blocks};
  const auto met = std::ranges::count_if(values, [](std::uint64_t n) { return n > 0; });
  return {.updates = by_warp ? warp_cells : of.number,
          .addresses = static_cast<std::uint64_t>(met),
          .hottest = std::ranges::max(by_warp ? warps : values),
          .hottest_warps = std::ranges::max(warps),
          .warp_addresses = warp_cells};
}

struct options {
  std::string way = "global";
  unsigned launches = 0;  ///< of each case; 0: as it has them
  unsigned rounds = 1;    ///< so many times
  bool counts = false, times = false;
  bool no_loops = false;  ///< leaves out kernels that try again in shared memory
  std::vector<std::string> names;
};

template <class T> using kernel_of = void (*)(updates, T*);

/// Launches here, and only here, the case of this number.
template <std::size_t Number, class T>
[[gnu::noinline]] void launch_case(kernel_of<T> kernel, updates what, T* cells) {
  kernel<<<cases[Number].blocks, cases[Number].threads>>>(what, cells);
}

template <std::size_t Number, class T>
void run_with(const options& how, unsigned* values, kernel_of<T> kernel, const std::string& name) {
  constexpr closed_case of = cases[Number];
  T* cells = nullptr;
  const std::size_t bytes = std::max<std::size_t>(4096, of.cells * sizeof(T));
  check(cudaMalloc(&cells, bytes));
  check(cudaMemset(cells, 0, bytes));
  fill<<<1056, 256>>>(of.to, of.number, of.cells, values);
  check(cudaGetLastError());
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const unsigned launches = how.rounds * (how.launches == 0 ? of.launches : how.launches);
  check(cudaEventRecord(begin));
  for (unsigned l = 0; l < launches; ++l)
    launch_case<Number, T>(kernel, {values, of.number, of.cells, of.work}, cells);
  check(cudaGetLastError());
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  std::printf("{\"case\": \"%s\", \"number\": %zu, \"kernel\": \"%s\", \"may_gain\": %s, "
              "\"launches\": %u",
              of.name, Number, name.c_str(), of.may_gain ? "true" : "false", launches);
  if (how.counts) {
    const expected want = expected_of(of, how.way);
    const auto print = [](const char* what, std::uint64_t number) {
      std::printf(", \"%s\": %llu", what, static_cast<wide>(number));
    };
    print("updates", want.updates * launches);
    print("addresses", want.addresses);
    print("hottest", want.hottest * launches);
    print("hottest_warps", want.hottest_warps * launches);
    print("warp_addresses", want.warp_addresses * launches);
    print("shared", want.shared * launches);
    print("barriers", want.barriers * launches);
  }
  if (how.times) {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    std::printf(", \"ms\": %.3f", ms);
  }
  std::printf("}\n");
  check(cudaFree(cells));
}

template <std::size_t Number> void run(const options& how, unsigned* values) {
  constexpr closed_case of = cases[Number];
  if (!how.names.empty() && std::ranges::find(how.names, of.name) == how.names.end()) return;
  const std::string& way = how.way;
  const bool in_block = way == "block" || way == "both";
  if (way != "global" && (of.of == kind::stencil || of.of == kind::barriers)) return;
  // A loop around a compare-and-swap in shared memory goes on for ever where each try is counted.
  if (in_block && (of.cells > most_in_shared_memory || (how.no_loops && of.of != kind::histogram)))
    return;
  const auto with = [&]<class T>(kernel_of<T> global, kernel_of<T> by_warp, kernel_of<T> block,
                                 kernel_of<T> both, const char* name) {
    run_with<Number, T>(how, values,
                        way == "warp"    ? by_warp
                        : way == "block" ? block
                        : way == "both"  ? both
                                         : global,
                        std::string(name) + "_" + way);
  };
  if constexpr (of.of == kind::stencil) run_with<Number, unsigned>(how, values, stencil, "stencil");
  else if constexpr (of.of == kind::barriers)
    run_with<Number, unsigned>(how, values, barriers, "barriers");
  else if constexpr (of.of == kind::histogram)
    with(&histogram_global, &histogram_warp, &histogram_block, &histogram_both, "histogram");
  else if constexpr (of.of == kind::degrees)
    with(&degrees_global, &degrees_warp, &degrees_block, &degrees_both, "degrees");
  else with(&sums_global, &sums_warp, &sums_block, &sums_both, "sums");
}

template <std::size_t... Number> void run_all(const options& how, std::index_sequence<Number...>) {
  unsigned* values = nullptr;
  unsigned most = 1;
  for (const closed_case& each : cases) most = std::max(most, each.number);
  check(cudaMalloc(&values, std::size_t{most} * sizeof(unsigned)));
  (run<Number>(how, values), ...);
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--way" && i + 1 < argc) how.way = argv[++i];
    else if (word == "--launches" && i + 1 < argc)
      how.launches = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--rounds" && i + 1 < argc)
      how.rounds = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--no-loops") how.no_loops = true;
    else if (word == "--times") how.times = true;
    else if (word == "--counts") how.counts = true;
    else how.names.push_back(word);
  }
  run_all(how, std::make_index_sequence<cases.size()>{});
}
