// The lane of the study of divergence: a word that goes down one of 32 paths at every step.
#pragma once

#include "backends/cuda/lane/cuda_lane.cuh"
#include "backends/cuda/ops/branch.cuh"
#include "backends/cuda/ops/divergence_paths.hpp"

namespace syncmeter::cuda {

template <class T, class Form> class divergence_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  // That all lanes of a warp are on one path is read from memory: the compiler must not know.
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

  // Two-way branches, and no switch: that would jump through a table, whose targets nobody reads in
  // the machine code.
  template <unsigned First, unsigned Paths> SM_FN void branch_among(unsigned path) {
    if constexpr (Paths == 1) {
      take<First>(word_);
    } else {
      if ((path & (Paths / 2)) == 0) branch_among<First, Paths / 2>(path);
      else branch_among<First + Paths / 2, Paths / 2>(path);
    }
  }
  // The next path each time: of one path alone a compiler could make one long path of all steps.
  SM_FN void branch(unsigned& path) {
    branch_among<0, most_paths>(path);
    path = (path + 1) % most_paths;
  }

  template <unsigned... Path> SM_FN void select(std::integer_sequence<unsigned, Path...>) {
    std::uint32_t chosen = word_;
    (select_if<Path>(chosen), ...);
    word_ = chosen;
    // By a step from memory: no side may find out that the path comes round within a trip.
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

}  // namespace syncmeter::cuda
