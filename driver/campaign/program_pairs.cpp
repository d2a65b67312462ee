#include "driver/campaign/program_pairs.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <iterator>
#include <random>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "driver/campaign/preload_watch.hpp"
#include "driver/campaign/program_figure.hpp"
#include "driver/campaign/revisits.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/process_tree.hpp"
#include "driver/workers/start_program.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t least_pairs = 3, most_pairs = 1000;
/// The chance at each look. Ten looks (to 315 pairs) add up to chance_of_false_alarm, and later
/// looks share most pairs with earlier looks.
constexpr double chance_of_look = chance_of_false_alarm / 10;
/// The chance at each look to refuse a program compared with itself. The total is 0.1 %.
constexpr double chance_of_false_refusal = 5e-4;
/// A run that exceeds the longest run of A by this factor will not end.
constexpr double hopeless = 10;

unique_fd opened(int fd, const char* what) {
  if (fd < 0) throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
  return unique_fd(fd);
}

std::string all_of(int fd) {
  std::string text;
  std::array<char, 65536> part{};
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(fd, part.data(), part.size(), at)) > 0; at += got)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

/// Returns the FNV-1a hash.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

/// Runs the programs, each time with their output in memory.
class program_runner {
 public:
  explicit program_runner(const program_pairs_options& options)
      : options_(options), null_(opened(::open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null")) {
    if (options.metric) metric_.emplace(*options.metric);
  }

  /// Returns why the run does not count, in words that follow the program's name, or an empty
  /// string. Ends the run after `longest_s`.
  std::string run(const program_arm& arm, program_pair_run& run, std::optional<double> longest_s) {
    const unique_fd output = opened(::memfd_create("output", MFD_CLOEXEC), "memfd_create");
    if (options_.input >= 0) (void)::lseek(options_.input, options_.input_start, SEEK_SET);
    const int input = options_.input < 0 ? null_.get() : options_.input;
    const std::set<pid_t> before = descendants_of(::getpid());
    const finished_program done = run_in_our_place(arm.path, arm.words, arm.settings,
                                                   {input, output.get(), STDERR_FILENO}, longest_s);
    end_new_descendants(before);
    run = {.wall_s = done.wall_s,
           .figure = done.wall_s,
           .wait_status = done.wait_status,
           .interrupted_by = done.interrupted_by,
           .output_hash = 0};
    if (done.timed_out) return fmt::format("did not end within {:.3g} s", *longest_s);
    if (WIFSIGNALED(done.wait_status))
      return fmt::format("was ended by signal {} ({})", WTERMSIG(done.wait_status),
                         ::strsignal(WTERMSIG(done.wait_status)));
    if (done.interrupted_by != 0) return "was asked to end";
    if (WEXITSTATUS(done.wait_status) != 0)
      return fmt::format("failed: exit status {}", WEXITSTATUS(done.wait_status));
    std::string text = all_of(output.get());
    if (metric_) {
      std::string problem;
      const std::optional<metric_match> found = metric_->find_in(text, problem);
      if (!problem.empty()) return problem;
      if (!found)
        return fmt::format("wrote nothing that --metric {} matches", quote(*options_.metric));
      const program_figure figure = read_figure(text, found->group, found->group_length,
                                                found->match, found->match_end, *options_.metric);
      if (!figure.problem.empty()) return figure.problem;
      run.figure = figure.value;
      if (!unit_) unit_ = figure.unit;
      if (figure.unit != *unit_)
        return fmt::format(
            "wrote {} behind the figure, where the first run wrote {}: have it print "
            "the same unit, and the same word behind it, in each run",
            in_words(figure.unit), in_words(*unit_));
      text.erase(found->group, found->group_length);
    }
    run.output_hash = hash_of(text);
    return checked(output.get());
  }

 private:
  [[nodiscard]] static std::string in_words(const std::string& unit) {
    return unit.empty() ? "no unit" : quote(unit);
  }

  [[nodiscard]] std::string checked(int output) const {
    if (!options_.check) return "";
    ::lseek(output, 0, SEEK_SET);
    const finished_program done = run_in_our_place("/bin/sh", {"sh", "-c", *options_.check}, {},
                                                   {output, null_.get(), STDERR_FILENO});
    return done.wait_status == 0 ? "" : "wrote what --check does not accept";
  }

  const program_pairs_options& options_;
  unique_fd null_;
  std::optional<metric_expression> metric_;
  std::optional<std::string> unit_;  ///< of the first run's figure
};

bool all_alike(const std::vector<std::uint64_t>& hashes) {
  return std::ranges::adjacent_find(hashes, std::ranges::not_equal_to{}) == hashes.end();
}

/// Returns how many runs of B wrote another output, if A's output was equal in all runs.
std::size_t other_outputs(const std::array<std::vector<std::uint64_t>, 2>& hashes) {
  if (!all_alike(hashes[0])) return 0;
  return hashes[1].size() -
         static_cast<std::size_t>(std::ranges::count(hashes[1], hashes[0].front()));
}

std::vector<double> logs_of_figures(const program_comparison& of) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < of.pairs(); ++i)
    logs.push_back(std::log(of.runs[1][i].figure / of.runs[0][i].figure));
  return logs;
}

