// The gate that lanes leave together before a timed loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "core/spin_pause.hpp"

namespace syncmeter {

/// A spinning barrier of our own, so that no backend's barrier is needed to start. After many spins
/// it yields: with more lanes than PUs it must not burn whole time slices.
class start_gate {
 public:
  void wait(unsigned lanes) {
    const auto ticket = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    const auto open_at = (ticket + lanes - 1) / lanes * lanes;
    for (unsigned spins = 0; arrived_.load(std::memory_order_acquire) < open_at; ++spins) {
      if (spins < 20000) spin_pause();
      else std::this_thread::yield();
    }
  }
  void reset() { arrived_.store(0, std::memory_order_release); }

 private:
  alignas(128) std::atomic<std::uint64_t> arrived_{0};
};

}  // namespace syncmeter
