// How long the device waits before it begins with a queue of samples, so that the host is ahead of
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace syncmeter::cuda {

/// Learns how long the host takes to queue a launch and what belongs to it.
class queue_hold {
 public:
  /// Until the host is ahead of the device and stays so: else the first launches would begin as
  /// late after their event as the host is slow.
  static constexpr double least_ns = 20e3;
  /// A host that is stopped while it queues says nothing of the next queue.
  static constexpr double most_ns = 2e6;

  /// Before a queue of `launches`. `until_queued`: until the host has queued all of them, and
  /// leaves the device alone. What reaches to the host, as a fence of scope system does, takes
  /// longer while the host talks to the device.
  [[nodiscard]] std::int64_t ns(std::size_t launches, bool until_queued) const {
    constexpr double reserve = 1.25;
    const double all_ns = until_queued ? reserve * launch_ns_ * static_cast<double>(launches) : 0;
    return static_cast<std::int64_t>(std::min(least_ns + all_ns, most_ns));
  }
  /// What the first `launches` of a queue took. Behind more of them the driver's own queue may be
  /// full, about a thousand entries of which each launch takes up to four: then the host has waited
  /// for the device, which waits for this hold, and each hold would be longer than the one before.
  void learn(std::int64_t queueing_ns, std::size_t launches) {
    constexpr std::size_t most_launches = 256;
    if (launches == 0 || launches > most_launches) return;
    launch_ns_ = static_cast<double>(queueing_ns) / static_cast<double>(launches);
  }

 private:
  double launch_ns_ = 10e3;
};

}  // namespace syncmeter::cuda