double confidence_of(std::size_t comparisons) {
  return 1 - chance_of_look / static_cast<double>(comparisons);
}

interval ratio_of(std::span<const double> logs, std::size_t comparisons) {
  std::vector<double> ratios;
  for (const double each : logs) ratios.push_back(std::exp(each));
  return over_visits(ratios, confidence_of(comparisons));
}

void judge_runs(program_comparison& of, const program_pairs_options& options) {
  std::vector<double> logs = logs_of_figures(of);
  of.confidence = confidence_of(options.comparisons);
  of.ratio = ratio_of(logs, options.comparisons);
  if (options.metric && options.higher_is_better)
    for (double& each : logs) each = -each;
  of.verdict = judge_logs(logs, options.threshold, options.comparisons);
}

std::string figure_text(double figure, bool of_time) {
  return of_time ? fmt::format("{:.3g} s", figure) : fmt::format("{:.4g}", figure);
}

std::string range_of_runs(const std::vector<program_pair_run>& runs, bool of_time) {
  std::vector<double> figures;
  for (const program_pair_run& run : runs) figures.push_back(run.figure);
  const auto [low, high] = std::ranges::minmax(figures);
  return fmt::format("{} ({} to {})", figure_text(median(figures), of_time),
                     figure_text(low, of_time), figure_text(high, of_time));
}

struct better_direction {
  [[nodiscard]] static std::vector<std::string> values() { return {"lower", "higher"}; }
  bool operator()(const std::string& option, const std::string& text) const {
    return one_name{"direction", values()}(option, text) == "higher";
  }
};

}  // namespace

std::string parse_some_text(const std::string& option, const std::string& text) {
  if (text.empty()) throw usage_error(option + ": its value is empty");
  return text;
}

void require_metric(const program_pairs_options& options, std::string_view command) {
  if (options.higher_is_better && !options.metric)
    throw usage_error(fmt::format("{}: --better higher is of a --metric: less time is always "
                                  "better",
                                  command));
}

std::vector<option_row> rows_of_pairs(program_pairs_options& options) {
  return {value_row("metric", "REGEX",
                    "compare the number that this regular expression, or its first group, matches "
                    "in the output, instead of the time (default: none)",
                    options.metric, &parse_some_text),
          value_row("better", "NAME",
                    "whether a lower or a higher --metric is better (default: lower)",
                    options.higher_is_better, better_direction{}),
          value_row("check", "COMMAND",
                    "shell command that reads the output of each run; a run is refused if the "
                    "command fails (default: output that never changes between runs of one "
                    "program must not change with the other)",
                    options.check, &parse_some_text)};
}

const char* name_of_verdict(program_verdict verdict) {
  switch (verdict) {
  case program_verdict::slower:
    return "slower";
  case program_verdict::faster:
    return "faster";
  case program_verdict::same:
    return "same";
  case program_verdict::undecided:
    return "cannot_tell";
  case program_verdict::refused:
    break;
  }
  return "refused";
}

