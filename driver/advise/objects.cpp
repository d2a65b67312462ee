#include "driver/advise/objects.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "driver/advise/site_costs.hpp"

namespace syncmeter {
namespace {

/// The least of many of these intervals, in ns.
double least_ns(const auto& act) {
  using clock = std::chrono::steady_clock;
  constexpr int times = 1000;
  std::chrono::nanoseconds least = std::chrono::seconds(1);
  for (int i = 0; i < times; ++i) {
    const auto begun = clock::now();
    act();
    least = std::min<std::chrono::nanoseconds>(least, clock::now() - begun);
  }
  return static_cast<double>(least.count());
}

/// One call in so many is drawn, of all locks; 0: not known.
std::uint64_t drawn_one_in(const std::vector<site>& sites) {
  std::uint64_t every = 0;
  for (const site& of : sites)
    if (of.times && !of.locks.empty()) every = std::max<std::uint64_t>(every, of.times->every);
  return every;
}

/// How many of a site's calls were not drawn though chance would have: as many as stand for the
/// half that was not timed, where that is a lot. Of 50 that chance draws in the mean it draws less
/// than half once in 15,000 times, and of 20 once in 200, so that one of many locks would have it.
std::uint64_t hidden_of(const lock_use& use, std::uint64_t every) {
  constexpr std::uint64_t many = 50;
  const std::uint64_t stand_for = use.timed * every;
  return every > 0 && use.count >= many * every && 2 * stand_for < use.count ? use.count - stand_for
                                                                             : 0;
}

}  // namespace

const stamp_costs& costs_of_stamps() {
  static const stamp_costs costs = [] {
    std::mutex own;
    const auto acquire = [&] {
      own.lock();
      own.unlock();
    };
    stamp_costs found{.stamp_ns = least_ns([] {}), .free_lock_ns = least_ns(acquire)};
    std::thread([&] {
      constexpr int pairs = 100;
      const double all_ns = least_ns([&] {
        for (int i = 0; i < pairs; ++i) acquire();
      });
      found.lock_pair_ns = std::max(0.0, all_ns - found.stamp_ns) / pairs;
    }).join();
    return found;
  }();
  return costs;
}

double waits_from_ns(const stamp_costs& costs) {
  constexpr double well_above = 8;
  return well_above * costs.free_lock_ns;
}

void subtract_clock(call_counts& counts, double stamp_ns) {
  const auto subtract = [&](double& sum_ns, double looks) {
    sum_ns = std::max(0.0, sum_ns - looks * stamp_ns);
  };
  const auto subtract_from = [&](interval_times& times, double events, double looks) {
    subtract(times.sum_ns, looks * events);
    subtract(times.median_ns, looks);
    times.long_ns = std::min(times.long_ns, times.sum_ns);
  };
  for (site& of : counts.sites) {
    if (!of.times) continue;
    const auto of_site = static_cast<double>(of.times->timed);
    for (interval_times* const each :
         {&of.times->mechanism, &of.times->call, &of.times->held, &of.times->work})
      subtract_from(*each, of_site, 1);
    if (of.kind == "region") {
      subtract(of.times->fork_ns, of_site * of.times->threads);
      subtract(of.times->inside_ns, of_site * of.times->threads);
    }
    for (auto& [number, use] : of.locks) {
      const auto timed = static_cast<double>(use.timed);
      subtract(use.call_ns, timed);
      subtract(use.contended_call_ns, static_cast<double>(use.contended));
      subtract(use.held_ns, timed);
      subtract(use.short_held_ns, 1);
    }
  }
}

std::vector<lock_object> objects_of(const call_counts& counts) {
  std::map<std::uint64_t, lock_object> by_number;
  // Of acquisitions at sites where none was timed, what it was at the others.
  std::map<std::uint64_t, std::uint64_t> counted_where_timed, counted;
  const std::uint64_t every = drawn_one_in(counts.sites);
  for (std::size_t i = 0; i < counts.sites.size(); ++i) {
    for (const auto& [number, use] : counts.sites[i].locks) {
      lock_object& of = by_number[number];
      of.number = number;
      of.kind = find_call(counts.sites[i].kind).lock;
      of.ids.push_back(i + 1);
      of.acquisitions += use.count;
      if (counts.sites[i].kind != "cond_wait") of.timed += use.timed;
      of.contended += use.contended;
      const std::uint64_t hidden = hidden_of(use, every);
      of.hidden += hidden;
      if (use.timed == 0) {
        if (hidden == 0) counted[number] += use.count;
        continue;
      }
      of.short_held_ns = counted_where_timed.contains(number)
                             ? std::min(of.short_held_ns, use.short_held_ns)
                             : use.short_held_ns;
      counted_where_timed[number] += use.count;
      counted[number] += use.count;
      of.call_ns += use.for_all_calls(use.call_ns);
      of.held_ns += use.for_all_calls(use.held_ns);
      if (counts.sites[i].kind != "rwlock_read") of.exclusive_ns += use.for_all_calls(use.held_ns);
    }
  }
  std::vector<lock_object> all;
  for (auto& [number, of] : by_number) {
    if (of.acquisitions == 0) continue;
    of.known_for = counted[number];
    if (const std::uint64_t timed = counted_where_timed[number]; timed > 0) {
      const double more = static_cast<double>(counted[number]) / static_cast<double>(timed);
      of.call_ns *= more;
      of.held_ns *= more;
      of.exclusive_ns *= more;
    }
    if (const auto owners = counts.owners.find(number); owners != counts.owners.end()) {
      of.address = owners->second.address;
      of.threads = owners->second.threads;
      if (owners->second.followed > 0)
        of.owner_changes = static_cast<double>(owners->second.changes) /
                           static_cast<double>(owners->second.followed) *
                           static_cast<double>(of.acquisitions - 1);
    }
    all.push_back(std::move(of));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &lock_object::held_ns);
  return all;
}

}  // namespace syncmeter
