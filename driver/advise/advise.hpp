// A user's program run plain and counted in turn, and what came of it: as lines of a file, and as
// text.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/advise/counts.hpp"
#include "driver/advise/lock_model.hpp"
#include "driver/advise/prices.hpp"
#include "driver/advise/program_file.hpp"
#include "driver/advise/program_runs.hpp"
#include "driver/advise/rules.hpp"
#include "driver/text/columns.hpp"

namespace syncmeter {

/// How its CPU time was sampled.
struct sampling {
  std::uint64_t period_ns = 0, samples = 0, lost = 0;
  unsigned threads_at_work = 0;  ///< threads_at_work() of them
};

/// All that is known of a program in the end.
struct program_counts {
  std::vector<std::string> command;
  program_file file;
  std::vector<program_run> runs;
  call_counts of_last_run;  ///< of the timed one, where there is one
  std::vector<price> prices{};
  std::vector<lock_object> objects{};                          ///< of the timed run
  std::vector<std::pair<std::uint64_t, lock_model>> models{};  ///< by the number of the lock
  std::vector<advice> advices;                                 ///< of the timed run
  std::vector<std::string> notes;                              ///< beside those of its file
  std::optional<sampling> sampled{};
  std::vector<refused_processes> refused{};  ///< in the worst run
  bool leaves_processes = false;             ///< that go on after the end of a run
  int interrupted_by = 0;                    ///< the signal behind which no run was made; 0: none

  /// The run in which sites were timed; null where the program ended before.
  [[nodiscard]] const program_run* timed_run() const;
};

/// Whether a second run of a program can read from standard input what the first one read: then
/// where it begins.
[[nodiscard]] std::optional<off_t> start_of_input();

/// Runs the command plain and counted, in turn, as often as `budget_s` has room for: at least once
/// each, at most five times; behind the first two it is sampled, where the system allows it, and
/// timed, and from then on prices are measured behind each run, unless `results` has them. Once,
/// timed, where its standard input cannot be read again. Ends after a run that a signal ended.
/// Throws usage_error for a program that cannot be counted, and std::runtime_error where it cannot
/// be started.
[[nodiscard]] program_counts count_calls(const std::vector<std::string>& command, double budget_s,
                                         const results_file* results = nullptr);

/// The sites in the machine code of a program or library, which is not run. Throws usage_error for
/// a file that has none.
[[nodiscard]] program_counts sites_without_a_run(const std::string& path);

/// Where counting takes more of the time, or other programs more of the CPUs, times are those of
/// another program.
inline constexpr double most_disturbance = 0.05;

/// Whether counting takes so much of the time that times of counted runs are another program's.
[[nodiscard]] bool counts_stand_alone(const program_counts& counted);
/// The greatest share of the CPUs that others had in one of its runs.
[[nodiscard]] double most_used_by_others(const program_counts& counted);
/// The share of the CPUs that others had while sites were timed.
[[nodiscard]] double used_by_others_while_timed(const program_counts& counted);
/// How long threads were ready to run and had no processor, in the timed run where that is longest;
/// nothing where it is not known of each.
[[nodiscard]] std::optional<double> run_delay_while_timed(const program_counts& counted);
/// Why the times of timed runs are not those of runs beside nothing else; empty where they are.
/// Meetings are of the median of these runs, and all else of the first one.
[[nodiscard]] std::string why_disturbed(const program_counts& counted);
/// Why no seconds are named for what a change may save, in half a sentence: counting or other
/// programs took too much of the time. Empty where they are named.
[[nodiscard]] std::string why_withheld(const program_counts& counted);
/// Whether those of this advice are not named.
[[nodiscard]] bool is_withheld(const advice& of, const program_counts& counted);
/// Returns why the program is not wholly counted and timed, in half a sentence, or an empty text.
[[nodiscard]] std::string why_not_counted(const program_counts& counted);
/// Returns the program parts that are known to be uncounted, as nouns for a sentence.
[[nodiscard]] std::vector<std::string> uncounted_parts(const program_counts& counted);
/// Whether what sites take may be shown as times of the program: not where no saving is named, nor
/// where what counting costs is not known.
[[nodiscard]] bool may_show_shares(const program_counts& counted);

/// What stands before the advice: that there is nothing to gain; where shares of the time are not
/// known, that, and what to run instead. Empty where the advice needs none, and of a program that
/// was not timed.
[[nodiscard]] std::string conclusion_of(const program_counts& counted);

/// What a reader must know beside the counts: of the program's file, its end, and what disturbed
/// it.
[[nodiscard]] std::vector<std::string> sentences_of(const program_counts& counted);

/// The lines of the file: first what was run, then a line for each site.
[[nodiscard]] std::vector<nlohmann::json> advice_lines(const program_counts& counted);
/// The same for a reader: the runs, what counting cost, and the sites that take most of the time,
/// or have the most calls where that is not known.
[[nodiscard]] std::string advice_text(const program_counts& counted, page_style style);

/// The sites of a program that was not run: those of its own source first.
[[nodiscard]] std::string static_text(const program_counts& found, page_style style);

/// "exit status 3", "signal 9 (Killed)".
[[nodiscard]] std::string ending_text(int wait_status);

}  // namespace syncmeter
