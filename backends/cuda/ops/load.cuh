// Loads of a warp by how its lanes lie on memory. test - baseline == one more load by every lane
// (of load_random two: the number of a word, and the word).
#pragma once

#include "backends/cuda/ops/block.cuh"
#include "backends/cuda/ops/pattern.hpp"
#include "core/measurable.hpp"

namespace syncmeter::cuda {

template <class L>
concept has_loads = requires(L& l) { l.template load<pattern::coalesced, false>(); };
template <class L> concept has_bank_loads = requires(L& l) { l.template load_bank<false>(); };

namespace ops {

// With longer trips the addresses of some patterns spill.
consteval op_info load_info(std::string_view name, pattern how, words_in where,
                            std::string_view size_of, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::memory,
          .unroll = 8,
          .note = note,
          .size_of = size_of,
          .kind = load_kind(how, where)};
}

#define SM_CUDA_LOAD_FORM(NAME, PATTERN, WHERE, DEPENDENT, SIZE_OF, NOTE)                          \
  struct NAME {                                                                                    \
    static constexpr op_info info =                                                                \
        load_info(#NAME, pattern::PATTERN, words_in::WHERE, SIZE_OF, NOTE);                        \
    static constexpr std::array forms{form{}};                                                     \
    SM_FN static void common(has_loads auto& lane) {                                               \
      lane.template load<pattern::PATTERN, DEPENDENT>();                                           \
    }                                                                                              \
    SM_FN static void measured(has_loads auto& lane) { common(lane); }                             \
  };
// From a working set that is larger than L2, and from one that L2 holds.
#define SM_CUDA_LOAD(PATTERN, SIZE_OF, NOTE)                                                       \
  SM_CUDA_LOAD_FORM(load_##PATTERN, PATTERN, device_memory, false, SIZE_OF,                        \
                    NOTE " (device memory)")                                                       \
  SM_CUDA_LOAD_FORM(load_##PATTERN##_l2, PATTERN, l2, false, SIZE_OF, NOTE " (L2)")
// The same, each load's address by way of the last one's result.
#define SM_CUDA_LOAD_LATENCY(PATTERN, SIZE_OF, NOTE)                                               \
  SM_CUDA_LOAD_FORM(load_latency_##PATTERN, PATTERN, device_memory, true, SIZE_OF,                 \
                    NOTE ", dependent (device memory)")                                            \
  SM_CUDA_LOAD_FORM(load_latency_##PATTERN##_l2, PATTERN, l2, true, SIZE_OF,                       \
                    NOTE ", dependent (L2)")

SM_CUDA_LOAD(coalesced, "", "neighbouring lanes read neighbouring words of a line")
SM_CUDA_LOAD(permuted, "", "neighbouring lanes read the words of a line in permuted order")
SM_CUDA_LOAD(broadcast, "", "all lanes of a warp read one word")
SM_CUDA_LOAD(misaligned, "bytes from the start of a line", "neighbouring words across two lines")
SM_CUDA_LOAD(strided, "stride in words", "words at that stride")
SM_CUDA_LOAD(random, "", "gather: the index of each word is loaded first (two loads)")
SM_CUDA_LOAD(row_walk, "", "each lane walks along its own row of a matrix, with L1")
SM_CUDA_LOAD(column_walk, "",
             "each lane walks down a column of a matrix, neighbouring lanes in neighbouring "
             "columns, with L1")
SM_CUDA_LOAD_LATENCY(coalesced, "", "neighbouring words of a line")
SM_CUDA_LOAD_LATENCY(broadcast, "", "one word for all lanes")
SM_CUDA_LOAD_LATENCY(misaligned, "bytes from the start of a line", "words across two lines")
SM_CUDA_LOAD_LATENCY(strided, "stride in words", "words at that stride")
SM_CUDA_LOAD_LATENCY(random, "", "gather: the index of each word is loaded first (two loads)")

#define SM_CUDA_BANKS(NAME, DEPENDENT, NOTE)                                                       \
  struct NAME {                                                                                    \
    static constexpr op_info info =                                                                \
        load_info(#NAME, pattern::coalesced, words_in::banks, "lanes per bank", NOTE);             \
    static constexpr std::array forms{form{}};                                                     \
    SM_FN static void common(has_bank_loads auto& lane) { lane.template load_bank<DEPENDENT>(); }  \
    SM_FN static void measured(has_bank_loads auto& lane) { common(lane); }                        \
  };
SM_CUDA_BANKS(bank_conflict, false,
              "shared memory: that many lanes of a warp read different words of one bank")
SM_CUDA_BANKS(bank_conflict_latency, true, "the same, each address depends on the previous load")

}  // namespace ops

using load_ops =
    op_list<ops::load_coalesced, ops::load_permuted, ops::load_broadcast, ops::load_misaligned,
            ops::load_strided, ops::load_random, ops::load_row_walk, ops::load_column_walk,
            ops::load_coalesced_l2, ops::load_permuted_l2, ops::load_broadcast_l2,
            ops::load_misaligned_l2, ops::load_strided_l2, ops::load_random_l2,
            ops::load_row_walk_l2, ops::load_column_walk_l2, ops::load_latency_coalesced,
            ops::load_latency_broadcast, ops::load_latency_misaligned, ops::load_latency_strided,
            ops::load_latency_random, ops::load_latency_coalesced_l2,
            ops::load_latency_broadcast_l2, ops::load_latency_misaligned_l2,
            ops::load_latency_strided_l2, ops::load_latency_random_l2>;
using bank_ops = op_list<ops::bank_conflict, ops::bank_conflict_latency>;

}  // namespace syncmeter::cuda
