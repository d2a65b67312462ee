#include "driver/advise/prices.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "core/machine/environment.hpp"
#include "core/machine/topology.hpp"
#include "driver/advise/equal_work.hpp"
#include "driver/advise/gpu_points.hpp"
#include "driver/advise/kernel_prices.hpp"
#include "driver/results/estimate.hpp"
#include "driver/results/resume.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t most_points = 6, most_controls = 3;
constexpr const char* on_gpu = "cuda";
// A body or gap beyond these changes a price no more, and would make its visit long.
constexpr double longest_work_ns = 1e5, longest_gap_us = 5000;

/// To one or one and a half times a power of two; below 16 ns to nothing.
unsigned rounded_work(double work) {
  work = std::min(work, longest_work_ns);
  if (work < 16) return 0;
  const double power = std::exp2(std::floor(std::log2(work)));
  return static_cast<unsigned>(work < 1.25 * power   ? power
                               : work < 1.75 * power ? 1.5 * power
                                                     : 2 * power);
}

/// The op that a site's calls are priced by.
struct op_of_site {
  const char* op;
  unsigned size = 0;         ///< the op's axis of that name
  double calls_of_lane = 1;  ///< in one op
};

/// Nothing for a site of which no op is like it. What is entered once cannot be entered less often.
std::optional<op_of_site> op_of(const site& of) {
  if (of.count < 2) return std::nullopt;
  // A loop of 128 iterations for each lane, and a single with 64 tasks for each.
  if (of.kind == "chunk" && of.threads > 1)
    return op_of_site{.op = "for_dynamic", .size = 1, .calls_of_lane = 128};
  if (of.kind == "task" && of.team > 1)
    return op_of_site{.op = "task_by_one", .size = 64, .calls_of_lane = 64};
  if (!is_timed_meeting(of)) return std::nullopt;
  return op_of_site{of.kind == "region" ? "region_around_work" : "barrier_after_work"};
}

/// Threads that meet, share a loop, or do tasks.
unsigned lanes_of(const site& of) {
  return of.kind == "chunk" ? of.threads : of.kind == "task" ? of.team : of.times->threads;
}

/// Chunks and tasks are priced with next to no work.
double priced_work_ns(const site& of, const meeting_pace& pace) {
  return of.kind == "chunk" || of.kind == "task" ? 0 : work_ns(of, pace);
}

double at_most_s(const site& of) {
  // Of tasks nothing is timed: none takes longer than this to make and to hand over.
  constexpr double longest_task_s = 1e-5;
  const auto cost = cost_of(of);
  return of.kind == "task" ? static_cast<double>(of.count) * longest_task_s
         : cost            ? cost->in_all_s()
                           : 0;
}

/// Those that may take a share of the time that is worth advice, what takes most first.
std::vector<site> worth_saying(std::vector<site> sites, double wall_s) {
  std::erase_if(sites, [&](const site& of) { return at_most_s(of) < least_worth_saying * wall_s; });
  std::ranges::stable_sort(sites, std::ranges::greater(), at_most_s);
  return sites;
}

