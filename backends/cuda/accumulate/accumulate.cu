// Adding floats to cells that other threads add to: ops, lane, rows, and the kernels that check
// what the cells hold. test - baseline == adds_of_op more adds by every lane, each to the next cell
// of its update_set.
#include "backends/cuda/accumulate/accumulate.hpp"

#include <algorithm>

#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

template <class L> concept has_updates = requires(L& l) { l.template add<adding::atomic>(); };

namespace ops {

consteval op_info accumulate_info(std::string_view name, adding how, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::atomic,
          .unroll = 1,
          .note = note,
          .size_of = "distinct addresses",
          .kind = static_cast<std::uint8_t>(how)};
}

#define SM_CUDA_ACCUMULATE(NAME, HOW, NOTE)                                                        \
  struct NAME {                                                                                    \
    static constexpr op_info info = accumulate_info(#NAME, adding::HOW, NOTE);                     \
    static constexpr std::array forms{form{}};                                                     \
    static constexpr bool without_additivity = true;                                               \
    SM_FN static void common(has_updates auto& lane) { lane.template add<adding::HOW>(); }         \
    SM_FN static void measured(has_updates auto& lane) { common(lane); }                           \
  };
SM_CUDA_ACCUMULATE(accumulate_atomic, atomic, "16 float adds per thread: atomicAdd for each")
SM_CUDA_ACCUMULATE(accumulate_cas, cas,
                   "16 float adds per thread: a loop around atomicCAS for each")
SM_CUDA_ACCUMULATE(accumulate_exchange, exchange,
                   "16 float adds per thread: two atomicExch for each, until nothing came between")
SM_CUDA_ACCUMULATE(accumulate_warp_match, warp_match,
                   "16 float adds per thread: lanes with one address found by __match_any_sync, "
                   "one atomicAdd for them")
SM_CUDA_ACCUMULATE(accumulate_warp_reduce, warp_reduce,
                   "16 float adds per thread: one atomicAdd for a warp with one address "
                   "(__match_all_sync and shuffles), else one per thread")
SM_CUDA_ACCUMULATE(accumulate_block, block,
                   "16 float adds per thread: to the block's own copy in shared memory, which is "
                   "cleared before and added to the cells after them")
SM_CUDA_ACCUMULATE(accumulate_block_reduce, block_reduce,
                   "as accumulate_block, with one add to the copy for a warp with one address")
SM_CUDA_ACCUMULATE(accumulate_fixed, fixed,
                   "16 float adds per thread: atomicAdd of 64-bit integers, with 32 bits behind "
                   "the point")
SM_CUDA_ACCUMULATE(accumulate_block_by_bulk, block_by_bulk,
                   "as accumulate_block, the copy added by cp.reduce.async.bulk (compute "
                   "capability 9.0)")
SM_CUDA_ACCUMULATE(accumulate_integer, integer,
                   "16 integer adds per thread, no float ones: atomicAdd of 32-bit integers")
SM_CUDA_ACCUMULATE(accumulate_block_integer, block_integer,
                   "as accumulate_block, of 32-bit integers")
SM_CUDA_ACCUMULATE(accumulate_block_match, block_match,
                   "as accumulate_block, with one add to the copy for the lanes of a warp with one "
                   "address, found by __match_any_sync")
#undef SM_CUDA_ACCUMULATE

}  // namespace ops

using accumulate_ops =
    op_list<ops::accumulate_atomic, ops::accumulate_cas, ops::accumulate_exchange,
            ops::accumulate_warp_match, ops::accumulate_warp_reduce, ops::accumulate_block,
            ops::accumulate_block_reduce, ops::accumulate_fixed, ops::accumulate_block_by_bulk,
            ops::accumulate_integer, ops::accumulate_block_integer, ops::accumulate_block_match>;

/// A loop around a compare-and-swap, as CUDA's programming guide has it ("Atomic Functions").
SM_FN void add_by_cas(float* cell, float value) {
  auto* const bits = reinterpret_cast<unsigned*>(cell);
  unsigned seen = *const_cast<volatile unsigned*>(bits), expected;
  do {
    expected = seen;
    seen = atomicCAS(bits, expected, __float_as_uint(__uint_as_float(expected) + value));
  } while (seen != expected);
}

