// Controls one running worker: exchanges lines, stops, continues and ends the worker.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "driver/text/line_reader.hpp"
#include "driver/workers/start_program.hpp"

namespace syncmeter {

/// Limits for the driver's waiting on a worker.
struct worker_deadlines {
  std::chrono::milliseconds hello{60'000};  ///< from start to the answer to `hello`
  std::chrono::milliseconds capabilities{30'000};
  std::chrono::milliseconds accepted{5'000};     ///< from a request to `accepted`
  std::chrono::milliseconds visit_slack{5'000};  ///< added to factor x predicted visit time
  double visit_factor = 5;
  std::chrono::milliseconds stopping{2'000};  ///< until SIGSTOP takes effect
  std::chrono::milliseconds leaving{2'000};   ///< from end of input to the worker's exit
  std::chrono::milliseconds reaping{10'000};  ///< from SIGKILL to the worker's end
};

/// Time left, counted in steps. If far more than a step has passed since the last look, this
/// process and the worker were suspended (SIGSTOP, a laptop's lid). Only one step counts then.
class stoppable_deadline {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds step{1000};
  /// Delay allowed between two looks, in addition to the wait.
  static constexpr std::chrono::milliseconds usual_delay{1000};

  explicit stoppable_deadline(std::chrono::nanoseconds time, clock::time_point now = clock::now())
      : left_(time), looked_(now) {}

  /// Returns the wait until the next look, or 0 when the time is over.
  [[nodiscard]] std::chrono::nanoseconds look(clock::time_point now = clock::now());
  [[nodiscard]] bool over(clock::time_point now = clock::now()) { return look(now).count() == 0; }

 private:
  std::chrono::nanoseconds left_;
  clock::time_point looked_;
};

/// Result of a wait for a line.
struct answer {
  enum class kind {
    line,       ///< a JSON object, in `object`
    garbage,    ///< any other text, quoted in `text`
    closed,     ///< the worker ended: `text` has its status and the end of its standard error
    late,       ///< no line until the deadline
    cancelled,  ///< the cancel descriptor became readable
  };
  kind what = kind::late;
  nlohmann::json object;
  std::string text;  ///< a sentence, except for `line`
};

/// Owner of a worker. The destructor kills and reaps a worker that still runs.
class worker_process {
 public:
  /// Starts the worker. Messages use `name` ("omp"). This process ignores SIGPIPE from then on.
  /// Throws std::runtime_error if the start fails.
  worker_process(std::string name, const program_to_start& what, worker_deadlines deadlines = {});
  ~worker_process();

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Sends a line. Reports no error if the worker stopped reading: receive() reports the worker's
  /// end.
  void send(const nlohmann::json& request);
  /// Waits for the next line, at most this long. Returns a line that has already arrived even after
  /// the time is over. Also drains the worker's standard error.
  [[nodiscard]] answer receive(std::chrono::milliseconds within, int cancel_fd = -1);

  /// Stops the whole process group and waits until the worker has stopped.
  void stop();
  /// Continues the process group.
  void resume();
  [[nodiscard]] bool stopped() const { return stopped_; }

  /// Closes the worker's input, then sends SIGKILL if the worker does not exit.
  void close() { (void)leave(); }
  /// Does the same as close(). Returns a sentence about a faulty exit, or an empty text.
  [[nodiscard]] std::string leave();
  /// Sends SIGKILL and reaps the worker.
  void kill();
  /// Returns true if the worker outlived SIGKILL by the deadline. The driver gives its device up.
  [[nodiscard]] bool lost() const { return lost_; }
  /// Returns true if the worker was reaped after a signal ended the worker.
  [[nodiscard]] bool was_killed() const;
  /// Returns, for example, "worker 'omp' (pid 4711)".
  [[nodiscard]] std::string label() const;
  /// Returns the last standard error output as the end of a sentence, or an empty text.
  [[nodiscard]] std::string stderr_tail();

 private:
  void signal_group(int number) const;
  bool gone_within(std::chrono::milliseconds limit);
  bool poll_state(int options);
  answer interpret(const std::string& line) const;
  answer describe_end();

  std::string name_;
  worker_deadlines deadlines_;
  pid_t pid_ = -1;
  unique_fd to_, from_, errors_;
  line_reader lines_;
  stream_tail tail_;
  std::optional<int> wait_status_;  // set after reaping
  std::string unwritable_;          // why writes fail, empty if writes work
  bool stopped_ = false;
  bool lost_ = false;
};

}  // namespace syncmeter
