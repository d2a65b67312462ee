#include "driver/advise/equal_work.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/host/host_rig.hpp"
#include "core/ops/spun_work.hpp"
#include "driver/advise/advise.hpp"
#include "driver/advise/rank_sum.hpp"
#include "driver/advise/run_delay.hpp"
#include "driver/advise/seconds_text.hpp"
#include "driver/advise/site_costs.hpp"

namespace syncmeter {

namespace {

using std::chrono::steady_clock;

/// How much a neighbour slows them differs.
constexpr std::size_t kinds_of_work = 2;

/// Of a thread in a round: work of each kind, one after the other.
struct worked_round {
  struct piece {
    steady_clock::time_point begin, end;
  };
  std::array<piece, kinds_of_work> of_kind;
};
struct team_pieces {
  std::vector<std::vector<worked_round>> of;  // of each thread, by round
  std::vector<std::vector<int>> cpus;         // likewise
  /// How long each had no processor before a round, and at the end; nothing where the system does
  /// not tell.
  std::vector<std::vector<std::optional<double>>> run_delay_ns;

  /// Of all threads, from this round on.
  [[nodiscard]] std::optional<double> run_delay_s_from(std::size_t round) const {
    double all_ns = 0;
    for (const auto& of_thread : run_delay_ns) {
      if (!of_thread.back() || !of_thread[round]) return std::nullopt;
      all_ns += *of_thread.back() - *of_thread[round];
    }
    return all_ns * 1e-9;
  }
  [[nodiscard]] double threads_s_from(std::size_t round) const {
    std::chrono::duration<double> all{};
    for (const auto& mine : of)
      all += mine.back().of_kind.back().end - mine[round].of_kind[0].begin;
    return all.count();
  }
};

/// When each thread had its work, as one team of them goes.
team_pieces work_in_team(const topology& machine, const std::vector<int>& pus, unsigned threads,
                         unsigned work_ns, std::size_t rounds) {
  const std::uint64_t narrow = ops::narrow_steps_of(work_ns), wide = ops::wide_steps_of(work_ns);
  team_pieces all;
  all.of.resize(threads);
  all.cpus.resize(threads);
  all.run_delay_ns.resize(threads);
  start_gate gate;
  std::promise<bool> is_created;
  const std::shared_future<bool> is_complete = is_created.get_future().share();
  const auto work = [&](unsigned thread) {
    if (!is_complete.get()) return;
    // A thread that may not be bound is where the system puts it.
    if (thread < pus.size()) (void)bind_this_thread(machine, pus[thread]);
    std::vector<worked_round> mine(rounds);
    std::vector<int> cpus;
    cpus.reserve(rounds);
    const run_delay_reader run_delay;
    std::vector<std::optional<double>> delays;
    delays.reserve(rounds + 1);
    for (worked_round& each : mine) {
      delays.push_back(run_delay.read());
      for (std::size_t kind = 0; kind < kinds_of_work; ++kind) {
        gate.wait(threads);
        each.of_kind[kind].begin = steady_clock::now();
        if (kind == 0) ops::spend_narrow(narrow);
        else ops::spend_wide(wide);
        each.of_kind[kind].end = steady_clock::now();
      }
      cpus.push_back(::sched_getcpu());
    }
    delays.push_back(run_delay.read());
    all.run_delay_ns[thread] = std::move(delays);
    all.of[thread] = std::move(mine);
    all.cpus[thread] = std::move(cpus);
  };
  {
    std::vector<std::jthread> team;
    try {
      for (unsigned thread = 0; thread < threads; ++thread) team.emplace_back(work, thread);
    } catch (...) {
      is_created.set_value(false);  // those that were would wait for the others
      throw;
    }
    is_created.set_value(true);
  }
  return all;
}

/// What was added up over pieces of one kind.
struct lateness_sum {
  std::chrono::duration<double, std::nano> late{}, worked{};

