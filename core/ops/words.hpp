// The words that ops may use, as concepts: what a lane must offer for an op to run on it. A word
// takes a cell where it touches memory; the memory order is the lane's.
#pragma once

#include <concepts>

namespace syncmeter {

template <class L> concept has_barrier = requires(L& l) { l.barrier(); };

// A lane that is late for a barrier in its turn (core/host/lateness.hpp).
template <class L>
concept has_late_arrival = has_barrier<L> && requires(L& l) {
  l.be_late();
  l.pass_turn();
};

// Atomics. `update` forms leave no result; `fetch_add`, `exchange` and `compare_exchange` return
// the old value.
template <class L> concept has_atomic_add = requires(L& l) { l.atomic_add(l.cell(), l.one()); };
template <class L> concept has_atomic_sub = requires(L& l) { l.atomic_sub(l.cell(), l.one()); };
template <class L>
concept has_atomic_fetch_add = requires(L& l) { l.atomic_fetch_add(l.cell(), l.one()); };
template <class L> concept has_atomic_min = requires(L& l) { l.atomic_min(l.cell(), l.one()); };
template <class L> concept has_atomic_max = requires(L& l) { l.atomic_max(l.cell(), l.one()); };
template <class L>
concept has_atomic_exchange = requires(L& l) { l.atomic_exchange(l.cell(), l.one()); };
template <class L>
concept has_atomic_compare_exchange =
    requires(L& l) { l.atomic_compare_exchange(l.cell(), l.one(), l.one()); };
template <class L> concept has_atomic_read = requires(L& l) { l.atomic_read(l.cell()); };
template <class L> concept has_atomic_write = requires(L& l) { l.atomic_write(l.cell(), l.one()); };

// Plain accesses that the compiler may neither merge nor drop (volatile).
template <class L>
concept has_plain_access = requires(L& l) {
  l.plain_write(l.cell(), l.plain_read(l.cell()));
  l.plain_add(l.cell());
};

template <class L> concept has_critical_add = requires(L& l) { l.critical_add(l.cell(), l.one()); };
template <class L>
concept has_named_critical_add = requires(L& l) { l.named_critical_add(l.cell(), l.one()); };
template <class L> concept has_lock_add = requires(L& l) { l.lock_add(l.cell(), l.one()); };

template <class L> concept has_fence = requires(L& l) { l.fence(); };

// A token ring: every lane has a mailbox; `await_token` waits for the next token in its own
// (acquire), `pass_token` puts it into the next lane's (release).
template <class L>
concept has_token_ring = requires(L& l) {
  l.await_token();
  l.pass_token();
};

// The same ring, where waiting is a compare-and-swap that takes the token out of the mailbox.
template <class L>
concept has_token_taking = requires(L& l) {
  l.take_token();
  l.pass_token();
};

// Registers of a lane: `operand` is a value the op may change from step to step; `multiply` is one
// dependent multiply of it by a factor that came from memory.
template <class L> concept has_multiply = requires(L& l) { l.multiply(); };

}  // namespace syncmeter
