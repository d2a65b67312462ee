// Only the values of an axis have spellings.
// expect: axis_value
#include "core/axes.hpp"
#include "core/op.hpp"

#ifdef SM_MISTAKE
constexpr auto text = syncmeter::to_text(syncmeter::family::barrier);
#else
constexpr auto text = syncmeter::to_text(syncmeter::order::relaxed);
#endif
