// In each of these libraries, whatever is left out of them by compilers and linkers: the driver
// looks for it before it starts a program with one.
#include "probe_layout.hpp"

[[gnu::used, gnu::retain]] static constexpr char layout_of_library[] = SM_PROBE_LAYOUT;
