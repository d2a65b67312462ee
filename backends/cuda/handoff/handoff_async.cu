// A token that an instruction carries to the next warp by itself, in another block of the cluster:
// with its bytes ends the transaction that the mbarrier there expects. Ops, lanes and rows.
// test - baseline == one more rotation of the ring; the cost is per handoff.
#include "backends/cuda/handoff/object_ring.cuh"

namespace syncmeter::cuda {

namespace ops {

consteval op_info carried_info(std::string_view name, std::string_view note) {
  op_info info = handoff_info(name, note);
  info.launching = launching::cluster;
  info.size_of = "blocks of a cluster";
  return info;
}

// With the token come its own bytes; what was written before it is not promised.
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
/// Of what lies at `at` in this block, its address in the block of that rank. An address of one's
/// own block alone is none that these instructions take.
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

/// Of one warp, where the others reach it: the token that comes, whose mbarrier has a phase for
/// each turn, and the one that leaves.
struct alignas(16) carried_token {
  unsigned arriving[4], leaving[4];
  std::uint64_t mbarrier;
};

/// Addresses in the cluster of a warp's token and of its mbarrier.
struct token_address {
  unsigned token, mbarrier;
};

/// The copy engine moves 16 bytes at least. It reads what other instructions wrote, so that a fence
/// between the two proxies is part of a handoff.
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
  // The first warp has the token of its first turn. One that comes to another before this has no
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
  // Who hands on again was handed the token again: what left last has come.
  SM_FN void pass(unsigned turn) const { Carrier::carry(*mine_, next_, turn); }

  // No block ends before what is on its way to it, or is read from it, has come: the first warp is
  // handed one token more.
  SM_FN void leave(unsigned turn, unsigned place) const {
    unsigned polls = 0;
    if (place == 0 && threadIdx.x == 0) await_phase(turn + 1, polls);
    meet_cluster();
  }
  [[nodiscard]] SM_FN unsigned wrong() const { return wrong_; }

 private:
  // The phase of the first turn is that of parity 0.
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
