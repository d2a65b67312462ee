// Lanes of the levels of synchronization, over the CUDA lane: tiles and coalesced groups of a warp.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "backends/cuda/lane/cuda_block_lane.cuh"

namespace syncmeter::cuda {

namespace cg = cooperative_groups;

/// Who takes part in one op together: `size` threads of the grid from `first` on, and this one's
/// place among them.
struct team {
  unsigned first, size, place;
};

/// A lane that adds to and passes on a value of its own.
template <class T, class Form> class value_lane : public lane<T, Form> {
 public:
  SM_FN explicit value_lane(const kernel_setup& s)
      : lane<T, Form>{s}, value_{static_cast<unsigned>(s.ones[0]) + this->thread()} {}

  SM_FN void give(unsigned value) { value_ = value; }
  [[nodiscard]] SM_FN unsigned taken() const { return value_; }
  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    cuda_outcome done = lane<T, Form>::outcome();
    done.sunk ^= value_;
    return done;
  }

 protected:
  unsigned value_;
};

/// Words whose group has a size that the compiler knows (form::size): tiles of a warp, and chains
/// of adds.
template <class T, class Form> class tile_lane : public value_lane<T, Form> {
  static constexpr unsigned size = Form::value.size;
  using value_lane<T, Form>::value_;

 public:
  using value_lane<T, Form>::value_lane;

  SM_FN void tile_sync() const { tile().sync(); }
  SM_FN void tile_shuffle() {
    value_ = tile().shfl(value_, static_cast<int>(tile().thread_rank() + 1));
  }
  SM_FN void tile_reduce() { value_ = cg::reduce(tile(), value_, cg::plus<unsigned>()); }
  SM_FN void tile_reduce_by_shuffles() { add_from<size / 2>(); }

  SM_FN void fadd_chain() { fadds<size>(); }
  template <unsigned N> SM_FN void fadds() {
    if constexpr (N == 1) {
      this->add_float();
    } else {
      fadds<N / 2>();
      fadds<N - N / 2>();
    }
  }

  [[nodiscard]] SM_FN team members() const {
    const unsigned place = threadIdx.x % size;
    return {this->thread() - place, size, place};
  }
  SM_FN void meet() const { tile().sync(); }

 private:
  [[nodiscard]] SM_FN static auto tile() {
    return cg::tiled_partition<size>(cg::this_thread_block());
  }
  template <unsigned Distance> SM_FN void add_from() {
    if constexpr (Distance > 0) {
      value_ += tile().shfl_xor(value_, Distance);
      add_from<Distance / 2>();
    }
  }
};

/// Words of a coalesced group: the first kernel_setup::active lanes of each warp, which run the
/// loop without the others.
template <class T, class Form> class coalesced_lane : public value_lane<T, Form> {
 public:
  SM_FN explicit coalesced_lane(const kernel_setup& s)
      : value_lane<T, Form>{s},
        group_{cg::binary_partition(cg::tiled_partition<warp_size>(cg::this_thread_block()),
                                    threadIdx.x % warp_size < s.active)},
        next_{(group_.thread_rank() + 1) % group_.size()} {}

  SM_FN void coalesced_sync() const { group_.sync(); }
  SM_FN void coalesced_shuffle() { value_ = group_.shfl(value_, static_cast<int>(next_)); }
  SM_FN void coalesced_reduce() { value_ = cg::reduce(group_, value_, cg::plus<unsigned>()); }

  [[nodiscard]] SM_FN team members() const {
    return {this->thread() - group_.thread_rank(), group_.size(), group_.thread_rank()};
  }
  SM_FN void meet() const { group_.sync(); }

 private:
  using value_lane<T, Form>::value_;
  cg::coalesced_group group_;
  unsigned next_;
};

}  // namespace syncmeter::cuda
