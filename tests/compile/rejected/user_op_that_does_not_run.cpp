// A user's op is an error where it cannot run, not "unsupported", and where its name is no word.
// expect: the name of an op must be of a-z.*an op does not run on this backend's lanes
#include "tests/compile/toy_backend.hpp"

#include "core/ops/words.hpp"

struct op {
#ifdef SM_MISTAKE
  static constexpr syncmeter::op_info info{.name = "my op, 1"};
  SM_FN static void common(syncmeter::has_barrier auto& lane) { lane.barrier(); }
#else
  static constexpr syncmeter::op_info info{.name = "my-op_1"};
  SM_FN static void common(auto&) {}
#endif
  SM_FN static void measured(auto& lane) { common(lane); }
};

std::vector<syncmeter::measurable> rows() {
  return syncmeter::rows_of_part<toy::backend, void, syncmeter::table_part{}>(
      syncmeter::user_ops<op>{});
}
