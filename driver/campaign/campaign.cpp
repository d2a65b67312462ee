#include "driver/campaign/campaign.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>

#include "core/machine/environment.hpp"
#include "driver/campaign/campaign_file.hpp"
#include "driver/campaign/cpu_use.hpp"
#include "driver/campaign/pace.hpp"
#include "driver/campaign/pass_order.hpp"
#include "driver/campaign/progress.hpp"
#include "driver/campaign/visit_request.hpp"
#include "driver/plan/pinned_lanes.hpp"
#include "driver/plan/placement_states.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;
using clock = std::chrono::steady_clock;

build_ids builds_of(const std::vector<worker_info>& workers) {
  build_ids ids;
  for (const worker_info& worker : workers)
    for (const std::string& backend : worker.backends)
      ids.emplace(std::pair(backend, worker.arm), worker.build.value("id", ""));
  return ids;
}

// Returns the command to continue a campaign. It names the builds again, because paths in a file
// are never run.
std::string words_to_continue(const campaign_plan& plan, const std::string& file) {
  std::string words = "syncmeter run";
  if (plan.arms) {
    const auto& [a, b] = plan.arms->arms;
    words = "syncmeter ab";
    for (const build_arm* arm : {&a, &b})
      words += " " + shell_word(fmt::format("{}={}", arm->name, arm->path));
    for (const std::string& setting : a.environment) words += " --env-a " + shell_word(setting);
    for (const std::string& setting : b.environment) words += " --env-b " + shell_word(setting);
  }
  return words + " --resume " + shell_word(file);
}

class campaign {
 public:
  campaign(const campaign_plan& plan, const run_options& options,
           const std::vector<worker_info>& workers, const topology& machine,
           const std::vector<std::string>& argv)
      : plan_(plan), options_(options), infos_(workers), machine_(machine),
        grant_(read_cpu_grant()), progress_(STDERR_FILENO),
        file_(plan, options, builds_of(workers)), workers_(workers, how_workers_run()) {
    if (options.resume) resume(describe_machine());
    else begin(argv, describe_machine());
  }

  campaign_outcome run() {
    const auto most = [&](auto member) {
      unsigned found = 0;
      for (const planned_point& planned : plan_.points) found = std::max(found, planned.*member);
      return found;
    };
    unsigned last_pass = most(&planned_point::visits);
    // A visit beyond the plan may have failed, and is tried again.
    for (std::size_t i = 0; i < plan_.points.size(); ++i)
      last_pass = std::max(last_pass, file_.visits().last_wanted(i));
    const auto groups = groups_of(plan_, options_.interleave_backends);
    for (unsigned stage = 0; stage <= most(&planned_point::stage); ++stage)
      for (unsigned pass = 1; pass <= last_pass; ++pass) visit_all(stage, pass, groups);
    if (file_.visits().remaining() == 0) plan_.arms ? visit_undecided() : visit_again();
    if (file_.visits().remaining() == 0 && options_.hop_classes) visit_more_placements();
    return finish();
  }

 private:
  void visit_all(unsigned stage, unsigned pass,
                 const std::vector<std::vector<std::size_t>>& groups) {
    // A process keeps its memory, and the place of a cell or lock decides its cache slice (2 to 6 %
    // of a contended cost). Each visit to a point therefore needs a new process.
    if (pass > 1) workers_.close();
    std::vector<std::size_t> order = pass_order(groups, options_.seed, pass);
    if (pass == 1) order = grid_sizes_.smallest_first(std::move(order));
    std::vector<std::size_t> alone;
    std::map<unsigned, std::vector<std::size_t>> at_once;  // by GPU
    for (const std::size_t index : order) {
      const planned_point& planned = plan_.points[index];
      if (planned.stage != stage || !file_.visits().wants(index, pass)) continue;
      (planned.devices.empty() ? alone : at_once[device_of(planned, pass)]).push_back(index);
    }
    visit_in_turn(alone, pass, workers_);
    if (at_once.empty()) return;
    workers_.close();
    visit_at_once(at_once, pass);
  }

  void visit_in_turn(const std::vector<std::size_t>& order, unsigned pass, worker_pool& pool) {
    for (const std::size_t index : order) {
      std::unique_lock turn(taking_turns_);
      if (!reason_to_stop().empty()) return;
      show_progress(index, 0);
      visit(index, pass, pool, turn);
    }
  }

