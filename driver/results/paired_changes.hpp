// What got slower or faster between two arms whose visits were paired: pure statistics.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/harness/stats.hpp"

namespace syncmeter {

/// The chance, of a campaign in which nothing changed, to report a change all the same.
inline constexpr double chance_of_false_alarm = 0.05;

/// Fewer pairs of visits say nothing of their scatter.
inline constexpr std::size_t enough_pairs = 3;

/// One point: the logarithms of the second arm's cost over the first one's, a value for each pair
/// of visits, and the share of chance_of_false_alarm that this look at them may take.
struct paired_visits {
  std::vector<double> logs{};
  double share = 1;
};

enum class change_verdict : std::uint8_t { slower, faster, same, cannot_tell };
[[nodiscard]] std::string_view to_text(change_verdict v);

struct paired_change {
  change_verdict verdict = change_verdict::cannot_tell;
  interval ratio{1, 0, std::numeric_limits<double>::infinity()};  ///< second over first arm
  double p = 1;        ///< Holm's, of no more than the threshold; resolved below 5 %
  double detectable =  ///< the smallest change, as a ratio above 1, that a campaign like this
      std::numeric_limits<double>::infinity();  ///< one reports in 80 of 100 cases
};

/// A point is slower or faster where Holm's p, over all points, of a change within the threshold is
/// below chance_of_false_alarm; the same where its interval lies within the threshold (Schuirmann
/// 1987). Student's t over the logarithms of pairs: what both visits of a pair met cancels.
[[nodiscard]] std::vector<paired_change> judge_changes(std::span<const paired_visits> points,
                                                       double threshold);

/// Points that cannot be told are visited again, and looked at when their pairs are half as many
/// more. Looking until something shows would raise false alarms: the first look takes half of the
/// chance, each further one half of what is left. All of it where there is one look only.
[[nodiscard]] double share_of_look(std::size_t visits, std::size_t planned, bool looks_again);
/// The number of visits at the look after one at `visits`.
[[nodiscard]] std::size_t next_look_at(std::size_t visits);

}  // namespace syncmeter