std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// OpenMP does not tell upper from lower case.
std::string word_of(const char* name) {
  std::string word = value_of(name);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

/// As the environment says; where it says nothing threads spin for a while, as they do actively.
wait_policy wait_of_environment() {
  return has_passive_waits() ? wait_policy::passive : wait_policy::active;
}

bool is_near(const point& there, const point& wanted) {
  if (wanted.backend == on_gpu)
    return there.op == wanted.op && there.backend == on_gpu && there.lanes == wanted.lanes &&
           (there.blocks == wanted.blocks ||
            (is_price_of_update(wanted.op) && there.blocks > 1 && wanted.blocks > 1)) &&
           there.size == wanted.size && there.home == wanted.home &&
           there.stride == wanted.stride && there.type == wanted.type &&
           form_of(there) == form_of(wanted);
  return there.op == wanted.op && there.backend == wanted.backend && there.lanes == wanted.lanes &&
         there.affinity == wanted.affinity && there.pus.empty() && there.size == wanted.size &&
         there.type == wanted.type && there.placement == wanted.placement &&
         there.wait == wait_of_environment() &&
         is_about(there.section_ns, wanted.section_ns, least_of_equal_work_ns) &&
         is_about(there.gap_us, wanted.gap_us, 10);
}

/// Whether the file's worker of a backend ran on the program's runtime, as far as it says so.
bool runs_on_runtime_of(const results_file& file, const std::string& backend,
                        const program_file& program) {
  const nlohmann::json::json_pointer library("/runtime/" + backend + "/library");
  return backend == "posix" || backend == on_gpu || program.runtimes.empty() ||
         std::ranges::any_of(file.workers, [&](const nlohmann::json& worker) {
           return worker.value(library, std::string()).find(program.runtimes.front()) !=
                  std::string::npos;
         });
}

/// That has a GPU's op.
std::string_view study_of(const point& p) {
  if (p.scope != scope::none) return "atomics";
  return is_price_of_update(p.op) ? "accumulate" : "levels";
}

std::string lacking_text(const std::string& path, const point& p) {
  // A study's own grids and sizes are few; those that an option names are in their place.
  if (p.backend == on_gpu)
    return fmt::format("{} has no price of {}; this measures it: syncmeter run --study {} "
                       "--backend {} --op {} --blocks {} --threads {}{} --output FILE.",
                       path, price_text(p), study_of(p), p.backend, p.op, p.blocks, p.lanes,
                       p.size == 0 ? "" : fmt::format(" --size {}", p.size));
  if (p.placement != placement::none)
    return fmt::format("{} has no price of {}; this measures it: syncmeter run --study locks "
                       "--backend {} --op {} --threads {} --affinity {} --output FILE.",
                       path, price_text(p), p.backend, p.op, p.lanes, to_text(p.affinity));
  return fmt::format("{} has no price of {}, placed and waiting as the program's; this measures "
                     "it: syncmeter run --study regions --backend {} --op {} --threads {} {}{} "
                     "--affinity {} --wait {} --output FILE.",
                     path, price_text(p), p.backend, p.op, p.lanes,
                     p.size == 0 ? fmt::format("--section {}", p.section_ns)
                                 : fmt::format("--size {}", p.size),
                     p.gap_us == 0 ? "" : fmt::format(" --gap {}", p.gap_us), to_text(p.affinity),
                     to_text(wait_of_environment()));
}

/// One more of these, unless there are `most` or one that will do for it.
void add_point(const point& what, std::size_t most, const topology& machine,
               std::vector<planned_point>& points,
               const std::function<bool(const planned_point&)>& does_for_it) {
  if (points.size() == most || std::ranges::any_of(points, does_for_it)) return;
  points.push_back({.what = what,
                    .pus = machine.place(what.affinity, what.lanes),
                    .same_as = {},
                    .why = {},
                    .visits = 1});
}

/// Threads of POSIX are placed by OpenMP's variables where they are those of a team.
thread_setting setting_for(const std::optional<point>& at, const program_file& program) {
  if (at && at->backend == "posix" && program.runtimes.empty()) return {};
  return setting_of_environment();
}

/// As the site's, or about so, of another one's before.
bool will_do_for(const point& there, const point& wanted) {
  return there.op == wanted.op && there.lanes == wanted.lanes &&
         is_about(there.section_ns, wanted.section_ns, least_of_equal_work_ns);
}

/// Of work as long as a site's.
void add_equal_work(const site& of, const meeting_pace& pace, affinity placed,
                    wanted_prices& wanted) {
  if (of.times->threads > wanted.machine.units().size()) return;
  point p;
  p.op = equal_work_name;
  p.backend = "host";
  p.lanes = of.times->threads;
  p.affinity = placed;
  p.section_ns = equal_work_ns(of, pace);
  add_point(p, most_controls, wanted.machine, wanted.equal_work,
            [&](const planned_point& other) { return will_do_for(other.what, p); });
}

/// Where threads meet with such work, of the op that the site is priced by.
void add_equal_meeting(const site& of, const meeting_pace& pace, point p, wanted_prices& wanted) {
  p.section_ns = equal_work_ns(of, pace);
  if (wanted.equal_meetings.size() == most_controls ||
      std::ranges::any_of(wanted.equal_meetings, [&](const equal_meeting& other) {
        return will_do_for(other.at.what, p);
      }))
    return;
  wanted.equal_meetings.push_back({.at = {.what = p,
                                          .pus = wanted.machine.place(p.affinity, p.lanes),
                                          .same_as = {},
                                          .why = {},
                                          .visits = 1},
                                   .every = of.times->every});
}

}  // namespace

