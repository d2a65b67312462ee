// The workers of a campaign, one for each launch environment (worker x wait policy, and the number
// of lanes for a backend that starts its threads once): started when first needed, one running at a
// time, replaced after a crash, given up when they do not come up.
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

/// What a request came to.
struct exchange_outcome {
  enum class kind {
    answered,   ///< `line` holds the answer asked for
    refused,    ///< the worker answered with an `error`; it can be asked again
    crashed,    ///< it died, wrote something else than an answer, or could not be started
    timed_out,  ///< it was killed at its deadline
    given_up,   ///< it is not asked any more
    cancelled,  ///< killed because the user pressed Ctrl-C twice
  };
  kind what = kind::answered;
  nlohmann::json line;
  std::string reason;  ///< for every kind but `answered`
};

class worker_pool {
 public:
  struct settings {
    std::vector<int> cpus;  ///< CPU mask of every worker
    worker_deadlines deadlines;
    int cancel_fd = -1;
    /// Called with the `worker` line of every start.
    std::function<void(const nlohmann::json&)> on_start;
    /// Called with what was wrong with how a worker left, a sentence: a lane may have died after
    /// its last visit.
    std::function<void(const std::string&)> on_bad_end{};
  };

  /// `infos` must outlive this object.
  worker_pool(const std::vector<worker_info>& infos, settings how);

  /// Asks the worker of a backend to measure: `request` without kind, id and resumed. The answer is
  /// its visit line, whose point, visit number and status were checked. A worker that says that it
  /// ends with it is reaped; the next request starts a new one.
  [[nodiscard]] exchange_outcome measure(const std::string& backend, wait_policy wait,
                                         nlohmann::json request);
  /// Asks for a `probe`: `request` as above.
  [[nodiscard]] exchange_outcome probe(const std::string& backend, wait_policy wait,
                                       nlohmann::json request);
  /// Ends all workers gracefully.
  void close();

 private:
  struct environment {
    const worker_info* info = nullptr;
    wait_policy wait = wait_policy::active;
    unsigned threads = 0;  // of its pool; 0: it makes teams as it needs them
    std::optional<worker_process> process;
    bool resumed = false;        // the next request is the first one after SIGCONT
    unsigned failed_starts = 0;  // in a row
    std::string given_up;        // why; empty while it is asked
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
  // By worker label, wait policy and threads.
  std::map<std::tuple<std::string, wait_policy, unsigned>, environment> environments_;
  std::map<std::string, std::string> lost_workers_;  // label -> how it outlived SIGKILL
  long long next_id_ = 1;
};

}  // namespace syncmeter
