// An instruction carries the token to the next warp, in another cluster block: its bytes end the
// transaction expected by the mbarrier there. Ops, lanes and rows. test - baseline == one more
// rotation of the ring. The cost is per handoff.
#include "backends/cuda/handoff/object_ring.cuh"

namespace syncmeter::cuda {

namespace ops {

consteval op_info carried_info(std::string_view name, std::string_view note) {
  op_info info = handoff_info(name, note);
  info.launching = launching::cluster;
  info.size_of = "blocks of a cluster";
  return info;
}

// Only the token's own bytes are promised, not earlier writes.
inline constexpr std::array carried{form{.order = order::relaxed, .scope = scope::cluster}};
SM_RING_OP(bulk_handoff, carried,
           carried_info("bulk_handoff",
                        "around a ring of all warps of one cluster: cp.async.bulk copies a token "
                        "of 16 bytes to the next warp, whose mbarrier expects them"))
SM_RING_OP(red_async_handoff, carried,
           carried_info("red_async_handoff",
                        "around a ring of all warps of one cluster: red.async adds to the token of "
                        "the next warp, whose mbarrier expects 4 bytes"))

}  // namespace ops

#if SM_HAS_TRANSACTIONS
/// Returns the cluster address of `at` in the block with rank `rank`. These instructions accept no
/// address within the own block.
SM_FN unsigned address_in_cluster(const void* at, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(at))), "r"(rank));
  return there;
}
SM_FN void meet_cluster() {
  asm volatile("fence.mbarrier_init.release.cluster;\n\t"
               "barrier.cluster.arrive.release;\n\t"
               "barrier.cluster.wait.acquire;" ::
                   : "memory");
}
SM_FN void expect_bytes(std::uint64_t* mbarrier, unsigned bytes) {
  static_cast<void>(
      ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                             ::cuda::ptx::space_shared, mbarrier, bytes));
}
#else  // the rig refuses the ops
SM_FN unsigned address_in_cluster(const void*, unsigned) { return 0; }
SM_FN void meet_cluster() { __syncthreads(); }
SM_FN void expect_bytes(std::uint64_t*, unsigned) {}
#endif

/// A warp's tokens, within reach of other warps: one arrives, one leaves. The mbarrier has a phase
/// for each turn.
struct alignas(16) carried_token {
  unsigned arriving[4], leaving[4];
  std::uint64_t mbarrier;
};

/// Cluster addresses of a warp's token and mbarrier.
struct token_address {
  unsigned token, mbarrier;
};

/// The copy engine moves at least 16 bytes. It reads other instructions' writes, and therefore a
/// handoff needs a fence between the two proxies.
struct by_bulk_copy {
  static constexpr unsigned bytes = sizeof(carried_token::leaving);
  SM_FN static void carry(carried_token& mine, const token_address& to, unsigned turn) {
    *const_cast<volatile unsigned*>(mine.leaving) = turn;
#if SM_HAS_TRANSACTIONS
    asm volatile("fence.proxy.async.shared::cta;\n\t"
                 "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                 "[%1], %2, [%3];" ::"r"(to.token),
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(mine.leaving))), "n"(bytes),
                 "r"(to.mbarrier)
                 : "memory");
#endif
  }
};

struct by_red_async {
  static constexpr unsigned bytes = sizeof(unsigned);
  SM_FN static void carry(const carried_token&, const token_address& to, unsigned) {
#if SM_HAS_TRANSACTIONS
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" ::"r"(to.token),
                 "r"(1U), "r"(to.mbarrier)
                 : "memory");
#endif
  }
};

/// A token holds the number of its turn.
template <class Carrier> class carried_in_ring {
 public:
  using storage = carried_token;

  SM_FN void bind(storage& own, storage& of_next, unsigned rank_of_next) {
    mine_ = &own;
    next_ = {address_in_cluster(of_next.arriving, rank_of_next),
             address_in_cluster(&of_next.mbarrier, rank_of_next)};
  }
  SM_FN void make(bool first) const {
    mine_->arriving[0] = first ? 1 : 0;
    ::cuda::ptx::mbarrier_init(&mine_->mbarrier, 1);
  }
  SM_FN static void meet() { meet_cluster(); }
  // The first warp has the token of its first turn. A token that reaches another warp early has no
  // effect until then.
  SM_FN void begin(bool first) const {
    if (first) static_cast<void>(::cuda::ptx::mbarrier_arrive(&mine_->mbarrier));
    else expect();
  }

  SM_FN void await(unsigned turn, unsigned& polls) {
    await_phase(turn, polls);
    wrong_ += *const_cast<volatile unsigned*>(mine_->arriving) == turn ? 0U : 1U;
    expect();
  }
  // A warp with the token again knows its last copy arrived, and may overwrite `leaving`.
  SM_FN void pass(unsigned turn) const { Carrier::carry(*mine_, next_, turn); }

  // No block may end while copies to or from it are under way. Therefore the first warp receives
  // one more token.
  SM_FN void leave(unsigned turn, unsigned place) const {
    unsigned polls = 0;
    if (place == 0 && threadIdx.x == 0) await_phase(turn + 1, polls);
    meet_cluster();
  }
  [[nodiscard]] SM_FN unsigned wrong() const { return wrong_; }

 private:
  // The phase of the first turn has parity 0.
  SM_FN void await_phase(unsigned turn, unsigned& polls) const {
    while (!has_ended(&mine_->mbarrier, (turn & 1U) ^ 1U) && polls < most_polls) ++polls;
  }
  SM_FN void expect() const { expect_bytes(&mine_->mbarrier, Carrier::bytes); }

  storage* mine_;
  token_address next_;
  unsigned wrong_ = 0;
};

template <class T, class Form>
using bulk_ring_lane = object_lane_of_ring<T, Form, carried_in_ring<by_bulk_copy>>;
template <class T, class Form>
using red_async_ring_lane = object_lane_of_ring<T, Form, carried_in_ring<by_red_async>>;

std::vector<measurable> carried_ring_rows() {
  std::vector<measurable> rows;
  add_rows<bulk_ring_lane, ops::bulk_handoff>(rows);
  add_rows<red_async_ring_lane, ops::red_async_handoff>(rows);
  return rows;
}

}  // namespace syncmeter::cuda
