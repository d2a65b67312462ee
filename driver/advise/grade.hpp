// Grades of a gain. Each advice has a place, a change and a grade. Figures may be missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/advise/advise.hpp"

namespace syncmeter {

enum class grade {
  predicted,     ///< from what the same calls cost on this machine
  bound,         ///< the time after the change is at least this
  rough,         ///< the machine or the program disturbed the runs: shares and order only
  undetermined,  ///< no figure is known
};
[[nodiscard]] std::string_view name_of(grade of);
[[nodiscard]] grade grade_of(const advice& each, const program_counts& of);

/// Returns why gains have no digits: other programs, the hypervisor, or runs that differ too much.
/// Returns an empty text if the runs are sound.
[[nodiscard]] std::string why_rough(const program_counts& of);

/// Returns the time before and after the change, "0.96 s -> at best 0.66 s". Returns an empty text
/// if no figure is known.
[[nodiscard]] std::string expected_text(const advice& each, grade of);

/// Returns what each grade among the advice means, a line each.
[[nodiscard]] std::vector<std::string> legend_of(const program_counts& of);
/// Returns how far the figures can be trusted, and why.
[[nodiscard]] std::string reliability_text(const program_counts& of);
/// Returns what to run next.
[[nodiscard]] std::string next_text(const program_counts& of);

}  // namespace syncmeter
