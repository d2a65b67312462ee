// What from_text found must be looked at: user input is checked by its caller.
// expect: nodiscard|unused-result
#include "core/axes.hpp"

bool known(std::string_view text) {
#ifdef SM_MISTAKE
  syncmeter::from_text<syncmeter::order>(text);
  return true;
#else
  return syncmeter::from_text<syncmeter::order>(text).has_value();
#endif
}
