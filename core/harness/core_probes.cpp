#include "core/harness/core_probes.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace syncmeter {
namespace {

constexpr unsigned adds_at_once = 16;

// The instruction itself, as a compiler puts moves between adds, which some cores take a cycle for.
// A register is added, not a constant: some cores do the latter without an add.
inline void add(std::uint64_t& sum, std::uint64_t one) {
#if defined(__x86_64__)
  asm volatile("add %1, %0" : "+r"(sum) : "r"(one) : "cc");
#elif defined(__aarch64__)
  asm volatile("add %0, %0, %1" : "+r"(sum) : "r"(one));
#else
  sum += one;
  asm volatile("" : "+r"(sum));
#endif
}

std::int64_t chain_ns(unsigned adds) {
  std::uint64_t sum = 1;
  const auto start = steady_ns();
  for (unsigned done = 0; done < adds; done += adds_at_once) {
    for (unsigned i = 0; i < adds_at_once; ++i) add(sum, 1);
  }
  return steady_ns() - start;
}

}  // namespace

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

double read_core_clock_ghz() {
  constexpr unsigned few = 1024, many = 5 * few;
  const auto more_ns = static_cast<double>(chain_ns(many) - chain_ns(few));
  return more_ns > 0 ? (many - few) / more_ns : 0;
}

void core_clock::add(double ghz) {
  if (ghz > 0) last_.at(readings_++ % kept) = ghz;
  if (readings_ >= settled) fastest_ghz_ = std::max(fastest_ghz_, this->ghz());
}

double core_clock::share_of_fastest() const {
  return fastest_ghz_ > 0 && readings_ > 0 ? std::min(1.0, ghz() / fastest_ghz_) : 1.0;
}

double core_clock::ghz() const {
  const auto n = static_cast<std::ptrdiff_t>(std::min(readings_, kept));
  if (n == 0) return 0;
  std::vector<double> sorted(last_.begin(), last_.begin() + n);
  std::sort(sorted.begin(), sorted.end());
  const std::ptrdiff_t outer = n / 4;
  return std::accumulate(sorted.begin() + outer, sorted.end() - outer, 0.0) /
         static_cast<double>(n - 2 * outer);
}

}  // namespace syncmeter
