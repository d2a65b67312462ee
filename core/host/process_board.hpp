// What the lanes of a team say to each other that are processes, in memory that all have at one
// address: std::atomic's own wait and notify are for the threads of one process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/measurable.hpp"

namespace syncmeter {

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

}  // namespace syncmeter
