// What rings have in common whose token is handed on by an object in shared memory: how their ops
// are written, the lane, and how they come into the table.
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

/// One warp's place in the ring, which goes from block to block, and its objects: `Object` says how
/// it is made, how it begins with the token or without, and how that is waited for and handed on. A
/// lane that waited in vain gives up, and with it the ring.
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
  // The first warp is handed the token of the rotation before.
  SM_FN void pass_token() { object_.pass(turns_ + (place_ + 1 == warps_ ? 1 : 0)); }

  [[nodiscard]] SM_FN unsigned place() const { return place_; }
  [[nodiscard]] SM_FN unsigned before() const { return (place_ + warps_ - 1) % warps_; }
  [[nodiscard]] SM_FN unsigned polls() const { return polls_; }

  /// Each warp says how many of the tokens that it was handed were the right ones.
  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    *mailbox_ = turns_ - object_.wrong();
    return {{polls_, multiprocessor()}, 0};
  }
  /// By all threads, or all that are left, after the turns of a lane of which this one was copied:
  /// an even number, as an op is unrolled four times, or of this one itself.
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

/// Of one block, and nothing but the object says that there is a token.
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
