// The workers of a campaign, one per launch environment: worker, wait policy and, for a backend
// that starts threads once, the number of lanes. The pool starts a worker at first use, runs one
// worker at a time, replaces crashed workers and gives up after failed starts.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_process.hpp"

namespace syncmeter {

/// Result of a request.
struct exchange_outcome {
  enum class kind {
    answered,   ///< `line` has the answer
    refused,    ///< the worker answered with an `error` and can be asked again
    crashed,    ///< the worker died, wrote no valid answer, or could not be started
    timed_out,  ///< the worker was killed at its deadline
    given_up,   ///< the pool stopped asking this worker
    cancelled,  ///< killed after the user pressed Ctrl-C twice
  };
  kind what = kind::answered;
  nlohmann::json line;
  std::string reason;  ///< empty for `answered`
};

class worker_pool {
 public:
  struct settings {
    std::vector<int> cpus;  ///< CPU mask of every worker
    worker_deadlines deadlines;
    int cancel_fd = -1;
    /// Called with the `worker` line of every start.
    std::function<void(const nlohmann::json&)> on_start;
    /// Called with a sentence about a faulty exit: a lane may have died after its last visit.
    std::function<void(const std::string&)> on_bad_end{};
  };

  /// `infos` must outlive this object.
  worker_pool(const std::vector<worker_info>& infos, settings how);

  /// Sends a measure request: `request` without kind, id and resumed. Returns the visit line after
  /// checking its point, visit number and status. Reaps a worker that announces its end. The next
  /// request starts a new worker.
  [[nodiscard]] exchange_outcome measure(const std::string& backend, wait_policy wait,
                                         nlohmann::json request);
  /// Sends a `probe` request in the same way.
  [[nodiscard]] exchange_outcome probe(const std::string& backend, wait_policy wait,
                                       nlohmann::json request);
  /// Ends all workers gracefully.
  void close();

 private:
  struct environment {
    const worker_info* info = nullptr;
    wait_policy wait = wait_policy::active;
    unsigned threads = 0;  // pool size, or 0 if the worker makes teams on demand
    std::optional<worker_process> process;
    bool resumed = false;        // the next request is the first after SIGCONT
    unsigned failed_starts = 0;  // in a row
    std::string given_up;        // the reason, or empty
  };

  environment* environment_of(const std::string& backend, wait_policy wait,
                              const nlohmann::json& request);
  exchange_outcome make_ready(environment& env);
  exchange_outcome start(environment& env);
  exchange_outcome say_hello(environment& env);
  exchange_outcome exchange(environment& env, nlohmann::json request, const char* answer_kind);
  exchange_outcome await(environment& env, const char* kind, std::chrono::milliseconds within);
  exchange_outcome end(environment& env, exchange_outcome outcome, bool gracefully = false);

  const std::vector<worker_info>& infos_;
  settings how_;
  // The key is worker label, wait policy and threads.
  std::map<std::tuple<std::string, wait_policy, unsigned>, environment> environments_;
  std::map<std::string, std::string> lost_workers_;  // label -> a sentence about surviving SIGKILL
  long long next_id_ = 1;
};

}  // namespace syncmeter
