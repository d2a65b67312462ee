// An op that touches a cell and has no type axis would silently be measured at int32 only.
// expect: an op that touches a cell has a type
#include "tests/compile/toy_backend.hpp"

struct op : toy::good_op {
#ifdef SM_MISTAKE
  static constexpr syncmeter::op_info info{.name = "op", .places = syncmeter::places::shared};
#else
  static constexpr syncmeter::op_info info{.name = "op", .places = syncmeter::places::none};
#endif
};
constexpr auto table = syncmeter::bind_untyped<toy::backend>(syncmeter::op_list<op>{});
