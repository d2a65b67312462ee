// A flag handed from warp to warp: the ops, all flag flavours, and the lane.
#pragma once

#include <array>
#include <cstdint>

#include <cuda/atomic>

#include "backends/cuda/handoff/handoff.hpp"
#include "core/axes.hpp"
#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::cuda::ops {

using syncmeter::has_token_ring;

consteval op_info handoff_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::handoff,
          .litmus = litmus::fence,
          .unroll = 4,
          .min_lanes = 2,
          .cost_per_lane = true,
          .communicates = true,
          .note = note};
}

consteval op_info cluster_handoff_info() {
  op_info info =
      handoff_info("cluster_handoff", "around a ring of all warps of one cluster of blocks");
  info.launching = launching::cluster;
  info.size_of = "blocks of a cluster";
  return info;
}

consteval op_info sm_handoff_info() {
  op_info info = handoff_info(
      "sm_handoff", "round trip between a warp on the first multiprocessor and one on another");
  info.size_of = "the other multiprocessor, counted from 1";
  return info;
}

/// Returns a form. `relaxed`: the flag promises nothing about earlier writes. `acq_rel`: acquire
/// for the waiter and release for the sender. PTX uses volatile for relaxed.sys.
constexpr form handoff_form(flavour by, order o, scope s) {
  return {.order = o, .scope = s, .flavour = by};
}

struct warp_handoff {  // test - baseline == one more rotation, divided by the warps: the cost is
                       // per handoff
  static constexpr op_info info = handoff_info(
      "warp_handoff",
      "around a ring of warps: each waits for its flag, then sets that of the next warp");
  static constexpr std::array forms{
      handoff_form(flavour::ptx, order::acq_rel, scope::device),
      handoff_form(flavour::ptx, order::acq_rel, scope::block),
      handoff_form(flavour::ptx, order::acq_rel, scope::cluster),
      handoff_form(flavour::ptx, order::acq_rel, scope::system),
      handoff_form(flavour::ptx, order::relaxed, scope::device),
      handoff_form(flavour::ptx, order::relaxed, scope::block),
      handoff_form(flavour::ptx, order::relaxed, scope::cluster),
      handoff_form(flavour::ptx, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::device),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::block),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::device),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::block),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::device),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::block),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::system)};
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_ring auto& lane) { common(lane); }
};

struct cluster_handoff {  // test - baseline == one more rotation, divided by the warps
  static constexpr op_info info = cluster_handoff_info();
  static constexpr std::array forms{handoff_form(flavour::ptx, order::acq_rel, scope::cluster),
                                    handoff_form(flavour::ptx, order::acq_rel, scope::device),
                                    handoff_form(flavour::ptx, order::relaxed, scope::cluster)};
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_ring auto& lane) { common(lane); }
};

struct sm_handoff {  // test - baseline == one more round trip, divided by the two warps
  static constexpr op_info info = sm_handoff_info();
  static constexpr std::array forms{handoff_form(flavour::ptx, order::acq_rel, scope::device),
                                    handoff_form(flavour::ptx, order::relaxed, scope::device)};
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_ring auto& lane) { common(lane); }
};

// Not a loop on the device: both sides launch one kernel, and the test side has a longer chain by
// one trip (chain_rig.hpp).
struct handoff_chain {  // test - baseline == the warps of the added blocks, in turn
  static constexpr op_info info{
      .name = "handoff_chain",
      .in_quick = false,
      .family = family::handoff,
      .litmus = litmus::fence,
      .unroll = 1,
      .min_lanes = 2,
      .cost_per_lane = true,
      .communicates = true,
      .note = "reproduction of a published test: every warp of the grid waits once for one flag, "
              "which relies on blocks starting in order; scope block is used inside a block, "
              "device between blocks"};
  static constexpr std::array forms{
      handoff_form(flavour::ptx, order::acq_rel, scope::device),
      handoff_form(flavour::ptx, order::acq_rel, scope::block),
      handoff_form(flavour::ptx, order::acq_rel, scope::system),
      handoff_form(flavour::ptx, order::relaxed, scope::device),
      handoff_form(flavour::ptx, order::relaxed, scope::block),
      handoff_form(flavour::ptx, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::device),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::device),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::block),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::device)};
};

}  // namespace syncmeter::cuda::ops

