// Runs of a program in turn, and what they took.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/harness/stats.hpp"

namespace syncmeter {

/// One run of the program: as it is ("plain"), with its calls counted ("count"), timed ("time"),
/// as it is with its CPU time sampled ("sample"), without sharing ("alone"), and with a look at its
/// first call of CUDA and its end alone ("span").
struct program_run {
  std::string arm;
  double wall_s = 0, user_s = 0, system_s = 0;
  int wait_status = 0;                         ///< as waitpid has it
  std::optional<double> other_cpu_share{};     ///< of the allowed CPUs, what other programs used
  std::optional<double> stolen_cpu_share{};    ///< taken by the hypervisor
  std::optional<double> voluntary_switches{};  ///< how often a thread gave up its CPU to wait
  double involuntary_switches = 0;             ///< how often one was taken off it
  /// Of a timed run, how long threads were ready to run and had no processor, all together.
  std::optional<double> run_delay_s{};
  std::optional<double> cuda_span_s{};  ///< from its first call of CUDA to its end
  /// Arm "alone" by one OpenMP thread: lock calls as a share of the team's lock calls. A small
  /// share means that each thread repeats the work.
  std::optional<double> lock_call_share{};
  bool interrupted = false;  ///< it is a part of a run
};

/// Wall time of counted runs over that of the plain runs beside them.
struct counting_cost {
  double ratio = 1;          ///< the median of the pairs
  double low = 1, high = 1;  ///< the least and the greatest of them
  std::size_t pairs = 0;     ///< of runs
};

/// Returns this value for each run of the arm.
[[nodiscard]] std::vector<double> taken_by_arm(const std::vector<program_run>& runs,
                                               std::string_view arm, double program_run::* taken_s);
/// The median, the least and the greatest; 0 of none.
[[nodiscard]] interval middle_and_ends(const std::vector<double>& values);
/// From the first call of CUDA to the end, of the runs "span".
[[nodiscard]] std::vector<double> cuda_spans_s(const std::vector<program_run>& runs);
/// The median of the plain runs, the least and the greatest; 0 without one.
[[nodiscard]] interval plain_wall_s(const std::vector<program_run>& runs);
/// What the program takes as it is: the median of the plain runs, and with the sampled one the
/// least and the greatest; 0 without one.
[[nodiscard]] interval as_it_is(const std::vector<program_run>& runs,
                                double program_run::* taken_s);
/// Returns the least CPU time among runs alone, scaled to the work by all threads, or nothing.
[[nodiscard]] std::optional<double> cpu_s_alone(const std::vector<program_run>& runs);
/// Nothing without a pair of runs.
[[nodiscard]] std::optional<counting_cost> cost_of_counting(const std::vector<program_run>& runs);

}  // namespace syncmeter
