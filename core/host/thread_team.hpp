// The lanes of an API without teams (C++20 threads, POSIX): every program that wants one keeps its
// own. Its threads live through many regions and are parked between them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "core/axes.hpp"

namespace syncmeter {

/// How this process is to wait: the driver says it to every worker in the variable that OpenMP has
/// for it, OMP_WAIT_POLICY.
[[nodiscard]] wait_policy wait_policy_here();

/// How often a lane without work looks for some before it sleeps: for about a millisecond, longer
/// than what lies between two samples, where it is to wait actively.
[[nodiscard]] unsigned spins_before_sleep(wait_policy waiting);

/// Starts a thread and ends it. glibc's mutex does without an atomic until a process has its second
/// thread: 2.9 ns instead of 10.9 were seen at one lane, in the passes that began with it. A
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

}  // namespace syncmeter
