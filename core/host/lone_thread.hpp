// The one thread of a backend whose lanes are elsewhere, as a host that launches on a GPU: kept on
// a quiet PU, and watched as the lanes of a CPU are.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/harness/core_probes.hpp"
#include "core/harness/harness.hpp"
#include "core/host/lane_watch.hpp"

namespace syncmeter {

/// Binds the calling thread to a PU and returns what a quiet probe takes there, in ns; nothing
/// where it cannot be bound.
using pu_probe = std::function<std::optional<double>(int pu)>;

class lone_thread {
 public:
  /// On this machine.
  lone_thread();
  explicit lone_thread(pu_probe probe) : probe_{std::move(probe)} {}

  /// Puts the calling thread on a quiet one of these PUs: the one where it was last, if that is
  /// quiet, else the first quiet one, else the least busy of those tried. Where it can be bound to
  /// none it stays where it is. Each visit begins with it.
  void settle(std::span<const int> pus);
  /// Searches again where others have had the PU in the last samples.
  void begin_round();
  void look_before() { watch_.look_before(); }
  /// Judges the sample.
  void look_after(sample& taken);
  /// Gives the calling thread all PUs again.
  void finish();

  /// Adds "pus", "pus_seen", "quiet_probe" and "core_clock_ghz"; nothing before settle().
  void describe(nlohmann::json& visit) const;

  /// -1: not bound.
  [[nodiscard]] int pu() const { return pu_; }

 private:
  void search();

  pu_probe probe_;
  std::vector<int> pus_;
  std::size_t next_ = 0;  ///< of pus_, to be tried next
  int pu_ = -1;
  bool settled_ = false;
  lane_watch watch_;
  core_clock clock_;
  /// One for all PUs: where a neighbour never leaves its own, that one's probe is never fast.
  double floor_ns_ = std::numeric_limits<double>::infinity();
  std::vector<double> quiet_seen_;
  unsigned busy_in_a_row_ = 0;  ///< samples
  unsigned patience_ = 0;       ///< so many of them, then it moves on
};

}  // namespace syncmeter
