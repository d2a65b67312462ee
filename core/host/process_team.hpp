// Lanes that are processes, forked from the one that leads them. They live through many regions and
// sleep between them, as the threads of a thread_team do.
#pragma once

#include <sys/types.h>

#include <vector>

#include "core/axes.hpp"
#include "core/host/process_board.hpp"

namespace syncmeter {

/// In memory that the lanes have in common, as all that they look at: what the leading process
/// makes elsewhere after it has forked them they do not see. A process has one at a time.
class process_team {
 public:
  /// `waiting`: as of a thread_team.
  explicit process_team(wait_policy waiting);
  ~process_team();
  process_team(const process_team&) = delete;
  process_team& operator=(const process_team&) = delete;

  /// Runs `body` once on each of `lanes` lanes at once, lane 0 in the calling process, and comes
  /// back when all have ended. Processes are forked only where the last region had another number
  /// of lanes. False, having run nothing, when they cannot be had. Throws std::runtime_error with
  /// what a lane threw. A lane that dies ends this process with a word on standard error: what it
  /// held nobody gives back.
  [[nodiscard]] bool run(unsigned lanes, lane_body body, bench& rig);
  /// Ends the processes.
  void release();

 private:
  bool start(unsigned lanes);
  [[noreturn]] void serve(unsigned lane, std::uint32_t past);

  process_board board_;
  unsigned spins_;
  std::vector<pid_t> others_;  // of the leading process alone
};

}  // namespace syncmeter
