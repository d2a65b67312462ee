// Runs whole programs, or a program in two settings, alternately and compares them pair by pair:
// with `ab`'s stopping rule and judgement, on wall times or a figure in the output.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/harness/stats.hpp"
#include "driver/text/command_line.hpp"

namespace syncmeter {

struct program_arm {
  std::string name;
  std::string path;                     ///< the executed file
  std::vector<std::string> words;       ///< its own name first
  std::vector<std::string> settings{};  ///< NAME=VALUE, over our environment
};

struct program_pairs_options {
  double budget_s = 120;
  double threshold = 0.01;              ///< a change up to this share does not count
  std::size_t comparisons = 1;          ///< number of comparisons that include this
  std::optional<std::string> metric{};  ///< regular expression whose match or first group is
                                        ///< compared instead of the time
  bool higher_is_better = false;        ///< for the metric
  std::optional<std::string> check{};   ///< for the shell: reads the output, and must end with 0
  double least_limit_s = 10;            ///< a shorter run is never ended
  int input = -1;                       ///< the programs' standard input; none: /dev/null
  off_t input_start = 0;                ///< where each run starts to read, if it is a file
};

/// The number of pairs at the first look.
inline constexpr std::size_t first_look = 8;
/// The runs until the first look, including each program's first run, which does not count.
inline constexpr std::size_t runs_until_first_look = 2 * (first_look + 1);

/// Parses any text except an empty one. Throws usage_error.
[[nodiscard]] std::string parse_some_text(const std::string& option, const std::string& text);
/// Returns the rows of --metric, --better and --check.
[[nodiscard]] std::vector<option_row> rows_of_pairs(program_pairs_options& options);
/// Throws usage_error for this command if higher is better, but there is no metric.
void require_metric(const program_pairs_options& options, std::string_view command);

enum class program_verdict : std::uint8_t { slower, faster, same, undecided, refused };

/// A run of a program in a pair.
struct program_pair_run {
  double wall_s = 0;
  double figure = 0;  ///< the compared value: the time, or the metric
  int wait_status = 0;
  int interrupted_by = 0;         ///< from finished_program
  std::uint64_t output_hash = 0;  ///< without the metric's match
};

struct program_comparison {
  program_verdict verdict = program_verdict::undecided;
  std::string refusal{};          ///< a sentence, if refused
  bool broken_in_b = false;       ///< refused because of B alone
  bool output_varies = false;     ///< in A: equality of B's output is unknown
  std::size_t other_outputs = 0;  ///< runs of B whose output differs from all runs of A
  int interrupted_by = 0;         ///< the signal that ended the comparison early; 0: none
  /// B over A: times, or figures. Greater is slower, unless higher_is_better.
  interval ratio{.value = 1, .low = 0, .high = 0};
  double confidence = 0;
  std::array<std::vector<program_pair_run>, 2> runs{};  ///< by pair, without the first of each
  double used_s = 0;

  [[nodiscard]] std::size_t pairs() const { return runs[1].size(); }
};

/// Judges the logarithms of ratios at one look by the interval of every estimate (over_visits). The
/// verdict is same if the whole interval is within the threshold. From eight ratios on, the verdict
/// is slower or faster if the whole interval, widened for `comparisons`, is above or below.
[[nodiscard]] program_verdict judge_logs(std::span<const double> logs, double threshold,
                                         std::size_t comparisons);

/// Returns the chance that all `others` deviating outputs are from B if B is the same program (the
/// tail of Fisher's exact test).
[[nodiscard]] double chance_of_other_outputs(std::size_t others, std::size_t runs_of_a,
                                             std::size_t runs_of_b);
/// Returns a sentence if B wrote another output in too few runs for a refusal, or an empty string.
[[nodiscard]] std::string other_outputs_text(const program_comparison& of, const std::string& a,
                                             const std::string& b);

/// Runs each program once, uncounted, and then both in turn, in a random order for each pair. Looks
/// after eight pairs and whenever there are half as many more, until the budget is spent or a
/// verdict is found. Ends at a run that fails, fails the check, or takes ten times A's longest
/// time. Ends if B writes other output than A too often for chance. Ends at a signal, and then
/// compares the earlier pairs if there are three. Also ends if a preloaded library does not reach
/// the processes that do the work. Ends processes that a run leaves behind. Throws usage_error for
/// a metric that is no regular expression.
[[nodiscard]] program_comparison compare_programs(const std::array<program_arm, 2>& arms,
                                                  const program_pairs_options& options);

/// Returns the name in `ab`'s files: "slower", "cannot_tell".
[[nodiscard]] const char* name_of_verdict(program_verdict verdict);
/// Returns the ratio in words: "38.1 % less time than a (35.0 to 41.2 %)", "7.4 % more (6.1 to 8.8
/// %)", "5.3 times as much time as a (4.1 to 7.2 times)". `what` follows more or less: " time".
/// `other` names the other side of B's comparison.
[[nodiscard]] std::string change_text(const interval& ratio, const std::string& what,
                                      const std::string& other = "");
/// Returns why a comparison is undecided if the budget or a signal prevented a first look, or an
/// empty string.
[[nodiscard]] std::string why_undecided(const program_comparison& compared);
/// Returns the verdict in a sentence or two.
[[nodiscard]] std::string verdict_text(const program_comparison& compared,
                                       const std::array<program_arm, 2>& arms,
                                       const program_pairs_options& options);

}  // namespace syncmeter
