// The common part of rings with objects in shared memory: op definitions, the lane, and the rows.
#pragma once

#include <vector>

#include "backends/cuda/handoff/handoff.cuh"
#include "backends/cuda/handoff/ring_rows.cuh"
#include "backends/cuda/lane/cuda_shared_objects.cuh"

namespace syncmeter::cuda {

#define SM_RING_OP(NAME, FORMS, INFO)                                                              \
  struct NAME {                                                                                    \
    static constexpr op_info info = INFO;                                                          \
    static constexpr std::array forms = FORMS;                                                     \
    static constexpr bool without_additivity = true;                                               \
    SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); } \
    SM_FN static void measured(has_token_ring auto& lane) { common(lane); }                        \
  };

inline constexpr unsigned most_warps = largest_block / warp_size;

/// A warp's place in the ring, which goes from block to block, and its objects. `Object` defines
/// construction, the begin with or without the token, the wait and the handoff. A lane that waited
/// in vain gives up, and the whole ring ends.
template <class T, class Form, class Object> class object_lane_of_ring {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  SM_FN explicit object_lane_of_ring(const kernel_setup& s)
      : place_{threadIdx.x / warp_size * gridDim.x + blockIdx.x},
        warps_{gridDim.x * warps_in(blockDim.x)},
        mailbox_{
            reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{place_} * mailbox_bytes)} {
    __shared__ typename Object::storage objects[most_warps];
    const unsigned next = (place_ + 1) % warps_;
    object_.bind(objects[threadIdx.x / warp_size], objects[next / gridDim.x], next % gridDim.x);
    if (threadIdx.x % warp_size == 0) object_.make(place_ == 0);
    Object::meet();
    if (threadIdx.x % warp_size == 0) object_.begin(place_ == 0);
  }

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  SM_FN void await_token() { object_.await(++turns_, polls_); }
  // The first warp receives the token of the previous rotation.
  SM_FN void pass_token() { object_.pass(turns_ + (place_ + 1 == warps_ ? 1 : 0)); }

  [[nodiscard]] SM_FN unsigned place() const { return place_; }
  [[nodiscard]] SM_FN unsigned before() const { return (place_ + warps_ - 1) % warps_; }
  [[nodiscard]] SM_FN unsigned polls() const { return polls_; }

  /// Returns the number of correct tokens this warp received.
  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    *mailbox_ = turns_ - object_.wrong();
    return {{polls_, multiprocessor()}, 0};
  }
  /// Called by all remaining threads after the turns of this lane or its copies. Copies make an
  /// even number of turns, because an op is unrolled four times.
  SM_FN void leave() const
    requires requires(const Object& o) { o.leave(0U, 0U); }
  {
    object_.leave(turns_, place_);
  }

 private:
  Object object_;
  unsigned place_, warps_;
  std::uint64_t* mailbox_;
  unsigned turns_ = 0;
  unsigned polls_ = 0;
};

/// A ring within one block: only the object itself carries the token.
struct token_of_block {
  SM_FN static void meet() { __syncthreads(); }
  SM_FN static unsigned wrong() { return 0; }
};

template <template <class, class> class Lane, class Op>
void add_rows(std::vector<measurable>& rows) {
  static constexpr auto found = bind_untyped<ring_backend<Lane>>(op_list<Op>{});
  rows.insert(rows.end(), found.begin(), found.end());
}

}  // namespace syncmeter::cuda