std::string price_text(const point& p) {
  if (p.backend == on_gpu)
    return fmt::format("{}{} on a GPU, {} x {} threads,", p.op,
                       is_price_of_update(p.op)
                           ? fmt::format(" of {}", count_text(p.size, "address", "addresses"))
                       : p.size == 0 ? ""
                                     : " of " + count_text(p.size, "kernel", "kernels"),
                       p.blocks, p.lanes);
  if (p.size != 0) return fmt::format("{} of {} threads and size {}", p.op, p.lanes, p.size);
  if (p.placement != placement::none) return fmt::format("{} of {} threads", p.op, p.lanes);
  return fmt::format("{} of {} threads with {} ns of work", p.op, p.lanes, p.section_ns);
}

std::string unpriced_text(const std::string& why) {
  return fmt::format("What the program calls has no price: {}.", why);
}

std::optional<point> priced_point(const site& of, const meeting_pace& pace,
                                  const program_file& program) {
  const auto like = op_of(of);
  if (!like) return std::nullopt;
  point p;
  p.lanes = lanes_of(of);
  p.section_ns = rounded_work(priced_work_ns(of, pace));
  p.op = like->op;
  p.size = like->size;
  if (of.kind == "barrier_wait") {
    p.backend = "posix";
    return p;
  }
  if (program.runtimes.size() != 1) return std::nullopt;
  p.backend = program.runtimes.front().starts_with("libgomp") ? "omp" : "omp-llvm";
  if (of.kind == "region")
    p.gap_us = rounded_work(std::min(pace.before_region_ns / 1000, longest_gap_us));
  return p;
}

std::vector<price> nearest_in_work(std::vector<price> prices, double work,
                                   const std::function<bool(const price&)>& is_like) {
  std::erase_if(prices, std::not_fn(is_like));
  const auto far = [&](const price& each) {
    return std::abs(std::log((each.what.section_ns + 1) / (work + 1)));
  };
  const auto nearest = std::ranges::min_element(prices, {}, far);
  if (nearest == prices.end()) return {};
  const point what = nearest->what;
  std::erase_if(prices, [&](const price& each) { return !(each.what == what); });
  return prices;
}

std::optional<interval> over_measurements(const std::vector<price>& of_one_point) {
  if (of_one_point.empty()) return std::nullopt;
  std::vector<double> costs;
  for (const price& each : of_one_point) costs.push_back(each.cost_ns.value);
  return costs.size() > 1 ? over_visits(costs) : of_one_point.front().cost_ns;
}

std::optional<interval> price_of(const site& of, const meeting_pace& pace,
                                 const std::vector<price>& prices) {
  const auto like = op_of(of);
  if (!like) return std::nullopt;
  const auto is_like = [&](const price& each) {
    return each.what.lanes == lanes_of(of) && each.what.op == like->op &&
           (each.what.backend == "posix") == (of.kind == "barrier_wait");
  };
  std::optional<interval> over =
      over_measurements(nearest_in_work(prices, priced_work_ns(of, pace), is_like));
  if (!over) return std::nullopt;
  over->low = std::max(0.0, over->low);
  for (double* const bound : {&over->low, &over->value, &over->high}) *bound /= like->calls_of_lane;
  return over;
}

bool has_passive_waits() {
  return word_of("OMP_WAIT_POLICY") == "passive" || value_of("GOMP_SPINCOUNT") == "0" ||
         value_of("KMP_BLOCKTIME") == "0";
}

