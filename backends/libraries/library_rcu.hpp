// A pointer to the newest copy, old ones kept by RCU of liburcu, its membarrier flavour: a reader
// writes to a counter of its own thread alone, without a fence.
#pragma once

#include "core/ops/read_mostly_schemes.hpp"

namespace syncmeter::libraries {

#if SM_HAS_URCU
class rcu_snapshot {
 public:
  explicit rcu_snapshot(sharers who);
  ops::datum_state read(unsigned lane);
  /// Waits for a grace period: the copy before is written next.
  std::uint64_t write(unsigned lane);
  [[nodiscard]] std::uint64_t version() const;

 private:
  ops::plain_words first_, second_;
  ops::plain_words* spare_ = &second_;
  std::mutex writers_;
  alignas(128) std::atomic<ops::plain_words*> newest_{&first_};
};
#else
struct rcu_snapshot {};
#endif

}  // namespace syncmeter::libraries
