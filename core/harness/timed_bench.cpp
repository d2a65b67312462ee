// See timed_bench.hpp.
#include "core/harness/timed_bench.hpp"

#include <cmath>

#include <fmt/format.h>

namespace syncmeter {

namespace {

bool is_duration(double ns) { return std::isfinite(ns) && ns >= 0; }

}  // namespace

sample timed_bench::take(std::size_t index, std::uint32_t trips) {
  sample taken = subject_.take(index, trips);
  if (!taken.failure.empty()) throw point_failed(taken.failure);
  if (!is_duration(taken.span_ns) || !is_duration(taken.host_ns)) {
    throw point_failed(fmt::format("a sample of {} trips with {} measured ops took {} ns by its "
                                   "own clock and {} ns by the host's: not a valid duration",
                                   trips, counts.at(index), taken.span_ns, taken.host_ns));
  }
  timed_ns_ += taken.host_ns > 0 ? taken.host_ns : taken.span_ns;
  return taken;
}

std::optional<double> timed_bench::pair_probe() {
  const std::int64_t begin = subject_.now_ns();
  const auto hop_ns = subject_.pair_probe();
  if (hop_ns) timed_ns_ += static_cast<double>(subject_.now_ns() - begin);
  return hop_ns;
}

}  // namespace syncmeter
