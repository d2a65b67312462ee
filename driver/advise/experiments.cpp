#include "driver/advise/experiments.hpp"

#include <algorithm>
#include <array>

namespace syncmeter {
namespace {

constexpr auto limits = std::to_array<double>({
#define SM_EXPERIMENT(name, subject, fact, least, words) least,
#include "record/experiments.def"
});

}  // namespace

bool is_worth(experiment which, double fact) {
  return fact >= limits[static_cast<std::size_t>(which)];
}

double lost_share(const lock_object& lock, double wall_s, const stamp_costs& costs) {
  const double free_ns = costs.lock_pair_ns * static_cast<double>(lock.acquisitions);
  const auto threads = static_cast<double>(std::max<std::size_t>(1, lock.threads.size()));
  return std::max(0.0, lock.call_ns - free_ns) * 1e-9 / threads / wall_s;
}

}  // namespace syncmeter
