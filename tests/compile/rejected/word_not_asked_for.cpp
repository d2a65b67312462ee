// An op that uses a word without asking for it in its signature is an error where it is bound: it
// must not be taken for supported.
// expect: barrier
#include "tests/compile/toy_backend.hpp"

struct op {
  static constexpr syncmeter::op_info info{.name = "op"};
#ifdef SM_MISTAKE
  SM_FN static void common(auto& lane) { lane.barrier(); }
#else
  SM_FN static void common(auto& lane) { lane.atomic_add(lane.cell(), lane.one()); }
#endif
  SM_FN static void measured(auto& lane) { common(lane); }
};
constexpr auto table = syncmeter::bind_untyped<toy::backend>(syncmeter::op_list<op>{});
