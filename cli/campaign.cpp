#include "cli/campaign.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <numeric>
#include <random>
#include <set>

#include "cli/campaign_lines.hpp"
#include "cli/interrupt.hpp"
#include "cli/ledger.hpp"
#include "cli/pass_order.hpp"
#include "cli/placement_states.hpp"
#include "cli/progress.hpp"
#include "cli/resume.hpp"
#include "cli/results_writer.hpp"
#include "cli/workers_in_turn.hpp"
#include "core/environment.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;
using clock = std::chrono::steady_clock;
using kind = exchange_outcome::kind;

constexpr unsigned losses_before_giving_up = 3;

std::map<std::string, std::string> builds_by_backend(const std::vector<worker_info>& workers) {
  std::map<std::string, std::string> ids;
  for (const worker_info& worker : workers) {
    for (const std::string& backend : worker.backends) ids.emplace(backend, worker.build.value("id", ""));
  }
  return ids;
}

// A file name as a shell takes it.
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

std::uint64_t drawn_seed() {
  std::random_device device;
  return std::uint64_t{device()} | 1U;  // 0 stands for "draw one"
}

double number_in(const json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number() ? found->get<double>() : 0;
}

class campaign {
 public:
  campaign(const campaign_plan& plan, const run_options& options, const std::vector<worker_info>& workers,
           const topology& machine, const std::vector<std::string>& argv)
      : plan_(plan),
        options_(options),
        infos_(workers),
        machine_(machine),
        builds_(builds_by_backend(workers)),
        grant_(read_cpu_grant()),
        ledger_(plan.points, builds_),
        progress_(STDERR_FILENO),
        writer_(options.resume ? results_writer::append_to(*options.resume)
                               : results_writer::create(options.output ? *options.output : default_output())),
        workers_(workers, {.cpus = grant_.allowed,
                           .deadlines = {},
                           .cancel_fd = interrupts_.urgent_fd(),
                           .on_start = [this](const json& line) { note_start(line); }}) {
    if (options.resume) {
      go_on(describe_machine());
    } else {
      begin(argv, describe_machine());
    }
  }

  campaign_outcome run() {
    const unsigned passes = std::accumulate(
        plan_.points.begin(), plan_.points.end(), 0U,
        [](unsigned most, const planned_point& planned) { return std::max(most, planned.visits); });
    for (unsigned pass = 1; pass <= passes && reason_to_stop().empty(); ++pass) {
      for (const std::size_t index : pass_order(plan_.points.size(), options_.seed, pass)) {
        if (!ledger_.wants(index, pass)) continue;
        if (!reason_to_stop().empty()) break;
        progress_.show(ledger_.done(), ledger_.done() + ledger_.remaining(), plan_.points[index].what.op);
        visit(index, pass);
      }
    }
    return finish();
  }

 private:
  // A worker's own line may come before the campaign's: the start-up probe runs first.
  void note_start(const json& answer) {
    json line = answer;
    line["kind"] = "worker";
    line["time"] = utc_now();
    line.erase("id");
    early_lines_.push_back(std::move(line));
    if (begun_) write_early_lines();
  }

  void write_early_lines() {
    begun_ = true;
    for (const json& line : early_lines_) writer_.write(line);
    early_lines_.clear();
  }

  void begin(const std::vector<std::string>& argv, const json& about) {
    if (options_.seed == 0) options_.seed = drawn_seed();
    campaign_facts facts{.argv = argv, .options = options_, .machine = about, .grant = grant_, .states = json::array(), .states_note = {}};
    find_states(about, facts);
    states_ = facts.states;
    writer_.write(campaign_line(facts, plan_));
    write_early_lines();
    write_unmeasured({}, {});
  }

