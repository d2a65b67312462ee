// An op called with a lane that lacks its word names the word that is missing.
// expect: has_barrier
#include "core/ops/atomic.hpp"
#include "core/ops/barrier.hpp"
#include "tests/compile/toy_backend.hpp"

void call(toy::lane<int>& lane) {
#ifdef SM_MISTAKE
  syncmeter::ops::barrier::common(lane);
#else
  syncmeter::ops::atomic_add::common(lane);
#endif
}