namespace syncmeter::cuda {

// One word in global memory for handoffs, in all CUDA flavours: PTX's scoped accesses, libcu++, and
// volatile with and without a fence.

// GPUs before Hopper have no clusters and no cluster scope: the rig refuses such points.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define SM_CLUSTER_SCOPE ".gpu"
#else
#define SM_CLUSTER_SCOPE ".cluster"
#endif

// An instruction's text must be literal: macros choose order, scope and width.
#define SM_FLAG_SCOPES(DO, ORDER, ...)                                                             \
  if constexpr (F.scope == scope::block) {                                                         \
    DO(ORDER ".cta", __VA_ARGS__)                                                                  \
  } else if constexpr (F.scope == scope::cluster) {                                                \
    DO(ORDER SM_CLUSTER_SCOPE, __VA_ARGS__)                                                        \
  } else if constexpr (F.scope == scope::system) {                                                 \
    DO(ORDER ".sys", __VA_ARGS__)                                                                  \
  } else {                                                                                         \
    DO(ORDER ".gpu", __VA_ARGS__)                                                                  \
  }
#define SM_FLAG_LOAD(WHICH, TYPE, C)                                                               \
  asm volatile("ld." WHICH ".global." TYPE " %0, [%1];" : "=" C(value) : "l"(at) : "memory");
#define SM_FLAG_STORE(WHICH, TYPE, C)                                                              \
  asm volatile("st." WHICH ".global." TYPE " [%0], %1;" ::"l"(at), C(value) : "memory");

/// A flag of form F to wait for and to set. W is a 32-bit or a 64-bit unsigned integer.
template <form F, class W> class flag {
  static constexpr bool ordered = F.order != order::relaxed;
  static constexpr auto reach = F.scope == scope::block    ? ::cuda::thread_scope_block
                                : F.scope == scope::system ? ::cuda::thread_scope_system
                                                           : ::cuda::thread_scope_device;

 public:
  /// Acquires if the form has an order and its loads support it.
  SM_FN static W load(W* where) {
    if constexpr (F.flavour == flavour::volatile_access) {
      return *const_cast<volatile W*>(where);
    } else if constexpr (F.flavour == flavour::atomic_ref) {
      return ::cuda::atomic_ref<W, reach>{*where}.load(ordered ? ::cuda::std::memory_order_acquire
                                                               : ::cuda::std::memory_order_relaxed);
    } else {
      W value;
      const auto at = __cvta_generic_to_global(where);
      if constexpr (sizeof(W) == 8) {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "acquire", "u64", "l")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "relaxed", "u64", "l")
        }
      } else {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "acquire", "u32", "r")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "relaxed", "u32", "r")
        }
      }
      return value;
    }
  }

  /// Adds the fence after a load that saw the awaited value.
  SM_FN static void after_load() {
    if constexpr (F.flavour == flavour::volatile_access && ordered) fence();
  }

  /// Releases if the form has an order.
  SM_FN static void store(W* where, W value) {
    if constexpr (F.flavour == flavour::volatile_access) {
      if constexpr (ordered) fence();
      *const_cast<volatile W*>(where) = value;
    } else if constexpr (F.flavour == flavour::atomic_ref) {
      ::cuda::atomic_ref<W, reach>{*where}.store(
          value, ordered ? ::cuda::std::memory_order_release : ::cuda::std::memory_order_relaxed);
    } else {
      const auto at = __cvta_generic_to_global(where);
      if constexpr (sizeof(W) == 8) {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "release", "u64", "l")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "relaxed", "u64", "l")
        }
      } else {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "release", "u32", "r")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "relaxed", "u32", "r")
        }
      }
    }
  }

 private:
  SM_FN static void fence() {
    if constexpr (F.scope == scope::block) __threadfence_block();
    else if constexpr (F.scope == scope::system) __threadfence_system();
    else __threadfence();
  }
};

