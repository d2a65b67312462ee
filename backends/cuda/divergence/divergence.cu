// The study of divergence: ops, lane, rows, and the kernel that checks the lanes' results.
#include "backends/cuda/divergence/divergence.hpp"

#include <algorithm>

#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

// Divergence. test - baseline == one more branch: a tree of two-way branches with 32 paths, and the
// few dependent operations of a path. Or the same operations on several paths, and a selection of
// one result.

template <class L>
concept has_branches = requires(L& l) {
  l.branch_uniform();
  l.branch_in_warp();
  l.branch_across_warps();
};
template <class L> concept has_selects = requires(L& l) { l.select(); };

namespace ops {

// One step has thousands of code bytes: more steps would measure the instruction cache.
consteval op_info branch_info(std::string_view name, divergence by, std::string_view size_of,
                              std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::warp,
          .unroll = 1,
          .note = note,
          .size_of = size_of,
          .kind = static_cast<std::uint8_t>(by)};
}

#define SM_CUDA_BRANCH(NAME, BY, CALL, SIZE_OF, NOTE)                                              \
  struct NAME {                                                                                    \
    static constexpr op_info info = branch_info(#NAME, divergence::BY, SIZE_OF, NOTE);             \
    static constexpr std::array forms{form{}};                                                     \
    SM_FN static void common(has_branches auto& lane) { lane.CALL(); }                             \
    SM_FN static void measured(has_branches auto& lane) { lane.CALL(); }                           \
  };
SM_CUDA_BRANCH(branch_uniform, none, branch_uniform, "",
               "a branch to one of 32 paths, the same one for all lanes")
SM_CUDA_BRANCH(branch_in_warp, in_warp, branch_in_warp, "paths of a warp",
               "the same branch; the lanes of a warp take that many paths")
SM_CUDA_BRANCH(branch_across_warps, across_warps, branch_across_warps, "paths of a block",
               "the same branch; the warps take that many paths, each warp one")

struct branch_predicated {  // no branch: computes every alternative and selects one
  static constexpr op_info info =
      branch_info("branch_predicated", divergence::in_warp, "alternatives",
                  "predicated, without a branch: the operations of that many paths are done, and "
                  "one result is selected");
  static constexpr std::array forms{form{.size = 1}, form{.size = 2},  form{.size = 4},
                                    form{.size = 8}, form{.size = 16}, form{.size = most_paths}};
  SM_FN static void common(has_selects auto& lane) { lane.select(); }
  SM_FN static void measured(has_selects auto& lane) { lane.select(); }
};

}  // namespace ops

using branch_ops = op_list<ops::branch_uniform, ops::branch_in_warp, ops::branch_across_warps,
                           ops::branch_predicated>;

// The lane for divergence: a word that follows one of 32 paths at every step.

template <class T, class Form> class divergence_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  // The compiler must not know that a warp's lanes share a path: it comes from memory.
  SM_FN explicit divergence_lane(const kernel_setup& s)
      : step_{static_cast<unsigned>(s.ones[0])}, uniform_{static_cast<unsigned>(s.ones[1])},
        in_warp_{threadIdx.x % max(s.size, 1U) + uniform_},
        across_warps_{threadIdx.x / warp_size % max(s.size, 1U) + uniform_} {}

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  SM_FN void branch_uniform() { branch(uniform_); }
  SM_FN void branch_in_warp() { branch(in_warp_); }
  SM_FN void branch_across_warps() { branch(across_warps_); }

  SM_FN void select() { select(std::make_integer_sequence<unsigned, lane_form.size>{}); }

  [[nodiscard]] SM_FN cuda_outcome outcome() const { return {{.tally = 0, .operand = word_}, 0}; }

 private:
  template <unsigned Path> SM_FN static void take(std::uint32_t& x) {
    static_assert(rounds_of_path == 4);
    take_round<Path, 0>(x);
    take_round<Path, 1>(x);
    take_round<Path, 2>(x);
    take_round<Path, 3>(x);
  }
  template <unsigned Path, unsigned Round> SM_FN static void take_round(std::uint32_t& x) {
    constexpr std::uint32_t factor = factor_of(Path, Round), bits = bits_of_path(Path, Round);
    asm volatile("mul.lo.u32 %0, %0, %1;\n\txor.b32 %0, %0, %2;"
                 : "+r"(x)
                 : "n"(factor), "n"(bits));
  }

  // Branches are two-way: a switch would jump through a table with targets unreadable in the
  // machine code.
  template <unsigned First, unsigned Paths> SM_FN void branch_among(unsigned path) {
    if constexpr (Paths == 1) {
      take<First>(word_);
    } else {
      if ((path & (Paths / 2)) == 0) branch_among<First, Paths / 2>(path);
      else branch_among<First + Paths / 2, Paths / 2>(path);
    }
  }
  // Changes the path each time: a compiler could turn a constant path into one long path for all
  // steps.
  SM_FN void branch(unsigned& path) {
    branch_among<0, most_paths>(path);
    path = (path + 1) % most_paths;
  }

  template <unsigned... Path> SM_FN void select(std::integer_sequence<unsigned, Path...>) {
    std::uint32_t chosen = word_;
    (select_if<Path>(chosen), ...);
    word_ = chosen;
    // The step comes from memory: no side may learn that the path repeats within a trip.
    in_warp_ = (in_warp_ + step_) % lane_form.size;
  }
  template <unsigned Path> SM_FN void select_if(std::uint32_t& chosen) const {
    std::uint32_t x = word_;
    take<Path>(x);
    chosen = in_warp_ == Path ? x : chosen;
  }

  unsigned step_, uniform_, in_warp_, across_warps_;
  std::uint32_t word_ = first_word;
};

namespace {

constexpr unsigned check_block = 256;

__global__ void check(diverging_lanes who, const lane_outcome* outcomes,
                      const std::uint32_t* expected, own_outcome* found) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < who.lanes;
       i += gridDim.x * blockDim.x) {
    const unsigned lane = i % who.of_block;
    const unsigned first = who.by == divergence::none      ? 0
                           : who.by == divergence::in_warp ? lane % who.paths
                                                           : lane / warp_size % who.paths;
    if (outcomes[i].operand == expected[first]) continue;
    if (atomicAdd(&found->wrong, 1ULL) != 0) continue;
    found->at = i;
    found->held = expected[first];
    found->lane = outcomes[i];
  }
}

}  // namespace

void check_words(const diverging_lanes& who, const lane_outcome* outcomes,
                 const std::uint32_t* expected, own_outcome* found, cudaStream_t stream) {
  const unsigned blocks = std::min((who.lanes + check_block - 1) / check_block, 1024U);
  check<<<blocks, check_block, 0, stream>>>(who, outcomes, expected, found);
  SM_CUDA(cudaGetLastError());
}

std::vector<measurable> divergence_rows() {
  static constexpr auto rows = bind_untyped<backend_of<divergence_lane>>(branch_ops{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
