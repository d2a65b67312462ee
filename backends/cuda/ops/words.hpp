// The words that only CUDA's own ops use, as concepts; core/ops/words.hpp has the shared ones.
#pragma once

#include "core/ops/words.hpp"

namespace syncmeter::cuda {

template <class L>
concept has_block_words = requires(L& l) {
  l.syncthreads_count();
  l.named_barrier();
  l.block_barrier();
};
template <class L>
concept has_warp_words = requires(L& l) {
  l.warp_sync();
  l.shuffle_idx();
  l.vote_ballot();
};
template <class L> concept has_atomic_and = requires(L& l) { l.atomic_and(l.cell(), l.one()); };
template <class L> concept has_atomic_or = requires(L& l) { l.atomic_or(l.cell(), l.one()); };
template <class L> concept has_atomic_xor = requires(L& l) { l.atomic_xor(l.cell(), l.one()); };
template <class L> concept has_atomic_inc = requires(L& l) { l.atomic_inc(l.cell(), l.one()); };
template <class L>
concept has_dependent_add =
    requires(L& l) { l.depend_on(l.atomic_fetch_add(l.cell(), l.dependent_one())); };
template <class L>
concept has_cached_loads = requires(L& l) {
  l.load_cg(l.cell());
  l.load_ca(l.cell());
};
template <class L>
concept has_walks = requires(L& l) {
  l.walk_shared();
  l.walk_l1();
  l.walk_l2();
};
template <class L> concept has_add_float = requires(L& l) { l.add_float(); };

}  // namespace syncmeter::cuda
