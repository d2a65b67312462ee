// A backend can bind only types that the type axis can name.
// expect: type_tag<short
#include "core/ops/atomic.hpp"
#include "tests/compile/toy_backend.hpp"

#ifdef SM_MISTAKE
using type = short;
#else
using type = double;
#endif
constexpr auto table =
    syncmeter::bind_typed<toy::backend, type>(syncmeter::op_list<syncmeter::ops::atomic_add>{});
