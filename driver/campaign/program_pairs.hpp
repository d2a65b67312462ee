// Whole programs, or one program in two settings, run in turn and compared pair by pair: `ab`'s
// stopping rule and its judgement, on wall times or on a figure of the output.
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
  std::string path;                     ///< what is executed
  std::vector<std::string> words;       ///< its own name first
  std::vector<std::string> settings{};  ///< NAME=VALUE, over our environment
};

struct program_pairs_options {
  double budget_s = 120;
  double threshold = 0.01;              ///< a change up to this one is none
  std::size_t comparisons = 1;          ///< that this one is one of
  std::optional<std::string> metric{};  ///< regular expression; what it, or its first group,
                                        ///< matches is compared in place of the time
  bool higher_is_better = false;        ///< of the metric
  std::optional<std::string> check{};   ///< for the shell: reads the output, and must end with 0
  double least_limit_s = 10;            ///< a run that takes less is never ended
  int input = -1;                       ///< the programs' standard input; none: /dev/null
  off_t input_start = 0;                ///< where each run reads it from, if it is a file
};

/// After so many pairs they are looked at for the first time.
inline constexpr std::size_t first_look = 8;
/// Until then, with the first run of each program, which does not count.
inline constexpr std::size_t runs_until_first_look = 2 * (first_look + 1);

/// Any text but none. Throws usage_error.
[[nodiscard]] std::string parse_some_text(const std::string& option, const std::string& text);
/// --metric, --better and --check.
[[nodiscard]] std::vector<option_row> rows_of_pairs(program_pairs_options& options);
/// Throws usage_error of this command for a higher figure that is better, without a metric.
void require_metric(const program_pairs_options& options, std::string_view command);

enum class program_verdict : std::uint8_t { slower, faster, same, undecided, refused };

/// One run.
struct program_pair_run {
  double wall_s = 0;
  double figure = 0;  ///< what is compared: the time, or the metric
  int wait_status = 0;
  int interrupted_by = 0;         ///< as finished_program has it
  std::uint64_t output_hash = 0;  ///< without what the metric matched
};

struct program_comparison {
  program_verdict verdict = program_verdict::undecided;
  std::string refusal{};          ///< a sentence, where refused
  bool broken_in_b = false;       ///< refused for what B alone did
  bool output_varies = false;     ///< of A: that B writes the same is not known
  std::size_t other_outputs = 0;  ///< runs of B that wrote something else than A in all of its
  int interrupted_by = 0;         ///< the signal that ended it early; 0: none
  /// B over A: of times, or of figures; greater is slower, unless higher_is_better.
  interval ratio{.value = 1, .low = 0, .high = 0};
  double confidence = 0;
  std::array<std::vector<program_pair_run>, 2> runs{};  ///< by pair; without the first of each
  double used_s = 0;

  [[nodiscard]] std::size_t pairs() const { return runs[1].size(); }
};

/// What the logarithms of so many ratios say at one look, by the interval of every estimate
/// (over_visits): the same where all of it is within the threshold; of eight and more, as one of so
/// many comparisons, slower where all of it is above, faster below.
[[nodiscard]] program_verdict judge_logs(std::span<const double> logs, double threshold,
                                         std::size_t comparisons);

/// How likely it is that of all runs so many wrote something else and all of these are B's, where B
/// is the same program (the tail of Fisher's exact test).
[[nodiscard]] double chance_of_other_outputs(std::size_t others, std::size_t runs_of_a,
                                             std::size_t runs_of_b);
/// That B wrote something else in too few runs to be refused for it, in a sentence; empty where it
/// did not.
[[nodiscard]] std::string other_outputs_text(const program_comparison& of, const std::string& a,
                                             const std::string& b);

/// Runs each once, uncounted, and then both in turn, in an order drawn by chance for
/// each pair, with a look after eight pairs and whenever there are half as many more, until
/// it is decided or the budget is spent. Ends at a run that fails, fails the check, takes ten times
/// as long as the longest of A, or writes what A does not in so many runs that it is no chance; at
/// a signal that ends us, which leaves a comparison of the pairs before it where they are three;
/// and where a library that is preloaded does not come to the processes that do the work. Ends what
/// a run leaves behind. Throws usage_error for a metric that is no regular expression.
[[nodiscard]] program_comparison compare_programs(const std::array<program_arm, 2>& arms,
                                                  const program_pairs_options& options);

/// "slower", "cannot_tell": as `ab` has it in its files.
[[nodiscard]] const char* name_of_verdict(program_verdict verdict);
/// "38.1 % less time than a (35.0 to 41.2 %)", "7.4 % more (6.1 to 8.8 %)", "5.3 times as much time
/// as a (4.1 to 7.2 times)": the ratio, in words. `what` follows more or less: " time"; `other` is
/// what B is compared with.
[[nodiscard]] std::string change_text(const interval& ratio, const std::string& what,
                                      const std::string& other = "");
/// That the budget, or a signal, left no room for a first look, which is why it is undecided; else
/// empty.
[[nodiscard]] std::string why_undecided(const program_comparison& compared);
/// The verdict in a sentence or two.
[[nodiscard]] std::string verdict_text(const program_comparison& compared,
                                       const std::array<program_arm, 2>& arms,
                                       const program_pairs_options& options);

}  // namespace syncmeter
