// Lanes that arrive late at a barrier, one after the other, by a time of the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/host/host_lane.hpp"
#include "core/host/lane_memory.hpp"

namespace syncmeter {

/// One lane's turns to be late. On lines of its own; of one sample.
struct alignas(128) late_turns {
  std::int64_t late_ns = 0;
  unsigned lane = 0, lanes = 1;
  std::uint32_t step = 0;
  std::uint32_t barrier_passed = 0;  ///< 1 from the first barrier on
  // Between turns of its own, once a barrier was passed; the time of the thread's own clock.
  std::uint32_t waits = 0;
  std::int64_t first_cpu_ns = 0, last_cpu_ns = 0;
};

using late_list = std::vector<late_turns, lane_allocator<late_turns>>;

/// Turns at `late_us` microseconds for so many lanes, none of them taken yet.
[[nodiscard]] late_list turns_of(unsigned lanes, unsigned late_us);

/// A step of the calling lane: keeps it for `late_ns` of steady_clock when this is its turn, which
/// goes around the lanes from step to step. Where no barrier was passed yet every lane is kept.
/// Library code on both sides: not inlined.
void keep_back(late_turns& turns);

/// CPU time of a lane from one turn to the next beyond its own delay, in ns: what it burns while it
/// waits, its call included. The mean over all lanes; nothing where no lane came to a second turn.
[[nodiscard]] std::optional<double> waiting_cpu_ns(std::span<const late_turns> all);

/// What fails a sample whose lanes were not kept back: so many steps, with the delays one after the
/// other, cannot take less than their sum. Empty when they were.
[[nodiscard]] std::string check_lateness(double span_ns, std::uint64_t steps, unsigned late_us);

/// The words of a lane that is late in its turn. Where no barrier is passed (the baseline), every
/// lane is late at each step, so that a step takes as long there too.
class late_words {
 public:
  explicit late_words(const lane_setup& s) : turns_{s.late} {}

  SM_FN void be_late() const { keep_back(*turns_); }
  SM_FN void pass_turn() const {
    *const_cast<volatile std::uint32_t*>(&turns_->barrier_passed) = 1;
  }

 private:
  late_turns* turns_;
};

}  // namespace syncmeter
