// The words of MPI's own ops, as concepts: what a lane must offer for an op to run on it.
#pragma once

namespace syncmeter::mpi {

template <class L>
concept has_collectives = requires(L& l) {
  l.ibarrier();
  l.allreduce_0();
  l.tally_wrong(l.allreduce_8());
};

template <class L>
concept has_rma = requires(L& l) {
  l.rma_accumulate();
  l.rma_fetch_add();
  l.rma_put();
  l.rma_lock_add();
  l.rma_fence_add();
};

// Of integers: MPI compares no floating values.
template <class L>
concept has_rma_compare = requires(L& l) { l.tally_difference(l.rma_compare_and_swap()); };

template <class L> concept has_window_sync = requires(L& l) { l.window_sync(); };
template <class L> concept has_messages = requires(L& l) { l.send_receive(); };

}  // namespace syncmeter::mpi
