// The study of lanes that are processes, beside lanes that are threads.
#pragma once

#include "driver/studies/studies.hpp"

namespace syncmeter {

[[nodiscard]] study processes_study();

}  // namespace syncmeter
