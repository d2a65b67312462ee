// What an op says of itself. One that touches a cell and has no type axis would silently be
// measured at int32 only; without a name it cannot be asked for, or found in a results file; a step
// that holds no op has no cost per op; and a loop must fit the instruction cache. expect 1: an op
// that touches a cell has a type expect 2: an op needs a name expect 3: an op measures at least one
// primitive per step expect 4: unroll must be 1 expect 5: unroll must be 1
#include "tests/compile/toy_backend.hpp"

struct op : toy::good_op {
  static constexpr syncmeter::op_info info
#ifndef SM_MISTAKE
      {.name = "op", .unroll = 64};
#elif SM_MISTAKE == 1
      {.name = "op", .places = syncmeter::places::shared};
#elif SM_MISTAKE == 2
      {};
#elif SM_MISTAKE == 3
      {.name = "op", .ops_per_step = 0};
#elif SM_MISTAKE == 4
      {.name = "op", .unroll = 0};
#else
      {.name = "op", .unroll = 65};
#endif
};
constexpr auto table = syncmeter::bind_untyped<toy::backend>(syncmeter::op_list<op>{});
