// A lane among the threads of several devices. Its barriers have two levels: a device's blocks
// arrive at its counter, and the last block signals the other devices. Accesses between devices
// have system scope, accesses within a device have device scope. Order carries over between both
// (PTX ISA, "Memory Consistency Model": causality order is transitive over scopes).
#pragma once

#include "backends/cuda/lane/cuda_kernel.cuh"
#include "backends/cuda/multi/multi_setup.hpp"

namespace syncmeter::cuda {

/// Waits for a condition, for at most wait_limit_ns. After a timeout it stops waiting altogether,
/// to let the kernel end.
class bounded_wait {
 public:
  SM_FN bounded_wait() : deadline_{global_timer() + wait_limit_ns} {}

  template <class Reached>
  SM_FN void wait(const Reached& reached, wait_timeout where, unsigned step) {
    unsigned polls = 0;
    while (where_ == 0 && !reached()) {
      if (++polls % 1024 == 0 && global_timer() > deadline_) {
        where_ = static_cast<std::uint32_t>(where);
        step_ = step;
      }
    }
  }
  [[nodiscard]] SM_FN std::uint32_t where() const { return where_; }
  [[nodiscard]] SM_FN std::uint32_t step() const { return step_; }

 private:
  std::int64_t deadline_;
  std::uint32_t where_ = 0, step_ = 0;
};

struct multi_outcome {
  bounded_wait waited;
  std::uint64_t sunk;
};

template <class T, class Form> class multi_lane {
  static constexpr form F = Form::value;
  static constexpr enum scope S = F.scope;

 public:
  using value_type = T;
  static constexpr form lane_form = F;

  SM_FN explicit multi_lane(const multi_setup& s)
      : self_{s.self}, devices_{s.devices}, board_{s.board}, home_{s.home},
        peer_{s.boards[lane_in_block() < s.devices ? lane_in_block() : s.self]},
        cell_{word(s.home, cell_at) + (lane_in_block() & s.no_bits)}, mailbox_{s.mailbox},
        next_mailbox_{s.next_mailbox}, token_{s.self} {}

  /// Synchronizes the device's blocks, then all devices at a counter on one device.
  SM_FN void barrier_counter() {
    barrier([this] {
      if (lane_in_block() == 0) {
        auto* const counter = word(home_, counter_at);
        add_acq_rel<scope::system>(counter, 1);
        await_at_least<scope::system>(counter, epoch_ * devices_, wait_timeout::between_devices);
        store_release<scope::device>(word(board_, go_at), epoch_);
      }
    });
    await_go();
  }
  /// One block signals every other device for its own device. Every block waits for all devices.
  SM_FN void barrier_flags() {
    barrier([this] {
      if (lane_in_block() < devices_)
        store_release<scope::system>(word(peer_, flags_at + self_ * board_line), epoch_);
    });
    if (lane_in_block() < devices_) {
      await_at_least<scope::system>(word(board_, flags_at + lane_in_block() * board_line), epoch_,
                                    wait_timeout::between_devices);
    }
    leave();
  }
  /// In round k each device signals the device 2^k places further, and waits for the device 2^k
  /// places before. Source: Hensgen, Finkel and Manber, "Two algorithms for barrier
  /// synchronization", 1988.
  SM_FN void barrier_dissemination() {
    barrier([this] {
      unsigned flag = flags_at;
      SM_ROLLED for (unsigned step = 1; step < devices_; step *= 2, flag += board_line) {
        const unsigned further = self_ + step;
        if (lane_in_block() == (further < devices_ ? further : further - devices_))
          store_release<scope::system>(word(peer_, flag), epoch_);
        if (lane_in_block() == 0)
          await_at_least<scope::system>(word(board_, flag), epoch_, wait_timeout::between_devices);
        __syncwarp();
      }
      if (lane_in_block() == 0) store_release<scope::device>(word(board_, go_at), epoch_);
    });
    await_go();
  }

  // The compiler must not see one address for all lanes, or one lane of a warp would add for all.
  SM_FN void fetch_add() { sunk_ ^= ptx::atom_add<order::relaxed, S>(*cell_, 1U); }

  /// Waits for this side's next token.
  SM_FN void await_token() {
    waited_.wait([this] { return token_here() == token_; }, wait_timeout::at_token, token_);
    if constexpr (F.flavour != flavour::ptx && F.order != order::relaxed) fence_of<S>();
  }
  /// Hands on the following token.
  SM_FN void pass_token() {
    const unsigned next = token_ + 1;
    if constexpr (F.flavour == flavour::volatile_access) {
      if constexpr (F.order != order::relaxed) fence_of<S>();
      *const_cast<volatile unsigned*>(next_mailbox_) = next;
    } else if constexpr (F.flavour == flavour::function) {
      fence_of<S>();
      store_relaxed<S>(next_mailbox_, next);
    } else if constexpr (F.order == order::relaxed) {
      store_relaxed<S>(next_mailbox_, next);
    } else {
      store_release<S>(next_mailbox_, next);
    }
    token_ += 2;
  }

  [[nodiscard]] SM_FN unsigned token() const { return token_; }
  [[nodiscard]] SM_FN multi_outcome outcome() const { return {waited_, sunk_}; }

 private:
  [[nodiscard]] SM_FN static unsigned* word(std::byte* board, unsigned at) {
    return reinterpret_cast<unsigned*>(board + at);
  }
  template <scope Reach>
  SM_FN void await_at_least(const unsigned* p, unsigned value, wait_timeout where) {
    waited_.wait([=] { return load_acquire<Reach>(p) >= value; }, where, epoch_);
  }
  [[nodiscard]] SM_FN unsigned token_here() const {
    if constexpr (F.flavour == flavour::volatile_access)
      return *const_cast<const volatile unsigned*>(mailbox_);
    else if constexpr (F.flavour == flavour::function || F.order == order::relaxed)
      return load_relaxed<S>(mailbox_);
    else return load_acquire<S>(mailbox_);
  }

  // The first half of a barrier: the block arrives, and the last block's first warp signals for the
  // device.
  template <class Speak> SM_FN void barrier(const Speak& speak) {
    ++epoch_;
    __syncthreads();
    if (lane_in_block() >= warp_size) return;
    unsigned last = 0;
    if (lane_in_block() == 0)
      last = add_acq_rel<scope::device>(word(board_, arrived_at), 1) + 1 == epoch_ * gridDim.x;
    last = __shfl_sync(all_lanes, last, 0);
    __syncwarp();  // the warp's other lanes pass on the first lane's acquire
    if (last != 0) speak();
  }
  SM_FN void await_go() {
    if (lane_in_block() == 0)
      await_at_least<scope::device>(word(board_, go_at), epoch_, wait_timeout::in_device);
    leave();
  }
  SM_FN void leave() { __syncthreads(); }

  unsigned self_, devices_;
  std::byte* board_;
  std::byte* home_;
  std::byte* peer_;
  unsigned* cell_;
  unsigned* mailbox_;
  unsigned* next_mailbox_;
  unsigned token_;
  unsigned epoch_ = 0;
  unsigned sunk_ = 0;
  bounded_wait waited_;
};

}  // namespace syncmeter::cuda
