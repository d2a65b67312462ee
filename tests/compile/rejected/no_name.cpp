// An op without a name cannot be asked for, or found in a results file.
// expect: an op needs a name
#include "tests/compile/toy_backend.hpp"

struct op : toy::good_op {
#ifdef SM_MISTAKE
  static constexpr syncmeter::op_info info{};
#else
  static constexpr syncmeter::op_info info{.name = "op"};
#endif
};
constexpr auto table = syncmeter::bind_untyped<toy::backend>(syncmeter::op_list<op>{});
