// The lanes of an API without teams (C++20 threads, POSIX): every program that wants one keeps its
// own. Its threads or processes live through many regions and sleep between them.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "core/axes.hpp"
#include "core/measurable.hpp"

namespace syncmeter {

/// How this process is to wait: the driver says it to every worker in the variable that OpenMP has
/// for it, OMP_WAIT_POLICY.
[[nodiscard]] wait_policy wait_policy_here();

/// How often a lane without work looks for some before it sleeps: for about a millisecond, longer
/// than what lies between two samples, where it is to wait actively.
[[nodiscard]] unsigned spins_before_sleep(wait_policy waiting);

/// Starts a thread and ends it. glibc's mutex does without an atomic until a process has its second
/// thread: 2.9 ns instead of 10.9 were measured at one lane, in the passes that began with it. A
/// program that locks has had one.
void have_had_a_second_thread();

class thread_team {
 public:
  using region = std::function<void(unsigned lane)>;

  /// `waiting`: whether a thread without work spins for a while before it sleeps, or sleeps at
  /// once. Starts no thread by itself.
  explicit thread_team(wait_policy waiting);
  ~thread_team();
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;

  /// Runs body(lane) once on each of `lanes` lanes at once, lane 0 on the calling thread, and comes
  /// back when all have ended; `lanes` is at least 1. Threads are started only where the last
  /// region had another number of lanes. Returns false, having run nothing, when they cannot be
  /// had. What the lowest lane threw is thrown here.
  [[nodiscard]] bool run(unsigned lanes, const region& body);

  /// Ends the threads; the next region starts others.
  void release();

 private:
  bool start(unsigned lanes);
  void serve(unsigned lane, std::uint32_t past);
  void run_lane(unsigned lane);
  void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t old) const;

  unsigned spins_;
  const region* body_ = nullptr;  // null: the threads are to end
  std::vector<std::thread> threads_;
  std::vector<std::exception_ptr> thrown_;  // by lane
  // On lines of their own: lane 0 waits on one of them, the others on the other.
  alignas(128) std::atomic<std::uint32_t> regions_{0};
  alignas(128) std::atomic<std::uint32_t> running_{0};
};

/// A word that a process waits at until another one changes it, asleep after so many looks.
class shared_word {
 public:
  void store(std::uint32_t value) { word_.store(value, std::memory_order_relaxed); }
  [[nodiscard]] std::uint32_t load() const { return word_.load(std::memory_order_acquire); }
  /// Returns the value before.
  std::uint32_t add(std::uint32_t by) { return word_.fetch_add(by, std::memory_order_acq_rel); }
  void wake_all();
  /// While it is `old`. `between_looks`, where there is one, is called after each look, and at
  /// least once in a millisecond.
  void wait_while(std::uint32_t old, unsigned spins, void (*between_looks)() = nullptr);

 private:
  std::atomic<std::uint32_t> word_{0};
};

struct process_board {
  // On lines of their own: the leading process waits at one of them, the others at the other.
  alignas(128) shared_word regions;
  alignas(128) shared_word running;
  alignas(128) lane_body body = nullptr;  ///< null: the others are to end
  bench* rig = nullptr;
  std::array<char, 256> problem{};  ///< what a lane threw; empty: none did

  /// The leading process: lets `others` processes run `next`.
  void begin(unsigned others, lane_body next, bench* on);
  /// Throws std::runtime_error with what a lane threw.
  void throw_problem() const;
  /// The others: waits for the next region after `past`. False where they are to end.
  [[nodiscard]] bool next_region(std::uint32_t past, unsigned spins);
  /// In every process: the body, what it throws put down in `problem`.
  void run_body(unsigned lane);
  /// The others, behind it.
  void end_region();
};

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