  void go_on(const json& about) {
    std::string said;
    const results_file file = take_up(writer_, said);
    if (!said.empty()) progress_.note(said);
    ground now{.cpu_model = about.value("cpu_model", ""), .allowed_pus = grant_.allowed, .build_ids = {}};
    for (const worker_info& worker : infos_) {
      if (worker.problem.empty()) now.build_ids[worker.name] = worker.build.value("id", "");
    }
    require_same_ground(file, now);
    const auto seed = file.campaign.find("seed");
    if (seed != file.campaign.end() && seed->is_number_unsigned()) options_.seed = seed->get<std::uint64_t>();
    const auto states = file.campaign.find("states");
    if (states != file.campaign.end()) states_ = *states;
    for (const json& line : file.visits) ledger_.record(line);
    if (options_.retry) ledger_.forget_failures();
    begun_ = true;
    write_unmeasured(file.same, file.refused);
  }

  // `same` and `refused` lines, but for those that the file has: a kill may have come between them.
  void write_unmeasured(const std::vector<json>& same, const std::vector<json>& refused) {
    std::set<std::string> present;
    for (const auto* lines : {&same, &refused}) {
      for (const json& line : *lines) present.insert(canonical(line.at("point").get<point>()));
    }
    for (const planned_point& planned : plan_.points) {
      for (const point& other : planned.same_as) {
        if (!present.contains(canonical(other))) writer_.write(same_line(planned, other));
      }
    }
    for (const refused_point& entry : plan_.refused) {
      if (!present.contains(canonical(entry.what))) writer_.write(refused_line(entry));
    }
  }

  void find_states(const json& about, campaign_facts& facts) {
    const planned_point* asked = prober(plan_, infos_, machine_);
    if (asked == nullptr) {
      facts.states_note = "one placement state: no point is contended";
    } else if (!about.value("hypervisor", false)) {
      facts.states_note = "one placement state: no hypervisor";
    } else {
      for (const state_probe& probe : state_probes(plan_, infos_, machine_)) {
        const exchange_outcome outcome = workers_.probe(asked->what.backend, asked->what.wait,
                                                        {{"pus", probe.pus}, {"seconds", probe.seconds}});
        if (outcome.what != kind::answered) {
          facts.states_note = "the start-up probe failed: " + outcome.reason;
          progress_.note(facts.states_note);
          break;
        }
        totals_.timed_ns += probe.seconds * 1e9;
        if (auto entry = state_entry(probe.pus, outcome.line)) facts.states.push_back(std::move(*entry));
      }
    }
  }

  std::string reason_to_stop() const {
    if (interrupts_.requested()) return "interrupted";
    const double used_s = std::chrono::duration<double>(clock::now() - start_).count();
    if (options_.budget_s && used_s >= *options_.budget_s) return "budget";
    return {};
  }

  json request_for(std::size_t index, unsigned number) const {
    const planned_point& planned = plan_.points[index];
    const bool meets = contended(planned.what, infos_, machine_.line_bytes());
    return {{"point", planned.what},
            {"pus", planned.pus},
            {"visit", number},
            {"options",
             {{"precision", options_.precision},
              {"max_time_ns", options_.max_time_s * 1e9 / planned.visits},
              {"min_sample_ns", options_.min_sample_us * 1e3},
              {"seed", visit_seed(options_.seed, ledger_.text(index), number)},
              {"trips", ledger_.trips(index)},
              {"additivity", planned.additivity},
              {"state_bounds_ns", meets ? bounds_for(states_, planned.what.lanes) : std::vector<double>{}},
              {"oversubscribe", options_.oversubscribe}}}};
  }

