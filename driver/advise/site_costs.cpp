#include "driver/advise/site_costs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/harness/stats.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// The mean time of one region, from the call to the return.
double region_ns(const site& of) {
  const site_times& times = *of.times;
  return ((times.fork_ns + times.inside_ns + times.lateness.sum_ns) / times.threads +
          times.mechanism.sum_ns) /
         static_cast<double>(times.timed);
}

/// The one in the source, of which compilers make others for its regions; empty: not known.
std::string_view function_of(const site& of) {
  if (of.frames.empty()) return "";
  std::string_view name = of.frames.back().function;
  for (const std::string_view part : {" [clone ", "._omp_fn", ".omp_outlined"})
    name = name.substr(0, name.find(part));
  return name;
}

bool may_be_of_one_function(const site& a, const site& b) {
  const std::string_view one = function_of(a), other = function_of(b);
  return one.empty() || other.empty() || (one == other && a.module == b.module);
}

/// Made in teams of this size.
std::uint64_t tasks_in(const std::vector<site>& sites, unsigned team) {
  std::uint64_t tasks = 0;
  for (const site& each : sites)
    if (each.kind == "task" && each.team == team) tasks += each.count;
  return tasks;
}

}  // namespace

double start_ns(const site& of) {
  const site_times& times = *of.times;
  const auto timed = static_cast<double>(times.timed);
  if (of.kind == "region") return times.fork_ns / (times.threads * timed);
  const double waiting = timed * (times.threads - 1) / times.threads;
  return std::max(0.0, times.mechanism.sum_ns - times.mechanism.long_ns) / waiting;
}

bool waits_for_late_threads(const site& of) {
  return of.times->lateness.median_ns > of.times->mechanism.median_ns + start_ns(of);
}

std::optional<site_cost> cost_of(const site& of) {
  if (!of.times || of.times->timed == 0 || of.kind == "signal") return std::nullopt;
  const site_times& times = *of.times;
  constexpr double s = 1e-9;
  const double threads = std::max(1U, times.threads);
  // A region is timed once for all its threads; of a barrier each thread times its own part.
  const bool region = of.kind == "region";
  const double events = static_cast<double>(times.timed) / (region ? 1 : threads);
  const double each = static_cast<double>(of.count) / events * s;
  if (times.threads == 0) {
    const double of_thread = each / std::max(1U, of.threads);
    return site_cost{.lateness_s = times.lateness.sum_ns * of_thread,
                     .mechanism_s = times.mechanism.sum_ns * of_thread,
                     .call_s = times.call.sum_ns * of_thread,
                     .held_s = times.held.sum_ns * of_thread,
                     .work_s = times.work.sum_ns * of_thread};
  }
  return site_cost{.lateness_s = times.lateness.sum_ns * each / threads,
                   .mechanism_s = region ? (times.mechanism.sum_ns + times.fork_ns / threads) * each
                                         : times.mechanism.sum_ns * each / threads};
}

unsigned threads_at(std::span<const std::size_t> ids, const std::vector<site>& sites) {
  std::set<std::uint64_t> callers;
  unsigned unknown = 0;
  for (const std::size_t id : ids) {
    const site& of = sites[id - 1];
    callers.insert(of.callers.begin(), of.callers.end());
    if (of.callers.empty()) unknown += of.threads;
  }
  return std::max(1U, static_cast<unsigned>(callers.size()) + unknown);
}

part_of_waits waits_for(const std::set<std::uint64_t>& conditions, const site& of) {
  part_of_waits found;
  double here = 0, all = 0;
  for (const auto& [number, use] : of.conditions) {
    all += static_cast<double>(use.waits);
    if (!conditions.contains(number)) continue;
    here += static_cast<double>(use.waits);
    found.calls += use.calls;
    found.waiters.insert(use.waiters.begin(), use.waiters.end());
  }
  if (all > 0) found.share = here / all;
  return found;
}

std::vector<site_cost> undisturbed_runs(std::vector<site_cost> runs) {
  const auto is_disturbed = [](const site_cost& run) { return run.is_disturbed; };
  if (std::ranges::count_if(runs, std::not_fn(is_disturbed)) >= fewest_undisturbed_runs)
    std::erase_if(runs, is_disturbed);
  return runs;
}

site_cost median_of_runs(const std::vector<site_cost>& runs) {
  std::vector<double> lateness_s, mechanism_s;
  for (const site_cost& run : runs) {
    lateness_s.push_back(run.lateness_s);
    mechanism_s.push_back(run.mechanism_s);
  }
  return {.lateness_s = median(lateness_s), .mechanism_s = median(mechanism_s)};
}

run_waits longest_waits(const std::vector<site_cost>& runs, double (*part)(const site_cost&),
                        double longest_s) {
  run_waits most;
  for (const site_cost& run : runs) {
    const double more_s = longest_s - run.wall_s;
    const bool is_timed = more_s < least_worth_saying * run.wall_s;
    const double run_s = is_timed ? run.wall_s : longest_s;
    const double waits_s = std::min(part(run) + (is_timed ? 0 : more_s), run_s);
    if (most.run_s == 0 || waits_s * most.run_s > most.waits_s * run_s)
      most = {.waits_s = waits_s, .run_s = run_s, .is_timed = is_timed};
  }
  return most;
}

