#include "core/host/lateness.hpp"

#include <fmt/format.h>

#include "core/harness/quiet_probe.hpp"

namespace syncmeter {

std::vector<late_turns> turns_of(unsigned lanes, unsigned late_us) {
  std::vector<late_turns> all(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    all[lane] = {.late_ns = std::int64_t{1000} * late_us, .lane = lane, .lanes = lanes};
  return all;
}

void keep_back(late_turns& turns) {
  if (turns.late_ns == 0) return;
  // Before the look at the barrier: both sides shall pay for the division.
  const bool in_turn = turns.step++ % turns.lanes == turns.lane;
  if (!in_turn && turns.barrier_passed != 0) return;
  for (const auto until = steady_ns() + turns.late_ns; steady_ns() < until;) {
  }
}

std::string check_lateness(double span_ns, std::uint64_t steps, unsigned late_us) {
  const double least_ns = 1e3 * static_cast<double>(steps) * late_us;
  if (span_ns >= least_ns) return {};
  return fmt::format("oracle: {} arrivals in sequence, each {} us late, took {:.4g} us in all: a "
                     "lane was not delayed, or the barrier did not wait for it",
                     steps, late_us, span_ns / 1e3);
}

}  // namespace syncmeter
