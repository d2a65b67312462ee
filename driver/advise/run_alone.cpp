#include "driver/advise/run_alone.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "driver/advise/experiments.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

bool pin_to(const std::vector<int>& cpus) {
  // Linux has at most 8192 CPUs.
  constexpr std::size_t most_cpus = 8192;
  cpu_set_t* const set = CPU_ALLOC(most_cpus);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(most_cpus);
  CPU_ZERO_S(bytes, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  const bool done = ::sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return done;
}

}  // namespace

pinned_to_one_cpu::pinned_to_one_cpu(const std::vector<int>& allowed) {
  if (allowed.size() > 1 && pin_to({allowed.back()})) before_ = allowed;
}

pinned_to_one_cpu::~pinned_to_one_cpu() {
  if (!before_.empty()) (void)pin_to(before_);
}

bool uses_openmp_alone(const std::vector<site>& sites) {
  const bool has_regions =
      std::ranges::any_of(sites, [](const site& each) { return each.kind == "region"; });
  return has_regions && std::ranges::none_of(sites, [](const site& each) {
           return each.kind == "create" && !is_of_openmp(each);
         });
}

bool needs_run_alone(const call_counts& timed, double wall_s) {
  constexpr std::array<std::string_view, 4> shared{"atomic", "chunk", "task", "rwlock_read"};
  double uses = 0;
  for (const site& each : timed.sites)
    if (contains(shared, std::string_view(each.kind)))
      uses += static_cast<double>(std::max<std::uint64_t>(1, each.count));
  if (is_worth(experiment::alone_shared, uses)) return true;
  return std::ranges::any_of(objects_of(timed), [&](const lock_object& lock) {
    return is_worth(experiment::alone_lock, lost_share(lock, wall_s, costs_of_stamps()));
  });
}

double longest_alone_s(double plain_s, double cpus) {
  constexpr double times_the_work = 5;
  return times_the_work * plain_s * std::max(1.0, cpus);
}

unsigned most_threads(const std::vector<site>& sites) {
  std::uint64_t created = 0;
  unsigned team = 0;
  for (const site& each : sites) {
    if (each.kind == "create") created += each.count;
    team = std::max({team, each.team, each.threads});
  }
  constexpr std::uint64_t more_than_any_machine_has = 1U << 20U;
  return std::max(team, static_cast<unsigned>(std::min(created + 1, more_than_any_machine_has)));
}

void bound_by_run_alone(advice& each, const std::vector<site>& sites,
                        const advice_setting& setting) {
  if (!each.removes || !setting.alone_cpu_s || setting.allowed_pus == 0) return;
  // removed_work is an upper estimate, and the bound a lower one.
  const double stays_s =
      std::max(0.0, *setting.alone_cpu_s * (1 - each.removes->cpu_share) - each.removes->cpu_s);
  const double at_once = std::max(1.0, std::min<double>(most_threads(sites), setting.allowed_pus));
  const double least_after_s = stays_s / at_once;
  if (setting.counts_alone && setting.plain_wall_s.high > 0) {
    each.run_s = setting.plain_wall_s.high;
    each.at_most_s = std::max(0.0, each.run_s - least_after_s);
    each.at_least_s = std::min(each.at_least_s, each.at_most_s);
    each.of_plain_runs = true;
    return;
  }
  each.at_most_s = std::min(each.at_most_s, std::max(0.0, each.run_s - least_after_s));
  each.at_least_s = std::min(each.at_least_s, each.at_most_s);
}

}  // namespace syncmeter
