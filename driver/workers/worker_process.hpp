// One running worker: talking to it in lines, stopping, continuing and ending it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "driver/text/line_reader.hpp"
#include "driver/workers/start_program.hpp"

namespace syncmeter {

/// How long the driver waits for a worker.
struct worker_deadlines {
  std::chrono::milliseconds hello{60'000};  ///< from its start to its answer to `hello`
  std::chrono::milliseconds capabilities{30'000};
  std::chrono::milliseconds accepted{5'000};     ///< from a request to `accepted`
  std::chrono::milliseconds visit_slack{5'000};  ///< a visit: factor x what it predicted + this
  double visit_factor = 5;
  std::chrono::milliseconds stopping{2'000};  ///< for SIGSTOP to take hold
  std::chrono::milliseconds leaving{2'000};   ///< to end by itself after the end of its input
  std::chrono::milliseconds reaping{10'000};  ///< to be gone after SIGKILL
};

/// How much is left of a time, in steps: when far more than a step has passed since the last look,
/// this process, and what it waits for, stood still (SIGSTOP, a laptop's lid), and one step counts.
class stoppable_deadline {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds step{1000};
  /// Between two looks, beyond the wait itself.
  static constexpr std::chrono::milliseconds usual_delay{1000};

  explicit stoppable_deadline(std::chrono::nanoseconds time, clock::time_point now = clock::now())
      : left_(time), looked_(now) {}

  /// How long to wait until the next look; 0 when the time is over.
  [[nodiscard]] std::chrono::nanoseconds look(clock::time_point now = clock::now());
  [[nodiscard]] bool over(clock::time_point now = clock::now()) { return look(now).count() == 0; }

 private:
  std::chrono::nanoseconds left_;
  clock::time_point looked_;
};

/// What waiting for a line brought.
struct answer {
  enum class kind {
    line,       ///< a JSON object, in `object`
    garbage,    ///< something else, quoted in `text`
    closed,     ///< the worker is gone; `text` says how, with the end of its standard error
    late,       ///< nothing until the deadline
    cancelled,  ///< the cancel descriptor became readable
  };
  kind what = kind::late;
  nlohmann::json object;
  std::string text;  ///< one sentence for every kind but `line`
};

/// Owner of a worker. A worker that still runs when its owner goes is killed and reaped.
class worker_process {
 public:
  /// Starts it; `name` is for messages ("omp"). From then on this process ignores SIGPIPE. Throws
  /// std::runtime_error when it cannot be started.
  worker_process(std::string name, const program_to_start& what, worker_deadlines deadlines = {});
  ~worker_process();

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Sends one line. A worker that no longer reads is no error here: receive() tells what became of
  /// it.
  void send(const nlohmann::json& request);
  /// Waits for the next line, at most this long. What has already arrived is read even when the
  /// time is over. What the worker writes to its standard error is taken off meanwhile.
  [[nodiscard]] answer receive(std::chrono::milliseconds within, int cancel_fd = -1);

  /// Stops the whole process group and waits until the worker stands still.
  void stop();
  /// Lets it go on.
  void resume();
  [[nodiscard]] bool stopped() const { return stopped_; }

  /// Ends it gracefully: end of input, then SIGKILL when it does not leave.
  void close() { (void)leave(); }
  /// The same, and what was wrong with how it left, in one sentence; or nothing.
  [[nodiscard]] std::string leave();
  /// Ends it by SIGKILL.
  void kill();
  /// True when it outlived SIGKILL by the deadline: whatever device it used is given up.
  [[nodiscard]] bool lost() const { return lost_; }
  /// True when it was reaped, and a signal had ended it.
  [[nodiscard]] bool was_killed() const;
  /// "worker 'omp' (pid 4711)"
  [[nodiscard]] std::string label() const;
  /// What it last wrote to its standard error, as the end of a sentence; or nothing.
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
  std::optional<int> wait_status_;  // set when it was reaped
  std::string unwritable_;          // why it gets no requests; empty while it does
  bool stopped_ = false;
  bool lost_ = false;
};

}  // namespace syncmeter