program_verdict judge_logs(std::span<const double> logs, double threshold,
                           std::size_t comparisons) {
  using enum program_verdict;
  const double above = 1 + threshold, below = 1 / above;
  const interval alone = ratio_of(logs, 1);
  if (alone.low >= below && alone.high <= above) return same;
  // Few pairs may all lie on one side by chance, whatever their scatter.
  if (logs.size() < first_look) return undecided;
  const interval one_of_many = ratio_of(logs, comparisons);
  if (one_of_many.low > above) return slower;
  return one_of_many.high < below ? faster : undecided;
}

double chance_of_other_outputs(std::size_t others, std::size_t runs_of_a, std::size_t runs_of_b) {
  double chance = 1;
  for (std::size_t i = 0; i < others; ++i)
    chance *= static_cast<double>(runs_of_b - i) / static_cast<double>(runs_of_a + runs_of_b - i);
  return chance;
}

std::string other_outputs_text(const program_comparison& of, const std::string& a,
                               const std::string& b) {
  if (of.other_outputs == 0) return "";
  return fmt::format("{} wrote something else than {} in {}, which may be chance: --check COMMAND "
                     "says what output is right.",
                     b, a, count_text(of.other_outputs, "run", "runs"));
}

program_comparison compare_programs(const std::array<program_arm, 2>& arms,
                                    const program_pairs_options& options) {
  program_runner runner(options);
  program_comparison of;
  std::array<std::vector<std::uint64_t>, 2> hashes;
  const auto refuse = [&](std::string why, bool by_b) {
    of.verdict = program_verdict::refused;
    of.refusal = std::move(why);
    of.broken_in_b = by_b;
  };
  std::optional<double> longest_of_a_s;
  const auto run_arm = [&](std::size_t arm, const program_arm& what) {
    program_pair_run run;
    std::optional<double> longest_s;
    if (longest_of_a_s) longest_s = std::max(options.least_limit_s, hopeless * *longest_of_a_s);
    std::string problem = runner.run(what, run, longest_s);
    of.used_s += run.wall_s;
    if (longest_s && run.wall_s >= *longest_s && !problem.empty())
      problem +=
          fmt::format(", where the longest run of {} took {:.3g} s", arms[0].name, *longest_of_a_s);
    if (arm == 0) longest_of_a_s = std::max(longest_of_a_s.value_or(0), run.wall_s);
    if (run.interrupted_by != 0) of.interrupted_by = run.interrupted_by;
    if (problem.empty()) hashes[arm].push_back(run.output_hash);
    else if (of.interrupted_by == 0 || of.pairs() < least_pairs)
      refuse(fmt::format("{} {}.", arms[arm].name, problem), arm == 1);
    return run;
  };
  for (const std::size_t arm : {0U, 1U}) {
    preload_watch watch(arms[arm].settings);
    program_arm watched = arms[arm];
    std::ranges::copy(watch.more_settings(), std::back_inserter(watched.settings));
    run_arm(arm, watched);
    const std::string why = watch.why_not_in_effect();
    if (of.verdict == program_verdict::refused) return of;
    if (!why.empty()) {
      refuse(fmt::format("{} not in effect: {}.",
                         arm == 1 ? "the change was" : "the settings of " + arms[0].name + " were",
                         why),
             arm == 1);
      return of;
    }
  }
  std::minstd_rand chance(std::random_device{}());
  std::size_t look = first_look;
  for (std::size_t pair = 1; pair <= most_pairs; ++pair) {
    // Draws the order for each pair, because a load with the rhythm of pairs would look like a
    // change if the order were fixed.
    const std::size_t first = chance() / 16 % 2;
    std::array<program_pair_run, 2> runs;
    for (const std::size_t arm : {first, 1 - first}) {
      runs[arm] = run_arm(arm, arms[arm]);
      if (of.verdict == program_verdict::refused) return of;
      if (of.interrupted_by != 0) {
        judge_runs(of, options);
        return of;
      }
    }
    for (const std::size_t arm : {0U, 1U}) of.runs[arm].push_back(runs[arm]);
    of.output_varies = !all_alike(hashes[0]);
    const double each_s = of.used_s / static_cast<double>(pair + 1);
    const bool is_last = pair >= least_pairs && of.used_s + each_s > options.budget_s;
    of.other_outputs = options.check ? 0 : other_outputs(hashes);
    // A few runs of a program with varying output may be alike by chance.
    if (of.other_outputs > 0 &&
        chance_of_other_outputs(of.other_outputs, hashes[0].size(), hashes[1].size()) <=
            chance_of_false_refusal) {
      refuse(fmt::format("{} writes something else than {}, which writes the same in each of {} "
                         "runs: a change of the output is no change of speed. --check COMMAND says "
                         "what output is right.",
                         arms[1].name, arms[0].name, hashes[0].size()),
             true);
      return of;
    }
    if (pair == look) {
      judge_runs(of, options);
      if (of.verdict != program_verdict::undecided) return of;
      look = next_look_at(pair);
    }
    if (is_last) break;
  }
  judge_runs(of, options);
  return of;
}