/// What it takes away it puts back with its own; what it gets for that, somebody put there
/// meanwhile.
SM_FN void add_by_exchange(float* cell, float value) {
  do {
    value = atomicExch(cell, atomicExch(cell, 0.0F) + value);
  } while (value != 0.0F);
}

/// In the lowest lane of each address the sum of all its lanes (Westphal, "Voting and Shuffling to
/// Optimize Atomic Operations", 2015): in each turn every second one adds that of the next.
SM_FN void add_by_match(float* cells, unsigned cell, float value) {
  const unsigned peers = __match_any_sync(all_lanes, cell);
  const unsigned lane = lane_in_block() % warp_size;
  const unsigned below = (1U << lane) - 1;
  unsigned place = __popc(peers & below);
  const bool first = place == 0;
  unsigned above = peers & ~below & ~(1U << lane);
  while (__any_sync(all_lanes, above != 0)) {
    const int next = __ffs(static_cast<int>(above));
    const float of_next = __shfl_sync(all_lanes, value, next - 1);
    if (next != 0) value += of_next;
    above &= __ballot_sync(all_lanes, (place & 1U) == 0);
    place >>= 1U;
  }
  if (first) atomicAdd(cells + cell, value);
}

SM_FN void add_by_reduction(float* cells, unsigned cell, float value) {
  int one_address = 0;
  __match_all_sync(all_lanes, cell, &one_address);
  if (one_address == 0) {
    atomicAdd(cells + cell, value);
    return;
  }
#pragma unroll
  for (unsigned distance = warp_size / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(all_lanes, value, static_cast<int>(distance));
  if (lane_in_block() % warp_size == 0) atomicAdd(cells + cell, value);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/// By one lane, after all wrote the copy: the copy is free again when this returns.
SM_FN void add_by_bulk(float* cells, const float* copy, unsigned count) {
  const unsigned bytes = (count < least_cells ? least_cells : count) * sizeof(float);
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;\n\t"
               "cp.async.bulk.commit_group;\n\t"
               "cp.async.bulk.wait_group.read 0;" ::"l"(__cvta_generic_to_global(cells)),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(copy))), "r"(bytes)
               : "memory");
}
SM_FN void show_copy_engine() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#else
SM_FN void add_by_bulk(float*, const float*, unsigned) {}
SM_FN void show_copy_engine() {}
#endif