  void add(const team_pieces& all, std::size_t kind, std::size_t first_round) {
    for (std::size_t round = first_round; round < all.of.front().size(); ++round) {
      steady_clock::time_point last{};
      for (const auto& mine : all.of) last = std::max(last, mine[round].of_kind[kind].end);
      for (const auto& mine : all.of) {
        const worked_round::piece& each = mine[round].of_kind[kind];
        late += last - each.end;
        worked += each.end - each.begin;
      }
    }
  }
  /// Of the time that the work took, as others may have slowed it.
  [[nodiscard]] double share() const { return late / std::max(worked, decltype(worked)(1)); }
};

/// Of the narrow kind.
void add_pieces(const team_pieces& all, std::size_t first_round,
                std::map<int, std::vector<double>>& ns_of_pu) {
  for (std::size_t thread = 0; thread < all.of.size(); ++thread)
    for (std::size_t round = first_round; round < all.of[thread].size(); ++round) {
      const worked_round::piece& each = all.of[thread][round].of_kind[0];
      ns_of_pu[all.cpus[thread][round]].push_back(
          std::chrono::duration<double, std::nano>(each.end - each.begin).count());
    }
}

}  // namespace

std::size_t first_round_apart(const std::vector<std::vector<int>>& cpus) {
  for (std::size_t round = 0; round < cpus.front().size(); ++round) {
    std::set<int> different;
    for (const std::vector<int>& of_thread : cpus) different.insert(of_thread[round]);
    if (different.size() == cpus.size()) return round;
  }
  return 0;
}

std::vector<slowed_work> slowed_by_pu(std::map<int, std::vector<double>> pieces_ns,
                                      std::size_t rounds) {
  // The greatest mean of many units is that of the fewest pieces, by chance.
  constexpr std::size_t one_in = 10, enough = 20;
  const std::size_t fewest = std::max({one_in, std::min(rounds, enough), rounds / one_in});
  std::vector<slowed_work> all;
  for (auto& [pu, each_ns] : pieces_ns) {
    if (each_ns.size() < fewest) continue;
    const double sum_ns = std::accumulate(each_ns.begin(), each_ns.end(), 0.0);
    const auto tenth = each_ns.begin() + static_cast<std::ptrdiff_t>(each_ns.size() / one_in);
    std::ranges::nth_element(each_ns, tenth);
    all.push_back(
        {.pu = pu, .fast_ns = *tenth, .mean_ns = sum_ns / static_cast<double>(each_ns.size())});
  }
  return all;
}

bool is_disturbed(std::optional<double> run_delay_s, double of_threads_s) {
  return run_delay_s && *run_delay_s > most_disturbance * of_threads_s;
}

equal_work_lateness lateness_of_equal_work(const topology& machine, const std::vector<int>& pus,
                                           unsigned threads, unsigned work_ns, double seconds) {
  constexpr double least_rounds_of_team = 5, most_rounds_of_team = 1e4, ns = 1e9;
  constexpr std::size_t least_rounds = 10;
  const auto rounds =
      static_cast<std::size_t>(std::clamp(seconds * ns / (kinds_of_work * std::max(1U, work_ns)),
                                          least_rounds_of_team, most_rounds_of_team));
  std::array<lateness_sum, kinds_of_work> sums;
  std::optional<double> run_delay_s = 0;
  double threads_s = 0;
  std::map<int, std::vector<double>> narrow_ns;
  std::size_t added = 0;
  const auto begin = steady_clock::now();
  const auto so_far_s = [&] {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  do {
    const team_pieces all = work_in_team(machine, pus, threads, work_ns, rounds);
    const std::size_t first = first_round_apart(all.cpus);
    for (std::size_t kind = 0; kind < kinds_of_work; ++kind) sums[kind].add(all, kind, first);
    add_pieces(all, first, narrow_ns);
    added += rounds - first;
    const std::optional<double> of_team_s = all.run_delay_s_from(first);
    run_delay_s =
        run_delay_s && of_team_s ? std::optional(*run_delay_s + *of_team_s) : std::nullopt;
    threads_s += all.threads_s_from(first);
  } while (so_far_s() < seconds || added < least_rounds);
  const auto by_share = [](const lateness_sum& sum) { return sum.share(); };
  return {.mean_ns = std::ranges::max(sums, {}, by_share).share() * work_ns,
          .rounds = added,
          .is_disturbed = is_disturbed(run_delay_s, threads_s),
          .narrow = slowed_by_pu(std::move(narrow_ns), added)};
}

void add_cost_of_run(std::vector<site>& sites, const std::vector<site>& of_run,
                     const program_run& run, std::size_t number) {
  for (site& to : sites) {
    const auto from =
        std::ranges::find_if(of_run, [&](const site& each) { return is_same_site(to, each); });
    if (from == of_run.end() || !is_timed_meeting(*from)) continue;
    auto cost = cost_of(*from);
    if (!cost) continue;
    cost->run = number;
    cost->wall_s = run.wall_s;
    cost->is_disturbed = is_disturbed(
        run.run_delay_s, std::max(from->times->threads * run.wall_s, run.user_s + run.system_s));
    to.cost_of_runs.push_back(*cost);
  }
}

namespace {

constexpr double level = 0.01;  // of the test
// No order of fewer is as rare.
constexpr std::ptrdiff_t fewest_measurements = 7;

}  // namespace

bool beside_equal_work::is_longer() const {
  if (equal_work_s.empty() || runs_s.empty()) return true;
  return std::ranges::min(runs_s) > std::ranges::max(equal_work_s) ||
         rank_sum_tail(runs_s, equal_work_s) <= level;
}

double beside_equal_work::shown_s() const {
  constexpr std::size_t fewest_of_median = 3;
  return runs_s.size() < fewest_of_median ? std::ranges::min(runs_s) : median(runs_s);
}

double beside_equal_work::by_neighbours_s(double worked_s, unsigned threads) const {
  return worked_s * (1 - 1 / times_slowed) * (threads - 1) / threads;
}

std::string beside_equal_work::why_unsure(double wall_s) const {
  if (equal_work_s.empty()) return "";
  std::string why;
  constexpr double nearly = 0.9;  // runs differ
  if (measured_s > 0 && measured_s < nearly * share_of_run * wall_s)
    why = fmt::format(" Each of these was measured for {} only, as --budget has room for no more, "
                      "and what disturbs a machine now and then is in a longer run rather than in "
                      "them: it may be that.",
                      seconds_text(measured_s));
  if (const double tail = rank_sum_tail(runs_s, equal_work_s); tail > level)
    why += fmt::format(" Chance alone has so few runs longer in one of {:.0f} looks; a longer "
                       "--budget has more.",
                       1 / tail);
  return why;
}

unsigned equal_work_ns(const site& of, const meeting_pace& pace) {
  constexpr double longest_ns = 2e7;
  return static_cast<unsigned>(std::clamp(work_ns(of, pace), 1.0, longest_ns));
}

bool is_about(unsigned value, unsigned wanted, unsigned nothing) {
  return (value <= nothing && wanted <= nothing) || (value <= 2 * wanted && wanted <= 2 * value);
}

point timed_point(point what) {
  what.op = fmt::format("timed_{}", what.op);
  return what;
}

bool is_timed_as(const point& what, const site& of) {
  const std::string_view op =
      of.kind == "region" ? "timed_region_around_work" : "timed_barrier_after_work";
  return what.op == op && what.lanes == of.times->threads &&
         (what.backend == "posix") == (of.kind == "barrier_wait");
}

namespace {

std::ptrdiff_t undisturbed(const auto& all) {
  return std::ranges::count_if(all, [](const auto& each) { return !each.is_disturbed; });
}

/// What is compared of a site.
struct samples_of_site {
  std::vector<site_cost> runs;
  std::vector<price> measurements;

  [[nodiscard]] bool has_enough_undisturbed() const {
    return undisturbed(runs) >= fewest_undisturbed_runs &&
           undisturbed(measurements) >= fewest_measurements;
  }
  void leave_out_disturbed() {
    std::erase_if(runs, [](const site_cost& run) { return run.is_disturbed; });
    std::erase_if(measurements, [](const price& each) { return each.is_disturbed; });
  }
};

/// All timed runs, and what `is_like` has measured of about as much work.
samples_of_site samples_of(const site& of, const site_cost& cost, const meeting_pace& pace,
                           const std::vector<price>& prices,
                           const std::function<bool(const price&)>& is_like) {
  const unsigned work = equal_work_ns(of, pace);
  const auto is_like_in_work = [&](const price& each) {
    return is_like(each) && is_about(each.what.section_ns, work, least_of_equal_work_ns);
  };
  samples_of_site all{.runs = of.cost_of_runs,
                      .measurements = nearest_in_work(prices, work, is_like_in_work)};
  if (all.runs.empty()) all.runs.push_back(cost);
  return all;
}

/// This part of what they take.
beside_equal_work of_part(double site_cost::* part, const site& of, const samples_of_site& all) {
  beside_equal_work found;
  for (const site_cost& run : all.runs) found.runs_s.push_back(run.*part);
  found.runs = all.runs;
  for (const price& each : all.measurements) {
    found.equal_work_s.push_back(each.cost_ns.value * static_cast<double>(of.count) * 1e-9);
    found.measured_s = each.equal_work_s;
  }
  return found;
}

/// Each processing unit beside itself at another time, as one that is always slow is the machine's;
/// over all measurements, as those of one state of the machine alone do not tell it from another.
double times_slowed(const std::vector<price>& equal_work) {
  constexpr double most_slowed = 2;  // by the other thread of a core: what is more has no processor
  std::map<int, slowed_work> of_pu;
  for (const price& each : equal_work)
    for (const slowed_work& narrow : each.narrow) {
      slowed_work& all = of_pu.try_emplace(narrow.pu, narrow).first->second;
      all.fast_ns = std::min(all.fast_ns, narrow.fast_ns);
      all.mean_ns = std::max(all.mean_ns, narrow.mean_ns);
    }
  double times = 1;
  for (const auto& [pu, all] : of_pu) times = std::max(times, all.mean_ns / all.fast_ns);
  return std::min(times, most_slowed);
}

/// How many times as long the work of a site is as work that stands for it: threads of more work
/// come later, and those of less not less late.
double times_as_long(const site& of, const meeting_pace& pace, const point& equal_work) {
  return std::max(1.0, work_ns(of, pace) / std::max(1U, equal_work.section_ns));
}

samples_of_site samples_of_lateness(const site& of, const site_cost& cost, const meeting_pace& pace,
                                    const std::vector<price>& prices) {
  samples_of_site all = samples_of(of, cost, pace, prices, [&](const price& each) {
    return each.what.op == equal_work_name && each.what.lanes == of.times->threads;
  });
  for (price& each : all.measurements) each.cost_ns.value *= times_as_long(of, pace, each.what);
  return all;
}

}  // namespace

beside_equal_work lateness_beside(const site& of, const site_cost& cost, const meeting_pace& pace,
                                  const std::vector<price>& prices) {
  samples_of_site all = samples_of_lateness(of, cost, pace, prices);
  const bool is_undisturbed = all.has_enough_undisturbed();
  if (is_undisturbed) all.leave_out_disturbed();
  beside_equal_work found = of_part(&site_cost::lateness_s, of, all);
  found.times_slowed = times_slowed(all.measurements);
  found.is_undisturbed = is_undisturbed;
  return found;
}

bool needs_undisturbed(const std::vector<site>& sites, double wall_s,
                       const std::vector<price>& prices, std::size_t turns) {
  constexpr std::size_t turns_in_vain = 3;
  const meeting_pace pace = pace_of(sites, wall_s);
  return std::ranges::any_of(sites, [&](const site& of) {
    if (!is_timed_meeting(of) || !waits_for_late_threads(of)) return false;
    const samples_of_site all = samples_of_lateness(of, *cost_of(of), pace, prices);
    const bool is_in_vain = undisturbed(all.runs) == 0 || undisturbed(all.measurements) == 0;
    return !all.measurements.empty() && !all.has_enough_undisturbed() &&
           (turns < turns_in_vain || !is_in_vain);
  });
}

beside_equal_work mechanism_beside(const site& of, const site_cost& cost, const meeting_pace& pace,
                                   const std::vector<price>& prices) {
  return of_part(&site_cost::mechanism_s, of,
                 samples_of(of, cost, pace, prices,
                            [&](const price& each) { return is_timed_as(each.what, of); }));
}

}  // namespace syncmeter
