// The study of coalescing: ops, lanes, rows, and kernels to fill memory, to load L2, and to check
// the lanes' sums.
#include "backends/cuda/coalescing/coalescing.hpp"

#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

// A warp's loads by address pattern. test - baseline == one more load by every lane (load_random
// has two: a word's number, and the word).

template <class L>
concept has_loads = requires(L& l) { l.template load<pattern::coalesced, false>(); };
template <class L> concept has_bank_loads = requires(L& l) { l.template load_bank<false>(); };

namespace ops {

// With longer trips some patterns spill their addresses.
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
// From a working set larger than L2, and from a working set within L2.
#define SM_CUDA_LOAD(PATTERN, SIZE_OF, NOTE)                                                       \
  SM_CUDA_LOAD_FORM(load_##PATTERN, PATTERN, device_memory, false, SIZE_OF,                        \
                    NOTE " (device memory)")                                                       \
  SM_CUDA_LOAD_FORM(load_##PATTERN##_l2, PATTERN, l2, false, SIZE_OF, NOTE " (L2)")
// The same, but each address depends on the last load's result.
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

// The lanes of the study of coalescing: memory_lane reads memory at its own offsets, the other lane
// reads its block's own memory. Both sum the words.

/// Skips L1 (.cg): L2 or device memory serves every load. Matrix walks may use L1, because they
/// measure it.
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

  // Computes every pattern's offsets. An op uses one pattern, and its code omits the rest.
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

namespace {

constexpr unsigned side_block = 256;

__global__ void fill(std::uint32_t* words, std::size_t count) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    words[i] = word_at(static_cast<std::uint32_t>(i));
  }
}

__global__ void read_all(const uint4* quads, std::size_t count, std::uint32_t* sink) {
  std::uint32_t sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 quad = __ldcg(quads + i);
    sum += quad.x ^ quad.y ^ quad.z ^ quad.w;
  }
  sink[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

SM_FN std::uint32_t sum_of_memory(const finished_reads& done, unsigned lane) {
  lane_offsets c = offsets_of(done.how, lane, done.what);
  const auto mask = static_cast<std::uint32_t>(done.what.bytes - 1);
  std::uint32_t sum = 0;
  for (std::uint64_t n = 0; n < done.ops; ++n) {
    std::uint32_t word = word_at(done.first_index + c.first / word_bytes);
    if (done.how == pattern::random) word = word_at(done.first_index + (word & mask) / word_bytes);
    sum += word;
    c.first = (c.first + c.step) & mask;
  }
  return sum;
}

SM_FN std::uint32_t sum_of_banks(const finished_reads& done, unsigned lane) {
  const std::uint32_t first = bank_offset_of(lane % done.of_block, done.what.size) / word_bytes;
  std::uint32_t sum = 0;
  for (std::uint64_t n = 0; n < done.ops; ++n)
    sum += word_at((first + static_cast<std::uint32_t>(n)) % (bank_bytes / word_bytes));
  return sum;
}

__global__ void check(finished_reads done, const lane_outcome* outcomes, own_outcome* found) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < done.what.lanes;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t sum = done.banks ? sum_of_banks(done, i) : sum_of_memory(done, i);
    if (outcomes[i].operand == sum) continue;
    if (atomicAdd(&found->wrong, 1ULL) != 0) continue;
    found->at = i;
    found->held = sum;
    found->lane = outcomes[i];
  }
}

}  // namespace

void fill_words(std::byte* words, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = bytes / word_bytes;
  fill<<<sweeping_blocks(count, side_block), side_block, 0, stream>>>(
      reinterpret_cast<std::uint32_t*>(words), count);
  SM_CUDA(cudaGetLastError());
}

void sweep(const std::byte* words, std::size_t bytes, std::uint32_t* sink, cudaStream_t stream) {
  const std::size_t count = bytes / sizeof(uint4);
  read_all<<<sweep_blocks, side_block, 0, stream>>>(reinterpret_cast<const uint4*>(words), count,
                                                    sink);
  SM_CUDA(cudaGetLastError());
}

void check_sums(const finished_reads& done, const lane_outcome* outcomes, own_outcome* found,
                cudaStream_t stream) {
  check<<<sweeping_blocks(done.what.lanes, side_block), side_block, 0, stream>>>(done, outcomes,
                                                                                 found);
  SM_CUDA(cudaGetLastError());
}

std::vector<measurable> coalescing_rows() {
  static constexpr auto loads = bind_untyped<backend_of<memory_lane>>(load_ops{});
  static constexpr auto banks = bind_untyped<backend_of<bank_lane>>(bank_ops{});
  std::vector<measurable> rows{loads.begin(), loads.end()};
  rows.insert(rows.end(), banks.begin(), banks.end());
  return rows;
}

}  // namespace syncmeter::cuda
