#include "core/harness/quiet_probe.hpp"

namespace syncmeter {

double quiet_probe_ns() {
  std::uint64_t a = 1, b = 2, c = 3, d = 4;
  const auto start = steady_ns();
  for (unsigned i = 0; i < 384; ++i) {
    for (unsigned j = 0; j < 4; ++j) {
      a += i, b += i, c += i, d += i;
      asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    }
  }
  const auto stop = steady_ns();
  return static_cast<double>(stop - start);
}

}  // namespace syncmeter