  // Uses a thread for each GPU, with its own workers. Workers end with the thread, because a worker
  // dies with its starter.
  void visit_at_once(const std::map<unsigned, std::vector<std::size_t>>& order_by_gpu,
                     unsigned pass) {
    std::vector<std::future<void>> running;
    for (const auto& [gpu, order] : order_by_gpu) {
      running.push_back(std::async(std::launch::async, [this, &order = order, pass] {
        worker_pool pool(infos_, how_workers_run());
        visit_in_turn(order, pass, pool);
        pool.close();
      }));
    }
    for (auto& each : running) each.wait();
    for (auto& each : running) each.get();  // rethrows exceptions
  }

  worker_pool::settings how_workers_run() {
    return {.cpus = grant_.allowed,
            .deadlines = {},
            .cancel_fd = interrupts_.urgent_fd(),
            .on_start =
                [this](const json& hello) {
                  const std::lock_guard turn(taking_turns_);
                  pace_.add_start();
                  file_.add_worker(hello);
                },
            .on_bad_end =
                [this](const std::string& sentence) {
                  const std::lock_guard turn(taking_turns_);
                  progress_.note(sentence);
                }};
  }

  void begin(const std::vector<std::string>& argv, const json& about) {
    // 0 means "draw a seed".
    if (options_.seed == 0) options_.seed = std::uint64_t{std::random_device{}()} | 1U;
    campaign_facts facts{.argv = argv,
                         .options = options_,
                         .machine = about,
                         .grant = grant_,
                         .scheduler = describe_scheduler(),
                         .gpus = gpus_in_use(plan_, infos_),
                         .gpu_notes = busy_gpus(plan_, infos_),
                         .units = units_named(plan_, options_, machine_),
                         .busy_pus = machine_.avoided() ? busy_json(*machine_.avoided()) : json(),
                         .lane_notes = placement_notes(plan_, machine_),
                         .states = json::array(),
                         .states_note = {}};
    const probed_states probed = probe_states(plan_, infos_, machine_, about, workers_);
    if (probed.failed) progress_.note(probed.note);
    totals_.timed_ns += probed.seconds * 1e9;
    facts.states = states_ = probed.states;
    facts.states_note = probed.note;
    watch_states_ = about.value("hypervisor", false);
    file_.begin(facts);
  }

  void resume(const json& about) {
    campaign_identity now{.cpu_model = about.value("cpu_model", ""),
                          .allowed_pus = grant_.allowed,
                          .builds = {},
                          .gpus = gpus_in_use(plan_, infos_)};
    for (const worker_info& worker : infos_)
      if (worker.problem.empty())
        now.builds[{worker.name, worker.arm}] = worker.build.value("id", "");
    const campaign_file::resumed_campaign found = file_.resume(now, options_.retry);
    if (!found.note.empty()) progress_.note(found.note);
    for (const std::string& busy : busy_gpus(plan_, infos_)) progress_.note(busy);
    for (const std::string& sentence : plan_.missing) progress_.note(sentence);
    options_.seed = found.seed;
    states_ = found.states;
    watch_states_ = about.value("hypervisor", false);
  }

  void show_progress(std::size_t index, std::size_t more) {
    const std::size_t done = file_.visits().done();
    const std::size_t left = file_.visits().remaining() + more;
    double left_s = pace_.left_s(left);
    if (budget_s()) left_s = std::min(left_s, *budget_s() - used_s());
    progress_.show(done, done + left, left_s, plan_.points[index].what.op);
    if (options_.resume) return;  // no time was announced
    if (const auto whole_s = pace_.corrected_s(used_s() + left_s)) progress_.correct(*whole_s);
  }

  planned_pace whole_pace() const {
    planned_pace all{
        .seconds = plan_.predicted_s, .points = plan_.points.size(), .starts = plan_.worker_starts};
    for (const planned_point& planned : plan_.points) {
      all.visits += planned.visits;
      all.at_once = std::max(all.at_once, planned.devices.size());
    }
    return all;
  }

  // Visits points again whose cost is least precise, and points without enough quiet visits. For
  // quiet visits it continues until the budget is spent, or without a budget until the campaign has
  // taken twice its time. Two passes that bring less than a tenth of the missing visits are the
  // last. For precision alone it takes a tenth longer, unless the user set a number of visits.
  void visit_again() {
    const double a_little_s = (options_.visits ? 1.0 : 1.1) * used_s(), longest_s = 2 * used_s();
    std::size_t wanted = std::numeric_limits<std::size_t>::max();
    for (unsigned poor_passes = 0; true;) {
      std::vector<revisits::wanted> again = file_.again().lacking();
      if (again.empty()) return;
      const std::size_t lacking =
          std::transform_reduce(again.begin(), again.end(), std::size_t{0}, std::plus{},
                                [](const revisits::wanted& each) { return each.visits; });
      if (lacking > wanted) ++poor_passes;
      wanted = lacking - (lacking + 9) / 10;
      const bool for_quiet = lacking > 0 && poor_passes < 2;
      const auto time_is_up = [&] {
        return used_s() >= (!for_quiet ? a_little_s : budget_s() ? *budget_s() : longest_s);
      };
      if (time_is_up()) return;
      again.resize((again.size() + 1) / 2);  // the worst half, before the next ranking
      workers_.close();
      for (std::size_t i = 0; i < again.size(); ++i) {
        if (!reason_to_stop().empty() || time_is_up()) return;
        const std::size_t index = again[i].point;
        show_progress(index, again.size() - i);
        std::unique_lock turn(taking_turns_);
        visit(index, file_.visits().next(index), workers_, turn);
      }
    }
  }

