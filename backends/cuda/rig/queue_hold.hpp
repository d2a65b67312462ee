// The time for which the device waits before a queue of samples, to let the host get ahead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace syncmeter::cuda {

/// Learns the host's time to queue a launch and its accompanying calls.
class queue_hold {
 public:
  /// Long enough for the host to stay ahead of the device. Otherwise the host would delay the first
  /// launches after their event.
  static constexpr double least_ns = 20e3;
  /// A host stopped while queueing gives no estimate for the next queue.
  static constexpr double most_ns = 2e6;

  /// Returns the hold before a queue of `launches`. `until_queued`: the hold lasts until the host
  /// has queued all launches and leaves the device alone. Accesses to the host, like a fence of
  /// scope system, are slower while the host talks to the device.
  [[nodiscard]] std::int64_t ns(std::size_t launches, bool until_queued) const {
    constexpr double reserve = 1.25;
    const double all_ns = until_queued ? reserve * launch_ns_ * static_cast<double>(launches) : 0;
    return static_cast<std::int64_t>(std::min(least_ns + all_ns, most_ns));
  }
  /// Learns from the time for the first `launches` of a queue. More launches may fill the driver's
  /// own queue, about a thousand entries with up to four per launch. Then the host waits for the
  /// device, which waits for this hold, and each hold would grow.
  void learn(std::int64_t queueing_ns, std::size_t launches) {
    constexpr std::size_t most_launches = 256;
    if (launches == 0 || launches > most_launches) return;
    launch_ns_ = static_cast<double>(queueing_ns) / static_cast<double>(launches);
  }

 private:
  double launch_ns_ = 10e3;
};

}  // namespace syncmeter::cuda
