// A step that holds no op has no cost per op.
// expect: an op measures at least one primitive per step
#include "tests/compile/toy_backend.hpp"

struct op : toy::good_op {
#ifdef SM_MISTAKE
  static constexpr syncmeter::op_info info{.name = "op", .ops_per_step = 0};
#else
  static constexpr syncmeter::op_info info{.name = "op", .ops_per_step = 1};
#endif
};
constexpr auto table = syncmeter::bind_untyped<toy::backend>(syncmeter::op_list<op>{});
