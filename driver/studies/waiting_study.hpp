// The study of ways to wait for a thread that comes late.
#pragma once

#include "driver/studies/studies.hpp"

namespace syncmeter {

[[nodiscard]] study waiting_study();

}  // namespace syncmeter
