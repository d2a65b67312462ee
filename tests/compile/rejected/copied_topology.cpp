// A topology owns hwloc's: it moves and does not copy.
// expect: delete
#include <utility>

#include "core/machine/topology.hpp"

#ifdef SM_MISTAKE
syncmeter::topology take(syncmeter::topology& from) { return from; }
#else
syncmeter::topology take(syncmeter::topology& from) { return std::move(from); }
#endif
