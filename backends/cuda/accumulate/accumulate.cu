// Adds of floats and integers: ops, rows, and the kernels that check the cells.
#include <algorithm>

#include "backends/cuda/accumulate/accumulate.cuh"

namespace syncmeter::cuda {

namespace ops {

SM_CUDA_ACCUMULATE(accumulate_atomic, float, atomic, "16 float adds per thread: atomicAdd for each")
SM_CUDA_ACCUMULATE(accumulate_cas, float, cas,
                   "16 float adds per thread: a loop around atomicCAS for each")
SM_CUDA_ACCUMULATE(accumulate_exchange, float, exchange,
                   "16 float adds per thread: two atomicExch for each, until nothing came between")
SM_CUDA_ACCUMULATE(accumulate_warp_match, float, warp_match,
                   "16 float adds per thread: lanes with one address found by __match_any_sync, "
                   "one atomicAdd for them")
SM_CUDA_ACCUMULATE(accumulate_warp_reduce, float, warp_reduce,
                   "16 float adds per thread: one atomicAdd for a warp with one address "
                   "(__match_all_sync and shuffles), else one per thread")
SM_CUDA_ACCUMULATE(accumulate_block, float, block,
                   "16 float adds per thread: to the block's own copy in shared memory, which is "
                   "cleared before and added to the cells after them")
SM_CUDA_ACCUMULATE(accumulate_block_reduce, float, block_reduce,
                   "as accumulate_block, with one add to the copy for a warp with one address")
SM_CUDA_ACCUMULATE(accumulate_fixed, float, fixed,
                   "16 float adds per thread: atomicAdd of 64-bit integers, with 32 bits behind "
                   "the point")
SM_CUDA_ACCUMULATE(accumulate_block_by_bulk, float, block_by_bulk,
                   "as accumulate_block, the copy added by cp.reduce.async.bulk (compute "
                   "capability 9.0)")
SM_CUDA_ACCUMULATE(accumulate_integer, int, integer,
                   "16 integer adds per thread, no float ones: atomicAdd of 32-bit integers")
SM_CUDA_ACCUMULATE(accumulate_block_integer, int, block_integer,
                   "as accumulate_block, of 32-bit integers")
SM_CUDA_ACCUMULATE(accumulate_block_match, float, block_match,
                   "as accumulate_block, with one add to the copy for the lanes of a warp with one "
                   "address, found by __match_any_sync")

}  // namespace ops

using accumulate_ops =
    op_list<ops::accumulate_atomic, ops::accumulate_cas, ops::accumulate_exchange,
            ops::accumulate_warp_match, ops::accumulate_warp_reduce, ops::accumulate_block,
            ops::accumulate_block_reduce, ops::accumulate_fixed, ops::accumulate_block_by_bulk,
            ops::accumulate_integer, ops::accumulate_block_integer, ops::accumulate_block_match>;

template <class T, class Form> using float_lane = accumulate_lane<float, T, Form>;

namespace {

constexpr unsigned check_block = 256;
constexpr unsigned check_blocks = 2048;

/// Sums into `copy` if the cells are few, else into the sums themselves. Successive updates often
/// use the same cell.
__global__ void sum_up(finished_updates done) {
  __shared__ unsigned long long copy[most_cells_of_block];
  auto* const sums = reinterpret_cast<unsigned long long*>(done.expected);
  const bool few = done.what.cells <= most_cells_of_block;
  for (unsigned i = threadIdx.x; few && i < done.what.cells; i += blockDim.x) copy[i] = 0;
  __syncthreads();
  unsigned long long* const to = few ? copy : sums;
  for (unsigned lane = blockIdx.x * blockDim.x + threadIdx.x; lane < done.what.lanes;
       lane += gridDim.x * blockDim.x) {
    lane_updates of = updates_of(lane, done.what);
    std::uint32_t held = 0;
    long long sum = 0;
    for (std::uint64_t n = 0; n < done.ops * adds_of_op; ++n) {
      go_on(of);
      const std::uint32_t cell = cell_of_update(of, done.what.cells);
      if (cell != held && sum != 0) {
        atomicAdd(to + held, static_cast<unsigned long long>(sum));
        sum = 0;
      }
      held = cell;
      sum += parts_of_update(of);
    }
    if (sum != 0) atomicAdd(to + held, static_cast<unsigned long long>(sum));
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; few && i < done.what.cells; i += blockDim.x)
    if (copy[i] != 0) atomicAdd(sums + i, copy[i]);
}

SM_FN double value_of(const std::byte* cells, unsigned i, accumulation of) {
  if (of.doubles) return reinterpret_cast<const double*>(cells)[i];
  if (adds_integers(of.how)) return reinterpret_cast<const int*>(cells)[i];
  if (of.how != adding::fixed) return reinterpret_cast<const float*>(cells)[i];
  return static_cast<double>(reinterpret_cast<const long long*>(cells)[i]) / parts_of_one;
}

__global__ void compare(finished_updates done, own_outcome* found, update_errors* errors) {
  const std::byte* const cells = done.data + bytes_before_cells;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < done.what.cells;
       i += gridDim.x * blockDim.x) {
    const double held = value_of(cells, i, done.of);
    const double expected = sum_of_parts(done.expected[i], done.what.rounded);
    const double error = fabs(held - expected);
    if (done.what.rounded && expected > 0)
      atomicMax(reinterpret_cast<unsigned long long*>(&errors->largest),
                static_cast<unsigned long long>(__double_as_longlong(error / expected)));
    if (error <= allowed_error(expected, done.what.rounded)) continue;
    if (atomicAdd(&found->wrong, 1ULL) != 0) continue;
    found->at = i;
    found->held = static_cast<std::uint64_t>(__double_as_longlong(expected));
    found->lane = {.tally = 0, .operand = static_cast<std::uint64_t>(__double_as_longlong(held))};
  }
}

}  // namespace

void check_updates(const finished_updates& done, own_outcome* found, update_errors* errors,
                   cudaStream_t stream) {
  SM_CUDA(cudaMemsetAsync(done.expected, 0, done.what.cells * sizeof(long long), stream));
  const unsigned blocks = (done.what.lanes + check_block - 1) / check_block;
  sum_up<<<std::min(blocks, check_blocks), check_block, 0, stream>>>(done);
  SM_CUDA(cudaGetLastError());
  compare<<<std::min((done.what.cells + check_block - 1) / check_block, check_blocks), check_block,
            0, stream>>>(done, found, errors);
  SM_CUDA(cudaGetLastError());
}

std::vector<measurable> accumulate_rows() {
  static constexpr auto of_floats = bind_untyped<backend_of<float_lane>>(accumulate_ops{});
  std::vector<measurable> rows(of_floats.begin(), of_floats.end());
  const std::vector<measurable> doubles = accumulate_double_rows();
  rows.insert(rows.end(), doubles.begin(), doubles.end());
  return rows;
}

}  // namespace syncmeter::cuda
