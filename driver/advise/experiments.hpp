// The experiments that advise makes beyond counting, and the condition for each.
#pragma once

#include <cstdint>
#include <string_view>

#include "driver/advise/counts.hpp"
#include "driver/advise/objects.hpp"

namespace syncmeter {

/// A row of record/experiments.def.
enum class experiment : std::uint8_t {
#define SM_EXPERIMENT(name, subject, fact, least, words) name,
#include "record/experiments.def"
};

/// Returns whether the fact reaches the limit for this experiment.
[[nodiscard]] bool is_worth(experiment which, double fact);

/// Returns the run time share that threads lose in the calls for this lock, the mean over its
/// threads: time in the calls, without uncontended calls.
[[nodiscard]] double lost_share(const lock_object& lock, double wall_s, const stamp_costs& costs);

}  // namespace syncmeter
