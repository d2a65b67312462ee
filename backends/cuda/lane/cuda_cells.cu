// Kernels that set and check cells. core/harness/oracle.hpp has the conditions. Kernels here only
// fold lanes, or compare lanes with their own cells.
#include "backends/cuda/lane/cuda_cells.hpp"

#include "backends/cuda/lane/cuda_clock.cuh"
#include "backends/cuda/lane/cuda_lane.cuh"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "core/axes.hpp"

namespace syncmeter::cuda {
namespace {

constexpr unsigned check_block = 256;

template <class T> SM_FN T from_bits(std::uint64_t bits) {
  const auto narrow = static_cast<bits_of<T>>(bits);
  T value;
  memcpy(&value, &narrow, sizeof value);
  return value;
}

// Below, each place has a row of blocks.
template <class T> __global__ void reset(cell_layout layout, std::byte* array, cell_places places) {
  array += places.offset[blockIdx.y];
  const T value = initial_value<T>(layout.oracle);
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < layout.cells;
       i += std::size_t{gridDim.x} * blockDim.x) {
    *reinterpret_cast<T*>(array + i * layout.pitch) = value;
  }
}

SM_FN bool takes_part(const cell_layout& layout, std::size_t lane) {
  return lane % layout.threads % warp_size < layout.active;
}

template <class T> SM_FN void merge(group_outcome& a, const group_outcome& b) {
  const auto less = [](std::uint64_t x, std::uint64_t y) {
    return from_bits<T>(x) < from_bits<T>(y);
  };
  a.tally_sum += b.tally_sum;
  a.tally_or |= b.tally_or;
  if (less(a.highest, b.highest)) a.highest = b.highest;
  if (less(b.lowest, a.lowest)) a.lowest = b.lowest;
  a.someones += b.someones;
  a.lanes += b.lanes;
}

// Runs one block for each cell.
template <class T>
__global__ void fold(cell_layout layout, const std::byte* array, cell_places places,
                     const lane_outcome* outcomes, group_outcome* groups) {
  __shared__ group_outcome parts[check_block];
  outcomes += blockIdx.y * layout.cells * layout.group;
  groups += blockIdx.y * layout.cells;
  if (array != nullptr) array += places.offset[blockIdx.y];
  const std::size_t first = blockIdx.x * layout.group;
  const std::uint64_t held =
      array == nullptr ? 0
                       : to_bits(*reinterpret_cast<const T*>(array + blockIdx.x * layout.pitch));
  group_outcome mine;
  mine.highest = mine.lowest = outcomes[first].operand;  // lane 0 of a group always participates
  for (std::size_t i = threadIdx.x; i < layout.group; i += check_block) {
    if (!takes_part(layout, first + i)) continue;
    const lane_outcome& lane = outcomes[first + i];
    merge<T>(mine, {.tally_sum = lane.tally,
                    .tally_or = lane.tally,
                    .highest = lane.operand,
                    .lowest = lane.operand,
                    .someones = lane.operand == held ? 1U : 0U,
                    .lanes = 1});
  }
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = check_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) merge<T>(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    parts[0].held = held;
    groups[blockIdx.x] = parts[0];
  }
}

template <class T>
SM_FN bool is_right(const cell_layout& layout, T held, const lane_outcome& lane,
                    std::uint64_t ops) {
  const T initial = initial_value<T>(layout.oracle);
  const std::uint64_t bits = to_bits(held);
  switch (layout.oracle) {
  case oracle::none:
    return true;
  case oracle::agreed:
    return lane.tally == 0;
  case oracle::adds:
  case oracle::adds_twice:
    return bits == to_bits(after_ones(initial, ops, true));
  case oracle::subtracts:
    return bits == to_bits(after_ones(initial, ops, false));
  case oracle::raises:
  case oracle::lowers:
  case oracle::written:
  case oracle::written_twice:
    return bits == lane.operand;
  case oracle::unchanged:
    return bits == to_bits(initial) && lane.tally == 0;
  case oracle::exchanges:
    return static_cast<bits_of<T>>(bits - to_bits(initial) + lane.tally) == 0;
  }
  return false;
}

