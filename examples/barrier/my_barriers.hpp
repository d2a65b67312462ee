// The barrier of a counter and a phase, to be laid beside OpenMP's.
#pragma once

#include <atomic>

#include <syncmeter/primitive.hpp>

class phase_barrier {
 public:
  explicit phase_barrier(syncmeter::sharers who) : lanes_{who.lanes} {}

  void arrive_and_wait() {
    const unsigned phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == lanes_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
    } else {
      while (phase_.load(std::memory_order_acquire) == phase) {
      }
    }
  }

 private:
  unsigned lanes_;
  std::atomic<unsigned> arrived_{0};
  std::atomic<unsigned> phase_{0};
};

struct phase_barrier_wait {  // test - baseline == one more barrier of all lanes
  using object = phase_barrier;
  static constexpr auto info = syncmeter::barrier_info("phase_barrier");
  SM_FN static void common(auto& lane) { lane.object().arrive_and_wait(); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

using syncmeter_ops = syncmeter::user_ops<phase_barrier_wait>;
