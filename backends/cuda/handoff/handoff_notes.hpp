// What the rigs of handoffs know of a visit beside its times: polls in vain, and what their litmus
// saw.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "backends/cuda/handoff/handoff_setup.hpp"

namespace syncmeter::cuda {

class handoff_notes {
 public:
  /// Of another point.
  void begin() { *this = {}; }
  void add(std::uint64_t polls, std::uint64_t handoffs) {
    polls_ += polls;
    handoffs_ += handoffs;
  }
  /// Keeps what a litmus of so many handoffs saw. Returns it where the form rules it out, and 0
  /// where it is only counted.
  std::uint64_t judge(std::uint64_t violations, std::uint64_t looked_at, bool promised) {
    violations_ = violations;
    looked_at_ = looked_at;
    return promised ? violations : 0;
  }

  /// Adds "polls_per_handoff", over both sides of all samples, and with a litmus "litmus_handoffs"
  /// and "violations_seen".
  void describe(nlohmann::json& visit) const {
    if (handoffs_ > 0)
      visit["polls_per_handoff"] = static_cast<double>(polls_) / static_cast<double>(handoffs_);
    if (!violations_) return;
    visit["litmus_handoffs"] = looked_at_;
    visit["violations_seen"] = *violations_;
  }

 private:
  std::uint64_t polls_ = 0, handoffs_ = 0, looked_at_ = 0;
  std::optional<std::uint64_t> violations_;
};

}  // namespace syncmeter::cuda