template <class T>
__global__ void own(cell_layout layout, const std::byte* array, cell_places places,
                    const lane_outcome* outcomes, own_outcome* results) {
  outcomes += blockIdx.y * layout.cells;
  own_outcome* const result = results + blockIdx.y;
  const std::uint64_t ops = places.ops[blockIdx.y];
  if (array != nullptr) array += places.offset[blockIdx.y];
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < layout.cells;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if (!takes_part(layout, i)) continue;
    const T held = array == nullptr ? T{0} : *reinterpret_cast<const T*>(array + i * layout.pitch);
    if (is_right(layout, held, outcomes[i], ops)) continue;
    if (atomicAdd(&result->wrong, 1ULL) != 0) continue;
    result->at = i;
    result->held = to_bits(held);
    result->lane = outcomes[i];
  }
}

// Makes a full cycle through all entries with a linear congruential generator. Its multiplier (1
// mod 4) and its odd increment give the whole power-of-two period (Knuth, TAOCP 3.2.1.2, theorem
// A).
__global__ void ring(std::byte* first, std::size_t entries, std::size_t pitch) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < entries;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t next = (1664525 * i + 1013904223) & (entries - 1);
    *reinterpret_cast<std::byte**>(first + i * pitch) = first + next * pitch;
  }
}

__global__ void copies(std::byte* first, const std::byte* image, std::size_t bytes,
                       std::size_t pitch, std::size_t count) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count * bytes;
       i += std::size_t{gridDim.x} * blockDim.x) {
    first[i / bytes * pitch + i % bytes] = image[i % bytes];
  }
}

__global__ void hold(std::int64_t ns) {
  const std::int64_t until = global_timer() + ns;
  while (global_timer() < until) {
  }
}

dim3 grid_for(const cell_layout& layout, const cell_places& places) {
  return {sweeping_blocks(layout.cells, check_block), places.count};
}

}  // namespace

void reset_cells(const cell_layout& layout, std::byte* array, const cell_places& places,
                 cudaStream_t stream) {
  by_type(layout.type, [&](auto zero) {
    reset<decltype(zero)>
        <<<grid_for(layout, places), check_block, 0, stream>>>(layout, array, places);
  });
  SM_CUDA(cudaGetLastError());
}

void fill_ring(std::byte* first, std::size_t entries, std::size_t pitch, cudaStream_t stream) {
  ring<<<sweeping_blocks(entries, check_block), check_block, 0, stream>>>(first, entries, pitch);
  SM_CUDA(cudaGetLastError());
}

void fill_objects(std::byte* first, const std::byte* image, std::size_t bytes, std::size_t pitch,
                  std::size_t count, cudaStream_t stream) {
  copies<<<sweeping_blocks(count * bytes, check_block), check_block, 0, stream>>>(
      first, image, bytes, pitch, count);
  SM_CUDA(cudaGetLastError());
}

void hold_stream(std::int64_t ns, cudaStream_t stream) {
  hold<<<1, 1, 0, stream>>>(ns);
  SM_CUDA(cudaGetLastError());
}

void fold_groups(const cell_layout& layout, const std::byte* array, const cell_places& places,
                 const lane_outcome* outcomes, group_outcome* groups, cudaStream_t stream) {
  const dim3 grid{static_cast<unsigned>(layout.cells), places.count};
  by_type(layout.type, [&](auto zero) {
    fold<decltype(zero)><<<grid, check_block, 0, stream>>>(layout, array, places, outcomes, groups);
  });
  SM_CUDA(cudaGetLastError());
}

void check_own(const cell_layout& layout, const std::byte* array, const cell_places& places,
               const lane_outcome* outcomes, own_outcome* results, cudaStream_t stream) {
  by_type(layout.type, [&](auto zero) {
    own<decltype(zero)><<<grid_for(layout, places), check_block, 0, stream>>>(layout, array, places,
                                                                              outcomes, results);
  });
  SM_CUDA(cudaGetLastError());
}

}  // namespace syncmeter::cuda
