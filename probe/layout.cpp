// In each of these libraries: the driver looks for it before it starts a program with one.
#include "probe_layout.hpp"

[[gnu::used]] static constexpr char layout_of_library[] = SM_PROBE_LAYOUT;