void add_cost_of_runs(const std::vector<site_cost>& from, std::vector<site_cost>& to) {
  for (const site_cost& each : from) {
    const auto same = std::ranges::find(to, each.run, &site_cost::run);
    if (same == to.end()) {
      to.push_back(each);
      continue;
    }
    same->lateness_s += each.lateness_s;
    same->mechanism_s += each.mechanism_s;
    same->is_disturbed |= each.is_disturbed;
  }
  std::ranges::stable_sort(to, {}, &site_cost::run);
}

bool is_timed_meeting(const site& of) {
  return of.times && of.times->timed > 0 && of.times->threads > 1;
}

meeting_pace pace_of(const std::vector<site>& sites, double wall_s) {
  constexpr double ns = 1e9;
  double in_regions_ns = 0, regions = 0, in_barriers_ns = 0, barriers = 0;
  for (const site& each : sites) {
    if (!is_timed_meeting(each)) continue;
    const auto count = static_cast<double>(each.count);
    if (each.kind == "region") {
      in_regions_ns += count * region_ns(each);
      regions += count;
      continue;
    }
    const site_cost cost = cost_of(each).value_or(site_cost{});
    in_barriers_ns += cost.in_all_s() * ns;
    barriers += count;
  }
  const auto between = [&](double inside_ns, double number) {
    return number == 0 ? 0 : std::max(0.0, (wall_s * ns - inside_ns) / number);
  };
  return {.before_region_ns = between(in_regions_ns, regions),
          .before_barrier_ns = between(in_barriers_ns, barriers)};
}

double in_regions_s(const site& of, const std::vector<site>& sites, double wall_s) {
  double all_s = 0;
  const auto add = [&](const site& region) {
    // One that never returns, or is none of those that are timed, may take all of the run.
    const bool is_known = is_timed_meeting(region) && region.times->timed >= region.count;
    all_s += is_known ? static_cast<double>(region.count) * region_ns(region) * 1e-9 : wall_s;
  };
  if (of.kind == "region") add(of);
  else if (of.kind == "barrier")
    for (const site& each : sites)
      if (each.kind == "region" && each.team == of.team) add(each);
  return all_s > 0 ? std::min(all_s, wall_s) : wall_s;
}

double work_ns(const site& of, const meeting_pace& pace) {
  if (of.kind != "region") return pace.before_barrier_ns;
  return of.times->inside_ns / (of.times->threads * static_cast<double>(of.times->timed));
}

double same_processor_share(const site& of) {
  // A region is timed once for all its threads.
  const double arrivals =
      static_cast<double>(of.times->timed) * (of.kind == "region" ? of.times->threads : 1);
  return arrivals == 0 ? 0 : static_cast<double>(of.times->same_processor) / arrivals;
}

double calls_in_turn(const site& of) {
  const auto all = static_cast<double>(of.count);
  if (of.team != 0 || of.kind == "barrier_wait") return all;
  std::uint64_t for_one_lock = of.locks.empty() && is_for_lock(of) ? of.count : 0;
  for (const auto& [number, use] : of.locks) for_one_lock = std::max(for_one_lock, use.count);
  return std::max(all / std::max(1U, of.threads), static_cast<double>(for_one_lock));
}

double reduction_share(const site& region, const std::vector<site>& all) {
  if (region.kind != "region" || region.frames.empty()) return 0;
  // The compiler gives a reduction the line of its region.
  const source_frame& at = region.frames.front();
  const auto is_there = [&](const source_frame& frame) {
    return at.line != 0 && frame.line == at.line && frame.file == at.file;
  };
  double share = 0;
  for (const site& each : all)
    if (each.kind == "atomic" && each.samples && std::ranges::any_of(each.frames, is_there))
      share += each.samples->path_share;
  return share;
}

bool has_tasks_at_each(const site& of, const std::vector<site>& sites) {
  return tasks_in(sites, of.team) >= of.count;
}

double late_in_team_s(const site& due_to, const std::vector<site>& sites) {
  const std::uint64_t tasks = tasks_in(sites, due_to.team);
  double late_s = 0;
  for (const site& of : sites)
    if (of.team == due_to.team && is_timed_meeting(of) &&
        (due_to.kind == "task" ? of.count <= tasks : may_be_of_one_function(due_to, of)))
      late_s += cost_of(of).value_or(site_cost{}).lateness_s;
  return late_s;
}

double wakings_of_regions(const std::vector<site>& sites) {
  double all = 0;
  for (const site& each : sites)
    if (each.kind == "region" && is_timed_meeting(each))
      all += static_cast<double>(each.count) * (each.times->threads - 1);
  return all;
}

bool is_of_openmp(const site& of) {
  return std::ranges::any_of(std::array{"libgomp", "libomp", "libiomp"}, [&](const char* name) {
    return of.module.find(name) != std::string::npos;
  });
}

std::uint64_t created_by_runtimes(const std::vector<site>& sites) {
  std::uint64_t created = 0;
  for (const site& each : sites)
    if (each.kind == "create" && is_of_openmp(each)) created += each.count;
  return created;
}

double synchronizing_s(const site& of) {
  constexpr std::array<std::string_view, 3> synchronizing_waits{"of_section", "calls", "gpu"};
  const site_cost cost = cost_of(of).value_or(site_cost{});
  if (of.times && of.times->threads > 0) return cost.in_all_s();
  return contains(synchronizing_waits, find_call(of.kind).waits) ? cost.in_calls_s() : 0;
}

}  // namespace syncmeter
