// Only enums whose values are spelled have texts.
// expect: axis_value
#include "core/axes.hpp"
#include "core/op.hpp"

#ifdef SM_MISTAKE
constexpr auto text = syncmeter::to_text(syncmeter::oracle::adds);
#else
constexpr auto text = syncmeter::to_text(syncmeter::order::relaxed);
#endif
