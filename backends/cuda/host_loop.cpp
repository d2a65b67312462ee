#include "backends/cuda/host_loop.hpp"

#include <chrono>

namespace syncmeter::cuda {

std::int64_t host_loop_rig::now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace syncmeter::cuda
