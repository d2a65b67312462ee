#include "backends/posix/posix_kernel.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

namespace syncmeter::posix {
namespace {

long membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0); }

// Maximum in x86-64 kernel builds. sysconf() reports fewer CPUs if /sys is hidden, and a larger CPU
// number would write outside the counters.
constexpr std::size_t most_cpus = 8192;

}  // namespace

bool expedited_barrier() { return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0; }

std::string register_for_barriers() {
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 && expedited_barrier()) return {};
  return fmt::format("this system refuses membarrier(2): {}", std::strerror(errno));
}

std::string why_no_rseq() {
#if SM_HAS_RSEQ
  if (__rseq_size > 0) return {};
  return "glibc has no restartable sequence registered here: the kernel is older than 4.18, or "
         "refuses rseq(2), or glibc.pthread.rseq is 0 in GLIBC_TUNABLES";
#else
  return "restartable sequences: this build has them for x86-64 with glibc 2.35 or newer only";
#endif
}

per_cpu_counters::per_cpu_counters()
    : all_(most_cpus), counters_{all_.data()},
#if SM_HAS_RSEQ
      area_{__rseq_offset}
#else
      area_{0}
#endif
{
}

std::string per_cpu_counters::check(std::uint64_t ops) const {
  const auto sum =
      std::accumulate(all_.begin(), all_.end(), std::uint64_t{0},
                      [](std::uint64_t all, const counter& c) { return all + c.value; });
  if (sum == ops) return {};
  return fmt::format("the counters of all CPUs add up to {}, not {}", sum, ops);
}

}  // namespace syncmeter::posix
