#include "core/host/lateness.hpp"

#include <ctime>

#include <fmt/format.h>

#include "core/harness/core_probes.hpp"

namespace syncmeter {
namespace {

std::int64_t thread_cpu_ns() {
  timespec now{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

void note_cpu(late_turns& turns) {
  turns.last_cpu_ns = thread_cpu_ns();
  if (turns.first_cpu_ns == 0) turns.first_cpu_ns = turns.last_cpu_ns;
  else ++turns.waits;
}

}  // namespace

late_list turns_of(unsigned lanes, unsigned late_us) {
  late_list all(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    all[lane] = {.late_ns = std::int64_t{1000} * late_us, .lane = lane, .lanes = lanes};
  return all;
}

void keep_back(late_turns& turns) {
  if (turns.late_ns == 0) return;
  // Before the look at the barrier: both sides shall pay for the division.
  const bool in_turn = turns.step++ % turns.lanes == turns.lane;
  if (!in_turn && turns.barrier_passed != 0) return;
  const auto until = steady_ns() + turns.late_ns;
  if (in_turn && turns.barrier_passed != 0) note_cpu(turns);  // within the delay: it delays nobody
  while (steady_ns() < until) {
  }
}

std::optional<double> waiting_cpu_ns(std::span<const late_turns> all) {
  double cpu_ns = 0;
  std::uint64_t waits = 0;
  for (const late_turns& turns : all) {
    cpu_ns += static_cast<double>(turns.last_cpu_ns - turns.first_cpu_ns) -
              static_cast<double>(turns.late_ns) * turns.waits;
    waits += turns.waits;
  }
  if (waits == 0) return std::nullopt;
  return cpu_ns / static_cast<double>(waits);
}

std::string check_lateness(double span_ns, std::uint64_t steps, unsigned late_us) {
  const double least_ns = 1e3 * static_cast<double>(steps) * late_us;
  if (span_ns >= least_ns) return {};
  return fmt::format("oracle: {} arrivals in sequence, each {} us late, took {:.4g} us in all: a "
                     "thread was not delayed, or the barrier did not wait for it",
                     steps, late_us, span_ns / 1e3);
}

}  // namespace syncmeter
