// A lane has to say what its oracle needs: a loop whose result nobody reads can be optimized away.
// expect: outcome
#include "tests/compile/toy_backend.hpp"

struct mute_lane {
#ifndef SM_MISTAKE
  int outcome() const { return 0; }
#endif
};
auto call() { return syncmeter::loop<toy::good_op, 1>(mute_lane{}, 1); }