#undef SM_FLAG_STORE
#undef SM_FLAG_LOAD
#undef SM_FLAG_SCOPES
#undef SM_CLUSTER_SCOPE

/// Loads data announced by a flag, with weak accesses like a program's own. Only the flag's order
/// prevents L1 from serving an older line.
SM_FN unsigned load_data(const unsigned* from) {
  unsigned value;
  asm volatile("ld.weak.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return value;
}
SM_FN void store_data(unsigned* to, unsigned value) {
  asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value)
               : "memory");
}

/// Returns the multiprocessor of this thread.
SM_FN unsigned multiprocessor() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// The handoff lane: one thread of a warp, with its own flag and the flag of the next warp in the
// ring. It counts failed polls in a register, after the failed load. Both sides count alike, in the
// shadow of the next load.

template <class T, class Form> class handoff_lane {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  /// Makes a lane for a ring of all warps in the grid.
  SM_FN explicit handoff_lane(const kernel_setup& s)
      : handoff_lane{s.mailboxes, blockIdx.x * warps_in(blockDim.x) + threadIdx.x / warp_size,
                     gridDim.x * warps_in(blockDim.x)} {}
  /// Makes the lane at `place` in a ring of `warps` flags, mailbox_bytes apart.
  SM_FN handoff_lane(std::byte* flags, unsigned place, unsigned warps)
      : mine_{reinterpret_cast<std::uint64_t*>(flags + std::size_t{place} * mailbox_bytes)},
        next_{reinterpret_cast<std::uint64_t*>(flags +
                                               std::size_t{(place + 1) % warps} * mailbox_bytes)},
        bump_{place == 0 ? 1U : 0U}, expected_{1U - bump_}, place_{place},
        before_{(place + warps - 1) % warps} {}

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  // A missing token ends this wait and every later wait, and thereby the kernel.
  SM_FN void await_token() {
    while (words::load(mine_) != expected_ && polls_ < most_polls) ++polls_;
    words::after_load();
  }
  SM_FN void pass_token() {
    words::store(next_, expected_ + bump_);
    ++expected_;
  }

  [[nodiscard]] SM_FN unsigned place() const { return place_; }
  /// Returns the place of the lane that hands on to this lane.
  [[nodiscard]] SM_FN unsigned before() const { return before_; }
  [[nodiscard]] SM_FN unsigned polls() const { return polls_; }
  /// Returns the polls and the lane's multiprocessor. An oracle of cells has nothing to check.
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

/// Passes messages around a ring `rounds` times: each lane writes data on its own line and hands
/// on. The receiver must see the data, although L1 may hold the old line from an earlier read.
/// `data` is mailbox_bytes for each lane, all zero. Returns the number of old messages.
template <class Lane>
SM_FN unsigned stale_messages(Lane& lane, std::byte* data, unsigned rounds, unsigned& used) {
  const auto line = [data](unsigned place) {
    return reinterpret_cast<unsigned*>(data + std::size_t{place} * mailbox_bytes);
  };
  unsigned stale = 0;
  SM_ROLLED for (unsigned round = 1; round <= rounds; ++round) {
    used ^= load_data(line(lane.before()));
    lane.await_token();
    // The first lane receives from the last lane's previous round.
    const unsigned written = lane.place() == 0 ? round - 1 : round;
    if (load_data(line(lane.before())) != written) ++stale;
    store_data(line(lane.place()), round);
    lane.pass_token();
  }
  return stale;
}

}  // namespace syncmeter::cuda
