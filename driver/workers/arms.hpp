// Two builds, or two environments of one, in one campaign: two arms. A backend of an arm is
// "omp@old" wherever the driver, its files and their readers name it; its worker knows it as "omp".
#pragma once

#include <string>
#include <vector>

#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// "omp@old".
[[nodiscard]] std::string in_arm(const std::string& backend, const std::string& arm);
/// "omp" of "omp@old"; the same where there is no arm.
[[nodiscard]] std::string without_arm(const std::string& backend);
/// "old" of "omp@old"; empty where there is no arm.
[[nodiscard]] std::string arm_of(const std::string& backend);

/// Makes a worker and all its backends those of an arm, started with these NAME=VALUE besides.
void put_in_arm(worker_info& worker, const std::string& arm,
                const std::vector<std::string>& environment);

}  // namespace syncmeter
