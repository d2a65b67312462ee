// How late threads come on this machine that have the same work: its processors are unequally fast,
// and others take them for a while. No schedule of a program's is to blame for so much.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/topology.hpp"
#include "driver/advise/counts.hpp"
#include "driver/advise/prices.hpp"
#include "driver/advise/program_runs.hpp"

namespace syncmeter {

/// What stands in a price's point for an op: how late a thread comes is its cost.
inline constexpr std::string_view equal_work_name = "equal_work";

/// Whether others had the processors of threads that were ready to run and had none for so long, in
/// so many seconds of all of these together; what is not known disturbs nothing.
[[nodiscard]] bool is_disturbed(std::optional<double> run_delay_s, double of_threads_s);

/// Of a team's threads the processor that each was on, by round: the first round in which none
/// shared one. New threads do so for tens of ms, until the system moves them. 0 where they always
/// share.
[[nodiscard]] std::size_t first_round_apart(const std::vector<std::vector<int>>& cpus);

struct equal_work_lateness {
  double mean_ns = 0;
  std::size_t rounds = 0;  ///< that the mean is over
  bool is_disturbed = false;
  std::vector<slowed_work> narrow{};
};
/// Of pieces of the same work by the processing unit that did them, in so many rounds of a team;
/// nothing of one that did fewer than a tenth of a thread's, 20, or all of them.
[[nodiscard]] std::vector<slowed_work> slowed_by_pu(std::map<int, std::vector<double>> pieces_ns,
                                                    std::size_t rounds);
/// From a thread's arrival to the last one's, in ns, the mean over threads and over the rounds that
/// this time has room for. New teams go on until it is over at least 10, without those at the
/// beginning of a team in which threads share a processor. Each thread has work of so many ns,
/// which touches no memory, and spins until all have theirs. How much others on the same core slow
/// a thread is by what it does, from a tenth to twice, and which of a host's processors share a
/// core a virtual machine may not know: of two kinds of work, narrow and wide, the one whose
/// threads come later, as a share of the time that it took. `pus`: one for each thread; empty:
/// wherever the system puts them. Throws std::system_error where it gives no more threads.
[[nodiscard]] equal_work_lateness lateness_of_equal_work(const topology& machine,
                                                         const std::vector<int>& pus,
                                                         unsigned threads, unsigned work_ns,
                                                         double seconds);

/// The length of equal work that is measured for a site: that of its own work, in whole ns.
[[nodiscard]] unsigned equal_work_ns(const site& of, const meeting_pace& pace);
/// Work shorter than this is all taken as next to nothing.
inline constexpr unsigned least_of_equal_work_ns = 16;
/// Half as much to twice as much, or both next to nothing.
[[nodiscard]] bool is_about(unsigned value, unsigned wanted, unsigned nothing);

/// What stands in a price's point for an op that was timed around equal work: no price of it.
[[nodiscard]] point timed_point(point what);
/// Whether it is of an op as a site's, in a team as large.
[[nodiscard]] bool is_timed_as(const point& what, const site& of);

/// Notes with each site what it took in another timed run, the one of this number. How long threads
/// had no processor is of the site's team and of all others: it is judged by the CPU time, also
/// that of the system for them, where all took more than the team could.
void add_cost_of_run(std::vector<site>& sites, const std::vector<site>& of_run,
                     const program_run& run, std::size_t number);

/// What a thread takes at a site in each timed run of the program, and what threads with equal work
/// do where that is measured in turn with these runs, as often and about as long as the site's:
/// what is measured of other work says nothing of it.
struct beside_equal_work {
  std::vector<double> runs_s;
  std::vector<double> equal_work_s;
  std::vector<site_cost> runs{};  ///< those that `runs_s` is of
  double measured_s = 0;          ///< how long each of the latter was measured; 0: not known
  bool is_undisturbed = false;    ///< those in which others had the processors are left out
  double times_slowed = 1;  ///< as long takes equal work on a processing unit when others share
                            ///< its core, as on the same one at another time

  /// Whether the program takes longer, by the ranks of all: what disturbs a machine comes and goes,
  /// and meets some of either. Of so few that no order of them shows it each run must take longer
  /// than all equal work. Without equal work it is not known not to.
  [[nodiscard]] bool is_longer() const;
  /// What these runs show that a thread takes: the median, and of two runs the less of both, as
  /// the middle of two is half of what disturbed one of them.
  [[nodiscard]] double shown_s() const;
  /// How late threads come, of one's path, where in so many seconds of work one alone of so many is
  /// slowed as much as any with equal work was. How unequally the threads of one core are served is
  /// by what they do: equal work need not show it, but no neighbour makes them later.
  [[nodiscard]] double by_neighbours_s(double worked_s, unsigned threads) const;
  /// What makes that less sure, with a leading space, of runs of so many seconds: each equal work
  /// is short beside them, or they are so few that chance alone may have them longer. Empty where
  /// nothing does.
  [[nodiscard]] std::string why_unsure(double wall_s) const;
};
/// How long they wait for the last one: of the only run `cost`, where there is no other one.
[[nodiscard]] beside_equal_work lateness_beside(const site& of, const site_cost& cost,
                                                const meeting_pace& pace,
                                                const std::vector<price>& prices);
/// Whether more timed runs and equal work are wanted, as others had the processors in most of those
/// that a site with late threads has, after so many turns of more: not after three of these where
/// none of all is without others, as where a program has more threads than processing units.
[[nodiscard]] bool needs_undisturbed(const std::vector<site>& sites, double wall_s,
                                     const std::vector<price>& prices, std::size_t turns);
/// How long they take from its arrival on, of a region with the begin; likewise, but none is left
/// out: of equal work that a worker has timed it is not known whether others had the processors.
[[nodiscard]] beside_equal_work mechanism_beside(const site& of, const site_cost& cost,
                                                 const meeting_pace& pace,
                                                 const std::vector<price>& prices);

}  // namespace syncmeter
