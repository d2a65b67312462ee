// Adds to cells shared with other threads: the op definitions, ways to add, the lane. test -
// baseline == adds_of_op more adds by every lane, each to the next cell of its update_set.
#pragma once

#include <string_view>
#include <type_traits>

#include "backends/cuda/accumulate/accumulate.hpp"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

template <class L> concept has_updates = requires(L& l) { l.template add<adding::atomic>(); };

namespace ops {

consteval op_info accumulate_info(std::string_view name, accumulation of, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::atomic,
          .unroll = 1,
          .note = note,
          .size_of = "distinct addresses",
          .kind = to_kind(of)};
}

#define SM_CUDA_ACCUMULATE(NAME, V, HOW, NOTE)                                                     \
  struct NAME {                                                                                    \
    static constexpr accumulation of{adding::HOW, std::is_same_v<V, double>};                      \
    static constexpr op_info info = accumulate_info(#NAME, of, NOTE);                              \
    static constexpr std::array forms{form{}};                                                     \
    static constexpr bool without_additivity = true;                                               \
    SM_FN static void common(has_updates auto& lane) { lane.template add<adding::HOW>(); }         \
    SM_FN static void measured(has_updates auto& lane) { common(lane); }                           \
  };

}  // namespace ops

/// The bits of a value, for instructions that need them.
template <class V> struct value_bits;
template <> struct value_bits<float> {
  using word = unsigned;
  SM_FN static word of(float value) { return __float_as_uint(value); }
  SM_FN static float value(word bits) { return __uint_as_float(bits); }
  SM_FN static float with_sign(word bits, unsigned sign) { return value(bits ^ sign); }
  SM_FN static float exchange(float* cell, float by) { return atomicExch(cell, by); }
};
template <> struct value_bits<double> {
  using word = unsigned long long;
  SM_FN static word of(double value) { return static_cast<word>(__double_as_longlong(value)); }
  SM_FN static double value(word bits) {
    return __longlong_as_double(static_cast<long long>(bits));
  }
  SM_FN static double with_sign(word bits, unsigned sign) {
    return value(bits ^ (static_cast<word>(sign) << 32U));
  }
  SM_FN static double exchange(double* cell, double by) {
    return value(atomicExch(reinterpret_cast<word*>(cell), of(by)));
  }
};

/// Adds by a loop around a compare-and-swap, from CUDA's programming guide ("Atomic Functions").
template <class V> SM_FN void add_by_cas(V* cell, V value) {
  using word = typename value_bits<V>::word;
  auto* const bits = reinterpret_cast<word*>(cell);
  word seen = *const_cast<volatile word*>(bits), expected;
  do {
    expected = seen;
    seen = atomicCAS(bits, expected, value_bits<V>::of(value_bits<V>::value(expected) + value));
  } while (seen != expected);
}

/// Removes the cell's value and puts it back with its own value added. Repeats with any value
/// another thread added meanwhile.
template <class V> SM_FN void add_by_exchange(V* cell, V value) {
  do {
    value = value_bits<V>::exchange(cell, value_bits<V>::exchange(cell, V{0}) + value);
  } while (value != V{0});
}

/// Sums all lanes with the same address in their lowest lane (Westphal, "Voting and Shuffling to
/// Optimize Atomic Operations", 2015). In each turn every second lane adds the next lane's sum.
template <class V> SM_FN void add_by_match(V* cells, unsigned cell, V value) {
  const unsigned peers = __match_any_sync(all_lanes, cell);
  const unsigned lane = lane_in_block() % warp_size;
  const unsigned below = (1U << lane) - 1;
  unsigned place = __popc(peers & below);
  const bool first = place == 0;
  unsigned above = peers & ~below & ~(1U << lane);
  while (__any_sync(all_lanes, above != 0)) {
    const int next = __ffs(static_cast<int>(above));
    const V of_next = __shfl_sync(all_lanes, value, next - 1);
    if (next != 0) value += of_next;
    above &= __ballot_sync(all_lanes, (place & 1U) == 0);
    place >>= 1U;
  }
  if (first) atomicAdd(cells + cell, value);
}

template <class V> SM_FN void add_by_reduction(V* cells, unsigned cell, V value) {
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
/// Adds in one lane, after all lanes wrote the copy. The copy is free again on return.
template <class V> SM_FN void add_by_bulk(V* cells, const V* copy, unsigned count) {
  const auto to = __cvta_generic_to_global(cells);
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(copy));
  const unsigned bytes = (count < least_cells ? least_cells : count) * sizeof(V);
  if constexpr (sizeof(V) == sizeof(float)) {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
        "r"(from), "r"(bytes)
        : "memory");
  } else {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;" ::"l"(to),
        "r"(from), "r"(bytes)
        : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;\n\t"
               "cp.async.bulk.wait_group.read 0;" ::
                   : "memory");
}
SM_FN void show_copy_engine() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#else
template <class V> SM_FN void add_by_bulk(V*, const V*, unsigned) {}
SM_FN void show_copy_engine() {}
#endif

/// The lane for values of type V.
template <class V, class T, class Form> class accumulate_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  SM_FN explicit accumulate_lane(const kernel_setup& s)
      : cells_{reinterpret_cast<V*>(s.data + bytes_before_cells)} {
    const update_set all = *reinterpret_cast<const update_set*>(s.data);
    count_ = all.cells;
    updates_ = updates_of(thread(), all);
    const float value = static_cast<float>(updates_.parts);
    bits_ = value_bits<V>::of(static_cast<V>(all.rounded ? value / parts_of_rounded : value));
  }

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  template <adding How> SM_FN void add() {
    if constexpr (has_copy(How)) {
      __shared__ __align__(128) V copy[most_cells_of_block];
      add_by_copy<How>(copy);
    } else {
      SM_ROLLED for (unsigned i = 0; i < adds_of_op; ++i) add_one<How>();
    }
  }

  [[nodiscard]] SM_FN cuda_outcome outcome() const { return {}; }

 private:
  SM_FN V next_value() {
    go_on(updates_);
    return value_bits<V>::with_sign(bits_, sign_of_update(updates_));
  }
  [[nodiscard]] SM_FN unsigned cell() const { return cell_of_update(updates_, count_); }

  template <adding How> SM_FN void add_one() {
    const V value = next_value();
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

  // A lane clears the same cells it previously added from the copy to the global cells.
  template <adding How> SM_FN void add_by_copy(V* copy) {
    const bool by_bulk = How == adding::block_by_bulk;
    const unsigned cleared = by_bulk ? max(count_, unsigned{least_cells}) : count_;
    SM_ROLLED for (unsigned i = threadIdx.x; i < cleared; i += blockDim.x) copy[i] = 0;
    __syncthreads();
    SM_ROLLED for (unsigned i = 0; i < adds_of_op; ++i) {
      const V value = next_value();
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

  V* cells_;
  unsigned count_;
  lane_updates updates_;
  typename value_bits<V>::word bits_;  ///< the value without its sign
};

}  // namespace syncmeter::cuda
