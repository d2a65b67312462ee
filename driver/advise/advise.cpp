#include "driver/advise/advise.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "core/harness/stats.hpp"
#include "driver/advise/cuda_rules.hpp"
#include "driver/advise/device_code.hpp"
#include "driver/advise/equal_work.hpp"
#include "driver/advise/kernel_forms.hpp"
#include "driver/advise/kernel_rules.hpp"
#include "driver/advise/objects.hpp"
#include "driver/advise/preload.hpp"
#include "driver/advise/price_meter.hpp"
#include "driver/advise/probe_settings.hpp"
#include "driver/advise/run_alone.hpp"
#include "driver/advise/run_models.hpp"
#include "driver/advise/samples.hpp"
#include "driver/advise/site_costs.hpp"
#include "driver/campaign/cpu_use.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/process_tree.hpp"
#include "driver/workers/start_program.hpp"
#include "probe/tables.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t most_pairs_of_runs = 5, most_further_turns = 15, least_spans = 3;

/// Whether a process that is not of `before` runs on. Those that end beside the program itself have
/// a moment for it.
bool has_new_process(const std::set<pid_t>& before) {
  using namespace std::chrono_literals;
  for (int look = 0; look < 10; ++look) {
    bool runs_on = false;
    for (const pid_t pid : descendants_of(::getpid()))
      if (!before.contains(pid)) runs_on |= ::waitpid(pid, nullptr, WNOHANG) <= 0;
    if (!runs_on) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

/// Nothing where it was ended since it ran for longer than that.
std::optional<program_run> run_within(std::optional<double> longest_s, program_counts& of,
                                      const std::string& arm,
                                      const std::vector<std::string>& settings) {
  const std::vector<int> allowed = read_cpu_grant().allowed;
  const std::set<pid_t> processes = descendants_of(::getpid());
  const cpu_times before = read_cpu_times(allowed);
  const finished_program done =
      run_in_our_place(of.file.path, of.command, settings, {0, 1, 2}, longest_s);
  const cpu_times after = read_cpu_times(allowed);
  of.leaves_processes |= has_new_process(processes);
  if (done.interrupted_by != 0) {
    of.interrupted_by = done.interrupted_by;
    of.notes.push_back(fmt::format("advise was interrupted by signal {} ({}): runs and prices that "
                                   "were left are missing.",
                                   of.interrupted_by, ::strsignal(of.interrupted_by)));
  }
  if (done.timed_out) return std::nullopt;
  return program_run{.arm = arm,
                     .wall_s = done.wall_s,
                     .user_s = done.user_s,
                     .system_s = done.system_s,
                     .wait_status = done.wait_status,
                     .other_cpu_share =
                         share_of_others(before, after, static_cast<int>(::getpid())),
                     .stolen_cpu_share = share_stolen(before, after),
                     .voluntary_switches = done.voluntary_switches,
                     .involuntary_switches = done.involuntary_switches,
                     .interrupted = done.interrupted_by != 0};
}

program_run run_once(program_counts& of, const std::string& arm,
                     const std::vector<std::string>& settings) {
  return *run_within(std::nullopt, of, arm, settings);
}

/// Keeps the refused processes if this run has more than earlier runs.
void keep_refused(program_counts& of) {
  const auto number = [](const std::vector<refused_processes>& all) {
    std::uint64_t sum = 0;
    for (const refused_processes& each : all) sum += each.number;
    return sum;
  };
  if (number(of.of_last_run.refused) > number(of.refused)) of.refused = of.of_last_run.refused;
}

program_run run_under_probe(program_counts& of, const std::string& arm, const std::string& every) {
  const counts_folder folder;
  program_run run = run_once(of, arm, settings_of_probe(folder, every));
  of.of_last_run = read_counts(folder.paths(), waits_from_ns(costs_of_stamps()));
  keep_refused(of);
  run.cuda_span_s = of.of_last_run.cuda_span_s;
  run.run_delay_s = of.of_last_run.run_delay_s;
  subtract_clock(of.of_last_run, costs_of_stamps().stamp_ns);
  for (const std::string& problem : of.of_last_run.problems_of_cuda)
    add_once(of.notes, fmt::format("Calls of CUDA are not counted: {}.", problem));
  return run;
}

/// From its first call of CUDA on, with nothing else looked at.
void run_for_span(program_counts& of) {
  const counts_folder folder;
  const std::vector<std::string> settings = settings_of_span(folder);
  if (settings.empty()) return;
  program_run run = run_once(of, "span", settings);
  const call_counts found = read_counts(folder.paths(), 0);
  const auto refuse = [&](const std::string& why) {
    add_once(of.notes, fmt::format("How long CUDA is in use without CUPTI is known by wall times "
                                   "alone: {}.",
                                   why));
  };
  for (const std::string& problem : found.problems_of_cuda) refuse(problem);
  if (run.wait_status != of.runs.front().wait_status) {
    refuse("a run for it ended otherwise than the plain one");
    return;
  }
  // Nothing else loads the probe in such a run, and once loaded it leaves a file.
  if (found.processes == 0) {
    refuse("the probe could not be loaded into the CUDA program, which CUDA's driver does without "
           "a word");
    return;
  }
  run.cuda_span_s = found.cuda_span_s;
  if (!run.cuda_span_s && found.problems_of_cuda.empty())
    refuse("a run for it wrote none at its end");
  of.runs.push_back(std::move(run));
}

constexpr const char* patches_name = "syncmeter-patches.fatbin";

/// Of the timed run, what the GPU worked.
double gpu_busy_s(const std::vector<site>& sites) {
  double busy_ns = 0;
  for (const site& each : sites)
    if (each.device) busy_ns += each.device->busy.sum_ns;
  return busy_ns * 1e-9;
}

/// Gives the sites the kernels that are launched there in another run.
void take_kernels(std::vector<site>& sites, std::vector<site>&& of_patched_run) {
  for (site& from : of_patched_run) {
    const auto same =
        std::ranges::find_if(sites, [&](const site& to) { return is_same_site(to, from); });
    if (same != sites.end()) same->kernels = std::move(from.kernels);
  }
}

/// Runs it once more with its kernels patched, where the GPU works for a share of the time that is
/// worth advice: `timed` then has what they update. Such a run takes long: it counts for a fifth of
/// the budget at most, and is none of those that are compared.
void run_patched(program_counts& of, device_codes& codes, call_counts& timed, double budget_s) {
  constexpr double usual_slowdown = 10, share_of_budget = 0.2;
  const program_run& plain = of.runs.front();
  const double busy_s = gpu_busy_s(timed.sites);
  if (busy_s < least_worth_saying * plain.wall_s) return;
  const auto refuse = [&](const std::string& why) {
    of.notes.push_back(fmt::format("What kernels update is not counted: {}.", why));
  };
  const std::string patches = find_own_library(patches_name);
  if (patches.empty()) {
    refuse(
        fmt::format("there is no {} beside the driver; 'syncmeter build cuda' (wheel) or a build "
                    "with nvcc makes it",
                    patches_name));
    return;
  }
  if (plain.wall_s + usual_slowdown * busy_s > budget_s) {
    refuse("a run with patched kernels takes about ten times as long on the GPU, and --budget has "
           "no room for that");
    return;
  }
  const counts_folder folder;
  std::vector<std::string> settings = settings_of_probe(folder, "0");
  settings.push_back(fmt::format("{}={}", probe::patches_variable, patches));
  settings.push_back(fmt::format("{}={:.0f}", probe::patches_ms_variable,
                                 std::max(1.0, share_of_budget * budget_s * 1000)));
  std::optional<program_run> run = run_within(budget_s, of, "kernels", settings);
  if (!run) {
    refuse(
        fmt::format("a run with patched kernels took longer than {:.0f} s and was ended; in it a "
                    "launch waits for the kernels before it in its stream, for ever where one of "
                    "these waits for what the program does later",
                    budget_s));
    return;
  }
  of.runs.push_back(std::move(*run));
  call_counts patched = read_counts(folder.paths(), 0);
  for (const refused_processes& each : patched.refused) refuse(refused_text({each}));
  for (const std::string& problem : patched.problems_of_cuda) refuse(problem);
  take_kernels(timed.sites, std::move(patched.sites));
  find_updates_in_code(of.file.path, codes, timed.sites);
}

double wall_s_of(const std::vector<program_run>& runs) {
  double all_s = 0;
  for (const program_run& run : runs) all_s += run.wall_s;
  return all_s;
}

/// Runs it with its CPU time sampled, where the system allows it: its sites without calls.
std::vector<site> run_sampled(program_counts& of, double plain_s) {
  // A sample each millisecond, and not more than there is memory for.
  constexpr double usual_ns = 1e6, most_samples = 4e6;
  const double cpu_ns = plain_s * 1e9 * static_cast<double>(read_cpu_grant().allowed.size());
  cpu_sampler sampler(static_cast<std::uint64_t>(std::max(usual_ns, cpu_ns / most_samples)));
  if (!sampler.problem().empty()) {
    of.notes.push_back(sampler.problem());
    return {};
  }
  of.runs.push_back(run_once(of, "sample", {}));
  cpu_samples taken = sampler.finish();
  of.sampled = {.period_ns = taken.period_ns,
                .samples = taken.samples.size(),
                .lost = taken.lost,
                .threads_at_work = threads_at_work(taken)};
  sampled_sites found = sites_of_samples(std::move(taken), of.runs.back().wall_s);
  if (!found.problem.empty()) of.notes.push_back(found.problem);
  return std::move(found.sites);
}

/// Returns the calls that acquire locks.
double lock_calls(const std::vector<site>& sites) {
  double calls = 0;
  for (const site& each : sites)
    if (is_for_lock(each)) calls += static_cast<double>(each.count);
  return calls;
}

/// Counts the lock calls by one OpenMP thread, and notes the share in the runs alone.
void note_lock_calls_alone(program_counts& of, const call_counts& timed, double longest_s) {
  const double calls = lock_calls(timed.sites);
  if (calls == 0 || of.runs.back().arm != "alone") return;
  const counts_folder folder;
  std::vector<std::string> settings = settings_of_probe(folder, "0");
  settings.emplace_back("OMP_THREAD_LIMIT=1");
  if (!run_within(longest_s, of, "alone", settings) || of.interrupted_by != 0) return;
  const double share = lock_calls(read_counts(folder.paths(), 0).sites) / calls;
  for (program_run& run : of.runs)
    if (run.arm == "alone" && share > 0) run.lock_call_share = share;
}

/// Runs the program by one thread or on one CPU if a change could remove sharing. Drops disturbed
/// runs, too long runs, and runs with another exit status than the plain run.
void run_alone(program_counts& of, const call_counts& timed, double budget_s) {
  // The plain run's CPU time predicts the run alone.
  constexpr double share_of_budget = 0.3, most_load = 0.1;
  constexpr int most_runs = 3;
  const program_run plain = of.runs.front();
  const cpu_grant grant = read_cpu_grant();
  if (!needs_run_alone(timed, of.timed_run()->wall_s) || grant.allowed.size() < 2 ||
      plain.user_s + plain.system_s > share_of_budget * budget_s)
    return;
  const double longest_s =
      std::min(budget_s, longest_alone_s(plain.wall_s, static_cast<double>(grant.allowed.size())));
  const std::optional<off_t> input = start_of_input();
  const bool is_openmp = uses_openmp_alone(timed.sites);
  double used_s = 0, longest_run_s = 0;
  for (int turn = 0; turn < most_runs && used_s + longest_run_s <= share_of_budget * budget_s;
       ++turn) {
    if (turn > 0 && input) (void)::lseek(STDIN_FILENO, *input, SEEK_SET);
    std::optional<pinned_to_one_cpu> pinned;
    if (!is_openmp) pinned.emplace(grant.allowed);
    std::optional<program_run> run = run_within(
        longest_s, of, "alone",
        is_openmp ? std::vector<std::string>{"OMP_THREAD_LIMIT=1"} : std::vector<std::string>{});
    if (!run || run->wait_status != plain.wait_status || of.interrupted_by != 0) return;
    used_s += run->wall_s;
    longest_run_s = std::max(longest_run_s, run->wall_s);
    const double load = run->other_cpu_share.value_or(0) + run->stolen_cpu_share.value_or(0);
    if (load <= most_load) of.runs.push_back(*std::move(run));
  }
  if (!is_openmp) return;
  if (input) (void)::lseek(STDIN_FILENO, *input, SEEK_SET);
  note_lock_calls_alone(of, timed, longest_s);
}

/// Prices behind each run, as long as there are further ones, and then as many as it takes for an
/// interval; or all from a file.
class prices_in_turn {
 public:
  prices_in_turn(program_counts& of, double budget_s, const results_file* results)
      : of_(of), wanted_(prices_for(of.file, of.of_last_run.sites, of.timed_run()->wall_s,
                                    results ? HUGE_VAL : budget_s)) {
    if (results) {
      of.prices = prices_in_file(*results, of.file, wanted_);
      wanted_.points.clear();
    }
    set_equal_work_time(wanted_, of.timed_run()->wall_s, budget_s - wall_s_of(of.runs));
    meter_.emplace(wanted_);
    const std::size_t points = wanted_.points.size() + wanted_.controls();
    if (points == 0) return;
    print_message(fmt::format("prices of {}: about {:.0f} s", count_text(points, "point", "points"),
                              std::ceil(meter_->seconds() * measurements_of_price)));
    measure();
  }
  void measure() {
    if (seconds() == 0) return;
    meter_->measure(of_.runs.size(), of_.prices);
    ++measured_;
  }
  /// Whether it has too few prices for an interval.
  [[nodiscard]] bool is_wide() const { return measured_ < measurements_of_price && seconds() > 0; }
  void finish() {
    while (is_wide()) measure();
    of_.notes.insert(of_.notes.end(), wanted_.notes.begin(), wanted_.notes.end());
  }
  [[nodiscard]] double seconds() const { return meter_ ? meter_->seconds() : 0; }
  /// Of the measurements that an interval needs yet.
  [[nodiscard]] double seconds_left() const {
    return is_wide() ? static_cast<double>(measurements_of_price - measured_) * seconds() : 0;
  }
  /// Whether threads may wait because of the machine: then further runs are timed, in turn with
  /// equal work.
  [[nodiscard]] bool has_equal_work() const { return wanted_.controls() > 0; }
  void measure_equal_work() { meter_->measure_equal_work(of_.runs.size(), of_.prices); }
  [[nodiscard]] double equal_work_seconds() const { return meter_->equal_work_seconds(); }

 private:
  program_counts& of_;
  wanted_prices wanted_;
  std::optional<price_meter> meter_;
  std::size_t measured_ = 0;
};

}  // namespace

std::optional<off_t> start_of_input() {
  struct stat status = {};
  const bool again =
      ::fstat(STDIN_FILENO, &status) == 0 && (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode));
  if (!again) return std::nullopt;
  return S_ISREG(status.st_mode) ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
}

