// The lane of handoffs: one thread of a warp, with a flag of its own and that of the next warp of
// its ring. It counts the polls that found nothing, in a register, behind the load that failed: on
// both sides alike, and in the shadow of the next load.
#pragma once

#include "backends/cuda/handoff/handoff_flag.cuh"
#include "backends/cuda/handoff/handoff_setup.hpp"

namespace syncmeter::cuda {

template <class T, class Form> class handoff_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  /// Of a ring of all warps of the grid.
  SM_FN explicit handoff_lane(const kernel_setup& s)
      : handoff_lane{s.mailboxes, blockIdx.x * warps_in(blockDim.x) + threadIdx.x / warp_size,
                     gridDim.x * warps_in(blockDim.x)} {}
  /// Place `place` of a ring of `warps` flags, mailbox_bytes apart.
  SM_FN handoff_lane(std::byte* flags, unsigned place, unsigned warps)
      : mine_{reinterpret_cast<std::uint64_t*>(flags + std::size_t{place} * mailbox_bytes)},
        next_{reinterpret_cast<std::uint64_t*>(flags +
                                               std::size_t{(place + 1) % warps} * mailbox_bytes)},
        bump_{place == 0 ? 1U : 0U}, expected_{1U - bump_}, place_{place},
        before_{(place + warps - 1) % warps} {}

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  // A token that never comes ends the wait, and with it every later one: the kernel ends.
  SM_FN void await_token() {
    while (words::load(mine_) != expected_ && polls_ < most_polls) ++polls_;
    words::after_load();
  }
  SM_FN void pass_token() {
    words::store(next_, expected_ + bump_);
    ++expected_;
  }

  [[nodiscard]] SM_FN unsigned place() const { return place_; }
  /// Who hands on to this lane.
  [[nodiscard]] SM_FN unsigned before() const { return before_; }
  [[nodiscard]] SM_FN unsigned polls() const { return polls_; }
  /// Nothing for an oracle of cells: the polls, and where the lane ran.
  [[nodiscard]] SM_FN cuda_outcome outcome() const { return {{polls_, multiprocessor()}, 0}; }

 private:
  using words = flag<lane_form, std::uint64_t>;

  std::uint64_t* mine_;
  std::uint64_t* next_;
  std::uint64_t bump_;
  std::uint64_t expected_;
  unsigned place_;
  unsigned before_;
  unsigned polls_ = 0;
};

/// Message passing around a ring, `rounds` times: each lane writes data on a line of its own and
/// hands on; who is handed to must see them. It has read the line before, so that L1 may hold what
/// is old by then. `data` is mailbox_bytes for each lane, all zero. Returns how often it was old.
template <class Lane>
SM_FN unsigned stale_messages(Lane& lane, std::byte* data, unsigned rounds, unsigned& used) {
  const auto line = [data](unsigned place) {
    return reinterpret_cast<unsigned*>(data + std::size_t{place} * mailbox_bytes);
  };
  unsigned stale = 0;
  SM_ROLLED for (unsigned round = 1; round <= rounds; ++round) {
    used ^= load_data(line(lane.before()));
    lane.await_token();
    // The first lane is handed to by the last one's round before.
    const unsigned written = lane.place() == 0 ? round - 1 : round;
    if (load_data(line(lane.before())) != written) ++stale;
    store_data(line(lane.place()), round);
    lane.pass_token();
  }
  return stale;
}

}  // namespace syncmeter::cuda
