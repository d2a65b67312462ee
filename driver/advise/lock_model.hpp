// A contended lock's model: which forms of models/contended_lock.cpp reproduce the program's time,
// and the times of these forms with another primitive, measured in the same rounds as the program.
// This file reads no clock and starts no process: the caller runs the program and the model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace syncmeter {

enum class model_lock : std::uint8_t { mutex, spin, omp_lock, critical };

/// Returns the lock with this `kind` in a record `lock`, or nothing for a lock without a model.
[[nodiscard]] std::optional<model_lock> model_lock_from(std::string_view kind);

/// Counts and times of one lock and its program. They calibrate the model.
struct lock_facts {
  model_lock kind = model_lock::mutex;
  unsigned threads = 2;                ///< that acquire the lock
  std::uint64_t acquisitions = 0;      ///< by all threads in one run
  std::optional<double> held_ns{};     ///< for each acquisition, without the clock
  std::vector<double> program_wall_s;  ///< plain runs, at least one
  double alone_cpu_s = 0;              ///< CPU time of the program alone
};

/// Lines that a thread writes under the lock: the lock's own line, none, one line, or one of 64 or
/// 512 lines.
enum class model_lines : std::uint8_t { own, none, one, of_64, of_512 };
/// Work between two acquisitions. The processor overlaps independent work with the lock's calls.
enum class model_work : std::uint8_t { dependent, independent };

/// A form of the model with its calibrated iterations for each acquisition.
struct lock_form {
  model_lines lines = model_lines::own;
  model_work work = model_work::dependent;
  std::uint64_t held_iterations = 0, work_iterations = 0;
  friend bool operator==(const lock_form&, const lock_form&) = default;
};

/// Returns the text of a form as in a record `model`: "lines=own work=dependent".
[[nodiscard]] std::string form_text(const lock_form& form);

/// A run of the model: the program, its arguments and its limits.
struct model_run {
  bool openmp = false;  ///< lock-model-openmp instead of lock-model
  std::vector<std::string> arguments;
  bool alone = false;  ///< like the program alone: pinned to one CPU, or with one OpenMP thread
  double limit_s = 0;  ///< a longer run counts as failed
};

struct model_time {
  double wall_s = 0, cpu_s = 0;
};

/// Functions that run the program once and the model once. Times are those of the whole process.
/// Nothing: the run failed, was interrupted or reached its limit.
struct model_runner {
  std::function<std::optional<double>()> run_program;
  std::function<std::optional<model_time>(const model_run&)> run_model;
};

/// Wall times of one form: one for each round, in the same order. A list is empty if its change
/// failed in a round.
struct lock_model {
  lock_form form;
  std::vector<double> program_s, as_is_s, private_s, atomic_s, shards_s;
};

/// Calibrates the model and drops the forms with a time far from the program's time. Times the
/// remaining forms and the program in rounds of alternating direction. Keeps about within
/// `budget_s` by fewer forms and rounds. Returns nothing if no form is near the program's time, the
/// budget is too small for three rounds, or the program fails before their end.
[[nodiscard]] std::vector<lock_model>
measure_lock_models(const lock_facts& facts, const model_runner& runner, double budget_s);

}  // namespace syncmeter