  void visit(std::size_t index, unsigned number) {
    const planned_point& planned = plan_.points[index];
    const std::string op = planned.what.backend + ' ' + planned.what.op;
    unsigned& losses = losses_in_a_row_[op];
    if (losses >= losses_before_giving_up) {
      keep(index, number, lost_visit_line(planned, number, "failed", stopped_by_giving_up,
                                          fmt::format("not tried: {} crashes or timeouts in a row of {}", losses, op)));
      return;
    }
    exchange_outcome outcome = workers_.measure(planned.what.backend, planned.what.wait, request_for(index, number));
    switch (outcome.what) {
      case kind::answered:
        losses = 0;
        keep(index, number, std::move(outcome.line));
        return;
      case kind::cancelled: return;
      case kind::refused:
        losses = 0;
        keep(index, number, lost_visit_line(planned, number, "failed", "failure", outcome.reason));
        break;
      case kind::given_up:
        keep(index, number, lost_visit_line(planned, number, "failed", stopped_by_giving_up, "not tried: " + outcome.reason));
        break;
      case kind::crashed:
        ++losses;
        keep(index, number, lost_visit_line(planned, number, "failed", stopped_by_crash, outcome.reason));
        break;
      case kind::timed_out:
        ++losses;
        keep(index, number, lost_visit_line(planned, number, "timeout", stopped_by_timeout, outcome.reason));
        break;
    }
    // One sentence for each cause; what follows from it is in the file.
    if (said_.insert(outcome.reason).second) {
      progress_.note(fmt::format("visit {} of {}: {}", number, ledger_.text(index), outcome.reason));
    }
    if (losses >= losses_before_giving_up) {
      progress_.note(fmt::format("{} crashes or timeouts in a row of {}: the rest of it is not tried", losses, op));
    }
  }

  void keep(std::size_t index, unsigned number, json line) {
    const planned_point& planned = plan_.points[index];
    const auto build = builds_.find(planned.what.backend);
    line.erase("id");
    line["kind"] = "visit";
    line["backend"] = planned.what.backend;
    line["build"] = build == builds_.end() ? "" : build->second;
    line["key"] = ledger_.key(index, number);
    writer_.write(line);
    ledger_.record(line);
    ++totals_.visits;
    totals_.timed_ns += number_in(line, "timed_ns");
  }

  campaign_outcome finish() {
    progress_.clear();
    const std::size_t left = ledger_.remaining();
    const std::string stopped = reason_to_stop();
    totals_.reason = left == 0 ? "complete" : stopped.empty() ? "complete" : stopped;
    totals_.failed = ledger_.failed_points();
    workers_.close();
    const double wall_s = std::chrono::duration<double>(clock::now() - start_).count();
    totals_.wall_ns = wall_s * 1e9;
    writer_.write(end_line(totals_));
    writer_.flush();
    const bool cut_short = totals_.reason != "complete";
    if (cut_short) {
      const std::string why = totals_.reason == "budget" ? fmt::format("the budget of {:g} s is spent", *options_.budget_s)
                                                         : std::string("interrupted");
      progress_.note(fmt::format("{}: {} visits are in {}, {} are not; go on with: syncmeter run --resume {}", why,
                                 ledger_.done(), writer_.path(), left, shell_word(writer_.path())));
    }
    return {.file = writer_.path(),
            .any_failed = totals_.failed > 0,
            .interrupted = cut_short,
            .wall_s = wall_s,
            .timed_s = totals_.timed_ns * 1e-9};
  }

  clock::time_point start_ = clock::now();
  const campaign_plan& plan_;
  run_options options_;
  const std::vector<worker_info>& infos_;
  const topology& machine_;
  std::map<std::string, std::string> builds_;  // by backend
  cpu_grant grant_;
  interrupt_watch interrupts_;
  ledger ledger_;
  progress progress_;
  results_writer writer_;
  workers_in_turn workers_;
  json states_ = json::array();
  bool begun_ = false;
  std::vector<json> early_lines_;
  std::map<std::string, unsigned> losses_in_a_row_;  // by backend and op
  std::set<std::string> said_;
  run_totals totals_;
};

}  // namespace

campaign_outcome run_campaign(const campaign_plan& plan, const run_options& options,
                              const std::vector<worker_info>& workers, const topology& machine,
                              const std::vector<std::string>& argv) {
  return campaign(plan, options, workers, machine, argv).run();
}

}  // namespace syncmeter