const program_run* program_counts::timed_run() const {
  const auto found = std::ranges::find(runs, "time", &program_run::arm);
  return found == runs.end() ? nullptr : &*found;
}

namespace {

program_counts make_runs(const std::vector<std::string>& command, double budget_s,
                         const results_file* results) {
  program_counts of{.command = command,
                    .file = look_at_program(command.front()),
                    .runs = {},
                    .of_last_run = {},
                    .advices = {},
                    .notes = {}};
  if (has_variable(injection_variable))
    of.notes.push_back(fmt::format("Calls of CUDA are not counted: {} is set already, to {}.",
                                   injection_variable, printable(std::getenv(injection_variable))));
  if (const char* const tools = kokkos_tools_set())
    of.notes.push_back(fmt::format("Kernels of Kokkos are not named: {} is set already, to {}.",
                                   tools, printable(std::getenv(tools))));
  for (const std::string& note : of.file.notes) print_message(note);
  const std::optional<off_t> input = start_of_input();
  if (!input) {
    of.notes.emplace_back("Standard input is a pipe, which can be read once: the program ran once, "
                          "timed, and what counting costs is not known.");
    of.runs.push_back(run_under_probe(of, "time", "10,64"));
    if (of.interrupted_by == 0) prices_in_turn(of, budget_s, results).finish();
    return of;
  }
  const auto read_input_again = [&] { (void)::lseek(STDIN_FILENO, *input, SEEK_SET); };
  const auto run_plain = [&] {
    read_input_again();
    of.runs.push_back(run_once(of, "plain", {}));
  };
  const auto run_counted = [&](const std::string& arm, const std::string& every) {
    read_input_again();
    of.runs.push_back(run_under_probe(of, arm, every));
  };
  const auto killed = [&] {
    return of.interrupted_by != 0 ||
           (WIFSIGNALED(of.runs.back().wait_status) && of.of_last_run.processes > 0);
  };
  run_plain();
  if (of.interrupted_by != 0) return of;
  run_counted("count", "0");
  if (killed()) return of;
  const double pair_s = of.runs[0].wall_s + of.runs[1].wall_s;
  const double counted_s = of.runs[1].wall_s;
  read_input_again();
  std::vector<site> sampled = run_sampled(of, of.runs[0].wall_s);
  if (of.interrupted_by != 0) return of;
  const std::string every = timed_every(of.of_last_run.sites, counted_s);
  run_counted("time", every);
  call_counts timed = of.of_last_run;
  device_codes codes;
  add_sites_of_kernels(of.file.path, of.runs.back().wall_s, codes, timed, of.notes);
  std::ranges::move(sampled, std::back_inserter(timed.sites));
  if (killed()) {
    of.of_last_run = std::move(timed);
    return of;
  }
  const double timed_s = of.runs.back().wall_s;
  read_input_again();
  run_alone(of, timed, budget_s);
  if (of.interrupted_by != 0) return of;
  const double models_s = run_models(of, timed, budget_s);
  if (of.interrupted_by != 0) return of;
  read_input_again();
  run_patched(of, codes, timed, budget_s);
  of.of_last_run = timed;
  if (of.interrupted_by != 0) return of;
  prices_in_turn prices(of, budget_s, results);
  const auto add_timed_run = [&](const program_run& run) {
    const auto number = static_cast<std::size_t>(&run - of.runs.data()) + 1;
    add_cost_of_run(timed.sites, of.of_last_run.sites, run, number);
  };
  if (prices.has_equal_work()) add_timed_run(*of.timed_run());
  const double timed_turn_s = prices.has_equal_work() ? timed_s + prices.equal_work_seconds() : 0;
  // What starting CUDA takes differs by tenths of a second from run to run.
  const bool has_spans = timed.cuda_span_s && waits_for_host(timed.sites, timed_s);
  const auto run_span = [&] {
    if (!has_spans || killed()) return;
    read_input_again();
    run_for_span(of);
  };
  const double span_s = has_spans ? of.runs.front().wall_s : 0;
  double used_s = pair_s + timed_s + models_s + prices.seconds();
  const double each_s = pair_s + 2 * prices.seconds() + timed_turn_s + span_s;
  for (std::size_t pair = 1; pair < most_pairs_of_runs && used_s + each_s <= budget_s && !killed();
       ++pair) {
    // The order turns round, so that what drifts meets both alike.
    for (const bool counted : {pair % 2 != 0, pair % 2 == 0}) {
      if (counted) run_counted("count", "0");
      else run_plain();
      if (of.interrupted_by != 0) break;
      prices.measure();
    }
    run_span();
    if (prices.has_equal_work() && !killed()) {
      run_counted("time", every);
      if (killed()) break;
      add_timed_run(of.runs.back());
      prices.measure_equal_work();
    }
    used_s += each_s;
  }
  // Where others took the processors now and then, until so many are without them.
  for (std::size_t turn = 0; turn < most_further_turns && used_s + timed_turn_s <= budget_s &&
                             !killed() && needs_undisturbed(timed.sites, timed_s, of.prices, turn);
       ++turn) {
    run_counted("time", every);
    if (killed()) break;
    add_timed_run(of.runs.back());
    prices.measure_equal_work();
    used_s += timed_turn_s;
  }
  for (std::size_t spans = cuda_spans_s(of.runs).size();
       spans < least_spans && used_s + span_s <= budget_s; ++spans, used_s += span_s)
    run_span();
  // The prices that are left are in turn with runs, too, where these are short beside them and the
  // budget has room for both: no bound is then of one run alone.
  for (const double plain_s = of.runs.front().wall_s; prices.is_wide() && !killed();) {
    if (plain_s <= prices.seconds() && used_s + plain_s + prices.seconds_left() <= budget_s) {
      run_plain();
      used_s += plain_s;
    }
    prices.measure();
    used_s += prices.seconds();
  }
  if (of.interrupted_by == 0) prices.finish();
  of.of_last_run = std::move(timed);
  return of;
}

}  // namespace

program_counts count_calls(const std::vector<std::string>& command, double budget_s,
                           const results_file* results) {
  require_probe();
  require_libraries_of_this_layout();
  program_counts of = make_runs(command, budget_s, results);
  // A part of a run has counts, and no time that is compared with another run's.
  if (of.runs.size() > 1 && of.runs.back().interrupted && of.timed_run() != &of.runs.back())
    of.runs.pop_back();
  return of;
}

}  // namespace syncmeter
