// The words of C++'s own ops, as concepts: what a lane must offer for an op to run on it.
#pragma once

namespace syncmeter::standard {

template <class L>
concept has_shared_mutex = requires(L& l) {
  l.shared_mutex_add(l.cell(), l.one());
  l.sink(l.shared_mutex_read(l.cell()));
};

// The token ring with lanes that sleep until they are woken.
template <class L>
concept has_sleeping_ring = requires(L& l) {
  l.sleep_for_token();
  l.pass_token_and_wake();
};

}  // namespace syncmeter::standard