  // --vcpu-placements: makes whole passes over the points with contending lanes, to give each point
  // a row in every placement found.
  void visit_more_placements() {
    const double until_s = budget_s().value_or(times_for_placements * used_s());
    while (true) {
      const revisits::meeting_points meeting = file_.again().meeting();
      if (meeting.placements >= *options_.hop_classes) return;
      if (meeting.points.empty() || used_s() >= until_s || !reason_to_stop().empty()) {
        progress_.note(fmt::format(
            "--vcpu-placements {}: {}", *options_.hop_classes,
            meeting.points.empty()
                ? "no hop between threads was measured: none meet, or no hypervisor moves them"
                : fmt::format("{} seen until the time was up; a longer --budget may bring more",
                              meeting.placements)));
        return;
      }
      workers_.close();
      for (const std::size_t index : meeting.points) {
        if (!reason_to_stop().empty()) break;
        show_progress(index, meeting.points.size());
        std::unique_lock turn(taking_turns_);
        visit(index, file_.visits().next(index), workers_, turn);
      }
    }
  }

  // Visits undecided pairs of points while the budget lasts, each pair until its next look.
  void visit_undecided() {
    if (!budget_s()) return;
    while (true) {
      std::vector<undecided_pairs::wanted> wanted = file_.undecided().lacking();
      if (wanted.empty()) return;
      while (!wanted.empty()) {
        workers_.close();
        for (const auto& [pair, until] : wanted) {
          auto [first, second] = plan_.pairs[pair];
          const unsigned number = std::max(file_.visits().next(first), file_.visits().next(second));
          if (number % 2 == 0) std::swap(first, second);
          for (const std::size_t index : {first, second}) {
            if (!reason_to_stop().empty()) return;
            show_progress(index, 2 * wanted.size());
            std::unique_lock turn(taking_turns_);
            visit(index, number, workers_, turn);
          }
        }
        std::erase_if(wanted, [this](const undecided_pairs::wanted& each) {
          return file_.visits().next(plan_.pairs[each.pair][0]) > each.until;
        });
      }
    }
  }

  std::optional<double> budget_s() const {
    return options_.budget_s ? options_.budget_s : plan_.budget_s;
  }

  double used_s() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

  std::string reason_to_stop() const {
    if (interrupts_.requested()) return "interrupted";
    if (budget_s() && used_s() >= *budget_s()) return "budget";
    return {};
  }

  json request_for(std::size_t index, unsigned number) const {
    const planned_point& planned = plan_.points[index];
    const bool meets = watched(planned, infos_, machine_.line_bytes());
    return visit_request(planned, number, options_,
                         {.seed = visit_seed(options_.seed, file_.visits().text(index), number),
                          .trips = file_.visits().trips(index),
                          .quiet_floor_ns = floors_.of(planned.pus),
                          .watch_states = meets && watch_states_,
                          .state_bounds_ns = meets ? bounds_for(states_, planned.what.lanes)
                                                   : std::vector<double>{}});
  }

  // Returns the line for a visit that would only cost time. Measured points stay measured.
  std::optional<json> not_tried(std::size_t index, unsigned number) const {
    const planned_point& planned = plan_.points[index];
    const auto smaller = number == 1 ? grid_sizes_.known_too_slow(index, file_.visits())
                                     : std::optional<std::size_t>{};
    if (!smaller) return lost_.not_tried(planned, number);
    const point& tried = plan_.points[*smaller].what;
    return lost_visit_line(
        planned, number, "too_slow", stopped_by_giving_up,
        fmt::format("not tried: a step took too long at --threads {} --blocks {}", tried.lanes,
                    tried.blocks));
  }

