// A loop must hold at least one step.
// expect: unroll must be 1
#include "tests/compile/toy_backend.hpp"

struct op : toy::good_op {
#ifdef SM_MISTAKE
  static constexpr syncmeter::op_info info{.name = "op", .unroll = 0};
#else
  static constexpr syncmeter::op_info info{.name = "op", .unroll = 1};
#endif
};
constexpr auto table = syncmeter::bind_untyped<toy::backend>(syncmeter::op_list<op>{});
