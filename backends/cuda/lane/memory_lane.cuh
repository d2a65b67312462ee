// The lanes of the study of coalescing: one that reads words of memory at its own offsets, and
// one that reads its block's own memory. Both add up what they read.
#pragma once

#include "backends/cuda/lane/cuda_lane.cuh"
#include "backends/cuda/lane/memory_places.hpp"
#include "backends/cuda/ops/load.cuh"

namespace syncmeter::cuda {

/// Skips L1 (.cg), so that L2 or device memory serves every load; L1 may serve the walks through a
/// matrix, where it is the point.
template <pattern How> SM_FN std::uint32_t read_word(const std::byte* at) {
  constexpr bool by_l1 = How == pattern::row_walk || How == pattern::column_walk;
  std::uint32_t word;
  if constexpr (by_l1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at));
  else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at));
  return word;
}

template <class T, class Form> class memory_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  // Of the courses an op uses one; the others are not in its code.
  SM_FN explicit memory_lane(const kernel_setup& s)
      : data_{reinterpret_cast<const std::byte*>(__cvta_generic_to_global(s.data))},
        mask_{static_cast<std::uint32_t>(s.data_bytes - 1)},
        no_bits_{static_cast<std::uint32_t>(s.ones[1])} {
    const working_set r{.bytes = s.data_bytes, .lanes = gridDim.x * blockDim.x, .size = s.size};
    for (unsigned i = 0; i < patterns; ++i)
      offsets_[i] = offsets_of(static_cast<pattern>(i), thread(), r);
  }

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  template <pattern How, bool Dependent> SM_FN void load() {
    lane_offsets& mine = offsets_[static_cast<unsigned>(How)];
    std::uint32_t word = read_word<How>(data_ + mine.first);
    if constexpr (How == pattern::random)
      word = read_word<How>(data_ + (word & mask_ & ~(word_bytes - 1)));
    sum_ += word;
    std::uint32_t next = mine.first + mine.step;
    if constexpr (Dependent) next += word & no_bits_;
    mine.first = next & mask_;
  }

  [[nodiscard]] SM_FN cuda_outcome outcome() const { return {{.tally = 0, .operand = sum_}, 0}; }

 private:
  static constexpr unsigned patterns = static_cast<unsigned>(pattern::column_walk) + 1;

  const std::byte* data_;
  std::uint32_t mask_, no_bits_;
  lane_offsets offsets_[patterns];
  std::uint32_t sum_ = 0;
};

template <class T, class Form> class bank_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  SM_FN explicit bank_lane(const kernel_setup& s)
      : at_{bank_offset_of(threadIdx.x, max(s.size, 1U))},
        no_bits_{static_cast<std::uint32_t>(s.ones[1])} {
    __shared__ std::uint32_t words[bank_bytes / word_bytes];
    for (unsigned i = threadIdx.x; i < bank_bytes / word_bytes; i += blockDim.x)
      words[i] = word_at(i);
    first_ = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
  }

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  template <bool Dependent> SM_FN void load_bank() {
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(first_ + at_));
    sum_ += word;
    std::uint32_t next = at_ + word_bytes;
    if constexpr (Dependent) next += word & no_bits_;
    at_ = next % bank_bytes;
  }

  [[nodiscard]] SM_FN cuda_outcome outcome() const { return {{.tally = 0, .operand = sum_}, 0}; }

 private:
  std::uint32_t at_, no_bits_, first_;
  std::uint32_t sum_ = 0;
};

}  // namespace syncmeter::cuda