thread_setting setting_of_environment() {
  thread_setting setting;
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"}) {
    const std::string value = value_of(name);
    // A worker has a policy unless it is left out; a program that has none gets neither.
    setting.settings.push_back(value.empty() ? name : fmt::format("{}={}", name, value));
  }
  for (const char* name : {"GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (!value_of(name).empty())
      setting.why_not_placed = fmt::format("{}={}", name, value_of(name));
  const std::string places = value_of("OMP_PLACES");
  std::string bind = word_of("OMP_PROC_BIND");
  if (bind.empty() && !places.empty()) bind = "true";
  if (bind.empty() || bind == "false") return setting;
  if (bind == "spread") setting.placed = affinity::spread;
  else if (bind == "true" || bind == "close") setting.placed = affinity::close;
  else setting.why_not_placed = fmt::format("OMP_PROC_BIND={}", bind);
  if (!places.empty() && places != "cores" && places != "threads")
    setting.why_not_placed = fmt::format("OMP_PLACES={}", places);
  return setting;
}

wanted_prices prices_for(const program_file& program, const std::vector<site>& sites, double wall_s,
                         double budget_s) {
  wanted_prices wanted;
  const meeting_pace pace = pace_of(sites, wall_s);
  const topology& machine = wanted.machine;
  for (const site& each : worth_saying(sites, wall_s)) {
    auto at = priced_point(each, pace, program);
    const thread_setting its = setting_for(at, program);
    if (is_timed_meeting(each) && waits_for_late_threads(each))
      add_equal_work(each, pace, its.placed, wanted);
    if (!at || at->lanes > machine.units().size()) continue;
    if (!its.why_not_placed.empty()) {
      wanted.notes.push_back(
          unpriced_text("no worker places threads as " + its.why_not_placed + " does"));
      break;
    }
    at->affinity = its.placed;
    add_point(*at, most_points, machine, wanted.points,
              [&](const planned_point& other) { return other.what == *at; });
    if (is_timed_meeting(each) && !waits_for_late_threads(each))
      add_equal_meeting(each, pace, *at, wanted);
  }
  std::ranges::move(gpu_points(sites, wall_s, budget_s, wanted.notes),
                    std::back_inserter(wanted.points));
  return wanted;
}

double seconds_of(const equal_meeting& what, double equal_work_s) {
  constexpr double least_works = 5 * 2 * 4;
  return std::max(equal_work_s, least_works * what.at.what.section_ns * 1e-9);
}

double wanted_prices::seconds_of_controls() const {
  double all_s = static_cast<double>(equal_work.size()) * equal_work_s;
  for (const equal_meeting& each : equal_meetings) all_s += seconds_of(each, equal_work_s);
  return all_s;
}

void set_equal_work_time(wanted_prices& wanted, double wall_s, double room_s) {
  constexpr double usual_s = 0.5;
  const double least_s = std::clamp(wall_s, visit_of_price_s, usual_s);
  const auto measurements =
      static_cast<double>(std::max<std::size_t>(1, wanted.controls()) * measurements_of_price);
  wanted.equal_work_s = std::max(least_s, std::min(share_of_run * wall_s, room_s / measurements));
}

void require_this_machine(const results_file& file) {
  const std::string differs =
      difference_between(file, {.cpu_model = describe_machine().value("cpu_model", ""),
                                .allowed_pus = read_cpu_grant().allowed,
                                .builds = {}});
  if (!differs.empty())
    throw usage_error(fmt::format(
        "--results: '{}' was {}; without the option prices are measured here", file.path, differs));
}

std::vector<price> prices_in_file(const results_file& file, const program_file& program,
                                  wanted_prices& wanted) {
  const std::vector<point_summary> points = summarize(file);
  std::vector<price> found;
  for (const planned_point& each : wanted.points) {
    const point_summary* best = nullptr;
    for (const point_summary& s : points)
      if (s.visited && is_near(s.what, each.what) &&
          runs_on_runtime_of(file, s.what.backend, program))
        best = &s;
    if (best == nullptr) {
      wanted.notes.push_back(lacking_text(file.path, each.what));
      continue;
    }
    price one{.what = best->what, .cost_ns = best->cost_ns};
    for (const point_summary& other : best->other_states) {
      one.cost_ns.low = std::min(one.cost_ns.low, other.cost_ns.low);
      one.cost_ns.high = std::max(one.cost_ns.high, other.cost_ns.high);
    }
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace syncmeter
