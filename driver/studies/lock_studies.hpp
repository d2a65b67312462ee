// The studies of what lanes do to each other: locks, and cells that they share out.
#pragma once

#include "driver/studies/studies.hpp"

namespace syncmeter {

[[nodiscard]] study locks_study();
[[nodiscard]] study contention_study();
[[nodiscard]] study read_mostly_study();

}  // namespace syncmeter