  // Releases `turn` while the worker measures.
  void visit(std::size_t index, unsigned number, worker_pool& pool,
             std::unique_lock<std::mutex>& turn) {
    const planned_point& planned = plan_.points[index];
    if (std::optional<json> line = not_tried(index, number)) {
      keep(index, number, std::move(*line));
      return;
    }
    const json request = request_for(index, number);
    turn.unlock();
    const clock::time_point asked = clock::now();
    exchange_outcome outcome = pool.measure(planned.what.backend, planned.what.wait, request);
    const double took_s = std::chrono::duration<double>(clock::now() - asked).count();
    turn.lock();
    if (outcome.what == exchange_outcome::kind::cancelled) return;
    pace_.add_visit(took_s, number_or(outcome.line, "elapsed_ns", took_s * 1e9) * 1e-9);
    if (outcome.what == exchange_outcome::kind::answered) {
      lost_.answered(planned);
      if (!planned.census.is_null()) outcome.line["census"] = planned.census;
      keep(index, number, std::move(outcome.line));
      return;
    }
    lost_visits::loss lost = lost_.lose(planned, number, file_.visits().text(index), outcome);
    keep(index, number, std::move(lost.line));
    for (const std::string& sentence : lost.sentences) progress_.note(sentence);
  }

  // Adds backend facts for the analysis, because not every worker reports them in its visits.
  void keep(std::size_t index, unsigned number, json line) {
    const std::string native = native_of(infos_, plan_.points[index].what.backend);
    if (number > plan_.points[index].visits) line["again"] = true;
    line["portable"] = !native.empty();
    if (!native.empty()) line["native_of"] = native;
    const visit_record added = file_.add_visit(index, number, std::move(line));
    floors_.learn(added);
    ++totals_.visits;
    totals_.timed_ns += added.timed_ns;
  }

  campaign_outcome finish() {
    progress_.clear();
    const std::size_t left = file_.visits().remaining();
    const std::string stopped = left == 0 ? "" : reason_to_stop();
    totals_.missing = plan_.missing;
    totals_.scheduler = describe_scheduler();
    totals_.reason = !stopped.empty() ? stopped : !plan_.missing.empty() ? "missing" : "complete";
    totals_.failed = file_.visits().failed_points();
    workers_.close();
    totals_.cpu_use =
        cpu_use_between(cpu_times_, read_cpu_times(grant_.allowed), static_cast<int>(getpid()));
    const double wall_s = used_s();
    totals_.wall_ns = wall_s * 1e9;
    const std::string restored = file_.end(totals_);
    if (!restored.empty()) progress_.note(restored);
    if (!stopped.empty()) {
      const std::string why = stopped == "budget"
                                  ? fmt::format("the budget of {:g} s is spent", *budget_s())
                                  : std::string("interrupted");
      progress_.note(fmt::format("{}: {} repetitions are in {}, {} remain; continue with: {}", why,
                                 file_.visits().done(), file_.path(), left,
                                 words_to_continue(plan_, file_.path())));
    }
    if (!plan_.missing.empty()) progress_.note("the run is not complete");
    return {.file = file_.path(),
            .any_failed = totals_.failed > 0,
            .file_restored = !restored.empty(),
            .interrupted_by = stopped == "interrupted" ? interrupts_.first_signal() : 0,
            .budget_spent = stopped == "budget" && options_.budget_s,
            .misses_visits = !plan_.missing.empty(),
            .wall_s = wall_s,
            .timed_s = totals_.timed_ns * 1e-9};
  }

  // Limits the time without a budget, because a hypervisor moves vCPUs every few minutes, or never.
  static constexpr double times_for_placements = 5;
  clock::time_point start_ = clock::now();
  const campaign_plan& plan_;
  run_options options_;
  const std::vector<worker_info>& infos_;
  const topology& machine_;
  cpu_grant grant_;
  const cpu_times cpu_times_ = read_cpu_times(grant_.allowed);  // at the start
  interrupt_watch interrupts_;
  progress progress_;
  campaign_file file_;
  grid_size_order grid_sizes_{plan_.points};
  std::mutex taking_turns_;  // serializes visit_at_once threads, except their workers
  worker_pool workers_;
  json states_ = json::array();
  bool watch_states_ = false;  // under a hypervisor, whatever the start-up probe found
  quiet_floors floors_;
  lost_visits lost_;
  pace pace_{whole_pace()};
  run_totals totals_;
};

}  // namespace

campaign_outcome run_campaign(const campaign_plan& plan, const run_options& options,
                              const std::vector<worker_info>& workers, const topology& machine,
                              const std::vector<std::string>& argv) {
  return campaign(plan, options, workers, machine, argv).run();
}

}  // namespace syncmeter