std::string change_text(const interval& ratio, const std::string& what, const std::string& other) {
  constexpr double many = 2;  // from here a multiple instead of percent
  const auto percent = [](double r) { return std::abs(r - 1) * 100; };
  const std::string than = other.empty() ? "" : " than " + other;
  const std::string as = other.empty() ? "" : " as " + other;
  if (ratio.low < 1 && ratio.high > 1) {
    const std::string least = fmt::format("between {:.1f} % less and ", percent(ratio.low));
    return ratio.high < many
               ? fmt::format("{}{:.1f} % more{}{}", least, percent(ratio.high), what, than)
               : fmt::format("{}{:.3g} times as much{}{}", least, ratio.high, what, as);
  }
  if (ratio.value >= many)
    return fmt::format("{:.3g} times as much{}{} ({:.3g} to {:.3g} times)", ratio.value, what, as,
                       ratio.low, ratio.high);
  const bool less = ratio.value < 1;
  return fmt::format("{:.1f} % {}{}{} ({:.1f} to {:.1f} %)", percent(ratio.value),
                     less ? "less" : "more", what, than, percent(less ? ratio.high : ratio.low),
                     percent(less ? ratio.low : ratio.high));
}

std::string why_undecided(const program_comparison& of) {
  if (of.pairs() >= first_look) return "";
  if (of.interrupted_by != 0)
    return fmt::format("interrupted after {}, and a verdict takes {} at least",
                       count_text(of.pairs(), "pair of runs", "pairs of runs"), first_look);
  const double run_s = of.used_s / static_cast<double>(2 * (of.pairs() + 1));
  return fmt::format("--budget had room for {}, and a verdict takes {} at least: give it {:.0f}s",
                     count_text(of.pairs(), "pair of runs", "pairs of runs"), first_look,
                     std::ceil(run_s * static_cast<double>(runs_until_first_look)));
}

std::string verdict_text(const program_comparison& of, const std::array<program_arm, 2>& arms,
                         const program_pairs_options& options) {
  const std::string &a = arms[0].name, &b = arms[1].name;
  if (of.verdict == program_verdict::refused) return "Not compared: " + of.refusal;
  const bool of_time = !options.metric;
  std::string text = fmt::format(
      "{}: {}; {}: {}; {}{}. ", a, range_of_runs(of.runs[0], of_time), b,
      range_of_runs(of.runs[1], of_time), count_text(of.pairs(), "pair of runs", "pairs of runs"),
      of.interrupted_by != 0 ? ", interrupted before more were made" : "");
  const std::string change =
      of_time
          ? fmt::format("{} takes {}", b, change_text(of.ratio, " time", a))
          : fmt::format("{}'s figure is {} ({} is better)", b, change_text(of.ratio, "", a + "'s"),
                        options.higher_is_better ? "more" : "less");
  switch (of.verdict) {
  case program_verdict::slower:
    return text + change + ": slower.";
  case program_verdict::faster:
    return text + change + ": faster.";
  case program_verdict::same:
    return text + fmt::format("The same within {:.3g} %.", options.threshold * 100);
  default:
    break;
  }
  if (const std::string why = why_undecided(of); !why.empty())
    return text + "Undecided: " + why + ".";
  return text + fmt::format("Undecided: {}. The runs vary; a longer --budget, a larger --threshold "
                            "or a quiet machine may decide.",
                            change);
}

}  // namespace syncmeter