template <class T, class Form> class accumulate_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  SM_FN explicit accumulate_lane(const kernel_setup& s)
      : cells_{reinterpret_cast<float*>(s.data + bytes_before_cells)} {
    const update_set all = *reinterpret_cast<const update_set*>(s.data);
    count_ = all.cells;
    updates_ = updates_of(thread(), all);
    const float value = static_cast<float>(updates_.parts);
    bits_ = __float_as_uint(all.rounded ? value / parts_of_rounded : value);
  }

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  template <adding How> SM_FN void add() {
    if constexpr (has_copy(How)) {
      __shared__ __align__(128) float copy[most_cells_of_block];
      add_by_copy<How>(copy);
    } else {
      SM_ROLLED for (unsigned i = 0; i < adds_of_op; ++i) add_one<How>();
    }
  }

  [[nodiscard]] SM_FN cuda_outcome outcome() const { return {}; }

 private:
  SM_FN float next_value() {
    go_on(updates_);
    return __uint_as_float(bits_ ^ sign_of_update(updates_));
  }
  [[nodiscard]] SM_FN unsigned cell() const { return cell_of_update(updates_, count_); }

  template <adding How> SM_FN void add_one() {
    const float value = next_value();
    const unsigned at = cell();
    if constexpr (How == adding::atomic) {
      atomicAdd(cells_ + at, value);
    } else if constexpr (How == adding::cas) {
      add_by_cas(cells_ + at, value);
    } else if constexpr (How == adding::exchange) {
      add_by_exchange(cells_ + at, value);
    } else if constexpr (How == adding::warp_match) {
      add_by_match(cells_, at, value);
    } else if constexpr (How == adding::warp_reduce) {
      add_by_reduction(cells_, at, value);
    } else if constexpr (How == adding::integer) {
      atomicAdd(reinterpret_cast<int*>(cells_) + at, __float2int_rn(value));
    } else {
      const long long parts = __float2ll_rn(value * static_cast<float>(parts_of_one));
      atomicAdd(reinterpret_cast<unsigned long long*>(cells_) + at,
                static_cast<unsigned long long>(parts));
    }
  }

  // A lane clears those cells of the copy that it has added to the global ones itself.
  template <adding How> SM_FN void add_by_copy(float* copy) {
    const bool by_bulk = How == adding::block_by_bulk;
    const unsigned cleared = by_bulk ? max(count_, unsigned{least_cells}) : count_;
    SM_ROLLED for (unsigned i = threadIdx.x; i < cleared; i += blockDim.x) copy[i] = 0;
    __syncthreads();
    SM_ROLLED for (unsigned i = 0; i < adds_of_op; ++i) {
      const float value = next_value();
      if constexpr (How == adding::block_integer)
        atomicAdd(reinterpret_cast<int*>(copy) + cell(), __float2int_rn(value));
      else if constexpr (How == adding::block_reduce) add_by_reduction(copy, cell(), value);
      else if constexpr (How == adding::block_match) add_by_match(copy, cell(), value);
      else atomicAdd(copy + cell(), value);
    }
    if constexpr (How == adding::block_integer) {
      __syncthreads();
      SM_ROLLED for (unsigned i = threadIdx.x; i < count_; i += blockDim.x)
          atomicAdd(reinterpret_cast<int*>(cells_) + i, reinterpret_cast<const int*>(copy)[i]);
    } else if constexpr (How != adding::block_by_bulk) {
      __syncthreads();
      SM_ROLLED for (unsigned i = threadIdx.x; i < count_; i += blockDim.x)
          atomicAdd(cells_ + i, copy[i]);
    } else {
      show_copy_engine();
      __syncthreads();
      if (threadIdx.x == 0) add_by_bulk(cells_, copy, count_);
      __syncthreads();
    }
  }

  float* cells_;
  unsigned count_;
  lane_updates updates_;
  unsigned bits_;  ///< of the value, without its sign
};

namespace {

constexpr unsigned check_block = 256;
constexpr unsigned check_blocks = 2048;

/// Into `copy` where the cells are few, else into the sums themselves; one cell after the other is
/// often the same.
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
      sum += sign_of_update(of) != 0 ? -static_cast<long long>(of.parts) : of.parts;
    }
    if (sum != 0) atomicAdd(to + held, static_cast<unsigned long long>(sum));
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; few && i < done.what.cells; i += blockDim.x)
    if (copy[i] != 0) atomicAdd(sums + i, copy[i]);
}

SM_FN double value_of(const std::byte* cells, unsigned i, adding how) {
  if (adds_integers(how)) return reinterpret_cast<const int*>(cells)[i];
  if (how != adding::fixed) return reinterpret_cast<const float*>(cells)[i];
  return static_cast<double>(reinterpret_cast<const long long*>(cells)[i]) / parts_of_one;
}

__global__ void compare(finished_updates done, own_outcome* found, update_errors* errors) {
  const std::byte* const cells = done.data + bytes_before_cells;
  const double part = done.what.rounded ? parts_of_rounded : 1;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < done.what.cells;
       i += gridDim.x * blockDim.x) {
    const double held = value_of(cells, i, done.how);
    const double expected = static_cast<double>(done.expected[i]) / part;
    const double error = fabs(held - expected);
    // n additions of values of one sign, in any order: a relative error of n 2^-24 (Higham,
    // "Accuracy and Stability of Numerical Algorithms", section 4.2). None is below 0.5.
    const double allowed = done.what.rounded ? expected * 0x1p-23 * expected : 0;
    if (done.what.rounded && expected > 0)
      atomicMax(reinterpret_cast<unsigned long long*>(&errors->largest),
                static_cast<unsigned long long>(__double_as_longlong(error / expected)));
    if (error <= allowed) continue;
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
  static constexpr auto rows = bind_untyped<backend_of<accumulate_lane>>(accumulate_ops{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
