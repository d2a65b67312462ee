// A loop must fit the instruction cache.
// expect: unroll must be 1
#include "tests/compile/toy_backend.hpp"

struct op : toy::good_op {
#ifdef SM_MISTAKE
  static constexpr syncmeter::op_info info{.name = "op", .unroll = 65};
#else
  static constexpr syncmeter::op_info info{.name = "op", .unroll = 64};
#endif
};
constexpr auto table = syncmeter::bind_untyped<toy::backend>(syncmeter::op_list<op>{});
