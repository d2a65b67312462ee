// Kokkos' CUDA space: its lane, launches, kernel names, and the table for one type. The lane is a
// team member, and a team is a block. The CUDA backend times and checks, while Kokkos provides the
// words. The build compiles this file once per SM_TYPE (void for ops without a type).
#include <string>
#include <type_traits>
#include <typeinfo>

#include "backends/cuda/lane/cuda_kernel.cuh"
#include "backends/cuda/rig/cuda_rig.hpp"
#include "backends/kokkos/kokkos_cuda.cuh"
#include "backends/kokkos/kokkos_words.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::kokkos {

/// Limits registers to fit this many of the largest teams on a multiprocessor: two like in the CUDA
/// backend, or one if the trip counter would spill to memory.
template <class Op>
inline constexpr unsigned teams_that_fit = Op::info.compares ? 1 : cuda::blocks_per_multiprocessor;
template <unsigned Teams>
using policy_for =
    Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<cuda::largest_block, Teams>>;
using device_member = policy_for<1>::member_type;

template <class T, class Form>
class device_lane : public cuda::basic_lane<T, Form>, public words<T, Form::value.order> {
 public:
  SM_FN device_lane(const cuda::kernel_setup& s, const device_member& member)
      : cuda::basic_lane<T, Form>{s}, member_{member}, lock_{s.lock},
        bump_{this->thread() == 0 ? 1U : 0U}, expected_{1U - bump_} {
    cuda::make_opaque(this->one_);  // prevents an occasional conversion from integer in the loop
    const unsigned warps_of_team = cuda::warps_in(cuda::lanes_in_block());
    const unsigned warp = blockIdx.x * warps_of_team + cuda::lane_in_block() / cuda::warp_size;
    const unsigned next = (warp + 1) % (gridDim.x * warps_of_team);
    mailbox_ =
        reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{warp} * cuda::mailbox_bytes);
    next_mailbox_ =
        reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{next} * cuda::mailbox_bytes);
  }

  SM_FN void barrier() const { member_.team_barrier(); }

  // The lock from kokkos_lane.hpp. The holder releases the lock inside the loop, because a lane
  // that left the loop as holder might wait forever for its warp.
  SM_FN void critical_add(T& x, T by) const {
    for (bool done = false; !done;) {
      if (Kokkos::atomic_compare_exchange(lock_, 0, 1) == 0) {
        Kokkos::load_fence();
        this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
        Kokkos::store_fence();
        Kokkos::atomic_store(lock_, 0);
        done = true;
      }
    }
  }

  SM_FN void await_token() const {
    while (Kokkos::atomic_load(mailbox_) != expected_) {
    }
    Kokkos::load_fence();
  }
  SM_FN void pass_token() {
    Kokkos::store_fence();
    Kokkos::atomic_store(next_mailbox_, expected_ + bump_);
    ++expected_;
  }

  [[nodiscard]] SM_FN cuda::cuda_outcome outcome() const { return {this->tallied(), this->sunk()}; }

 private:
  device_member member_;
  int* lock_;
  std::uint64_t bump_;
  std::uint64_t expected_;
  std::uint64_t* mailbox_;
  std::uint64_t* next_mailbox_;
};

/// The functor of a row and count. The census identifies the kernel by this type.
template <class Op, int Count, class Lane> struct timed_team {
  cuda::kernel_setup setup;
  std::uint32_t trips;
  __device__ void operator()(const device_member& member) const {
    __shared__ cuda::block_clock clock;
    cuda::run_block<Op, Count>(Lane{setup, member}, setup, trips, clock);
  }
};

template <class Op, class Lane> struct litmus_team {
  cuda::kernel_setup setup;
  unsigned* board;
  unsigned long long* forbidden;
  __device__ void operator()(const device_member& member) const {
    const Lane lane{setup, member};
    if constexpr (Op::info.litmus == litmus::barrier)
      cuda::check_barrier<Op>(lane, board, forbidden);
    else cuda::check_fence<Op>(lane, board, forbidden);
  }
};

/// Runs a parallel_for over `blocks` teams. The light hint makes the functor a kernel parameter
/// like in CUDA code, instead of a copy in constant memory.
template <unsigned Teams, class Functor>
void launch_teams(const cuda::launch_shape& shape, const Functor& functor) {
  constexpr auto light = Kokkos::Experimental::WorkItemProperty::HintLightWeight;
  const policy_for<Teams> teams(space_on(shape.stream), static_cast<int>(shape.blocks),
                                static_cast<int>(shape.lanes), 1);
  Kokkos::parallel_for("syncmeter", Kokkos::Experimental::require(teams, light), functor);
}

template <class Op, int Count, class Lane> void launch_timed(bench& on, unsigned) {
  const auto& rig = static_cast<const cuda::cuda_rig&>(on);
  launch_teams<teams_that_fit<Op>>(rig.shape(),
                                   timed_team<Op, Count, Lane>{rig.setup(), rig.trips_of_launch()});
}

template <class Op, class Lane>
void launch_litmus(const void*, const cuda::launch_shape& shape, void** arguments) {
  launch_teams<teams_that_fit<Op>>(
      shape, litmus_team<Op, Lane>{*static_cast<const cuda::kernel_setup*>(arguments[0]),
                                   *static_cast<unsigned* const*>(arguments[1]),
                                   *static_cast<unsigned long long* const*>(arguments[2])});
}

template <class Op, class Lane> std::uint64_t run_litmus(bench& rig) {
  return static_cast<cuda::cuda_rig&>(rig).run_litmus({nullptr, &launch_litmus<Op, Lane>},
                                                      Op::info.litmus == litmus::barrier);
}

template <class Op, class Lane> std::string kernel_name_at(std::size_t index) {
  switch (counts.at(index)) {
  case 0:
    return name_of(typeid(timed_team<Op, 0, Lane>));
  case 1:
    return name_of(typeid(timed_team<Op, 1, Lane>));
  case 2:
    return name_of(typeid(timed_team<Op, 2, Lane>));
  default:
    return name_of(typeid(timed_team<Op, 4, Lane>));
  }
}

struct device_backend {
  template <class T, form F>
  using lane = device_lane<
      T, cuda::form_constant<F.order, F.placement, F.scope, F.flavour, F.space, F.some_lanes>>;
  static constexpr bool code_on_device = true;

  // Additivity is built for one type, like in the CUDA backend.
  template <class Op, class Lane> static consteval bool is_additive() {
    return std::is_same_v<typename Lane::value_type, std::int32_t>;
  }
  template <class Op, int Count, class Lane> static consteval lane_body body_of() {
    return &launch_timed<Op, Count, Lane>;
  }
  template <class Op, class Lane> static consteval kernel_namer kernel_name_of() {
    return &kernel_name_at<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    if constexpr (Op::info.litmus == litmus::none) return nullptr;
    else return &run_litmus<Op, Lane>;
  }
  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    if (info.takes_token) return "not available on GPUs; the operation handoff waits by load";
    return why_without(info);
  }
};

template <class T> std::vector<measurable> device_rows() {
  if constexpr (std::is_void_v<T>) {
    static constexpr auto all = bind_untyped<device_backend>(shared_ops{});
    return {all.begin(), all.end()};
  } else {
    static constexpr auto all = bind_typed<device_backend, T>(shared_ops{});
    return {all.begin(), all.end()};
  }
}

template std::vector<measurable> device_rows<SM_TYPE>();

}  // namespace syncmeter::kokkos
