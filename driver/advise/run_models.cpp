#include "driver/advise/run_models.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/machine/topology.hpp"
#include "driver/advise/experiments.hpp"
#include "driver/advise/preload.hpp"
#include "driver/advise/run_alone.hpp"
#include "driver/advise/source_lines.hpp"
#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/start_program.hpp"

namespace syncmeter {
namespace {

/// A lock with a smaller part of the calls at its sites is one of many. A model has one lock.
constexpr double nearly_all = 0.8;

/// Returns whether a model with one lock fits: nearly all calls at the sites are for this lock, and
/// no thread waits for a signal with the lock.
bool fits_model(const lock_object& lock, const std::vector<site>& sites) {
  double calls = 0, own = 0;
  for (const std::size_t id : lock.ids) {
    if (!is_for_lock(sites[id - 1])) return false;
    for (const auto& [number, use] : sites[id - 1].locks)
      (number == lock.number ? own : calls) += static_cast<double>(use.count);
  }
  return own >= nearly_all * (calls + own);
}

/// Returns the only lock that costs enough for a model, or nullptr. With two expensive locks, the
/// model with one lock would explain too much time.
const lock_object* lock_to_model(const std::vector<lock_object>& objects,
                                 const std::vector<site>& sites, double wall_s) {
  const lock_object* found = nullptr;
  for (const lock_object& each : objects) {
    if (!is_worth(experiment::model, lost_share(each, wall_s, costs_of_stamps()))) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  const bool fits = found != nullptr && model_lock_from(found->kind) && found->threads.size() > 1 &&
                    fits_model(*found, sites);
  return fits ? found : nullptr;
}

/// Returns whether the program's OpenMP runtime is the model's runtime, if the lock needs one.
bool has_runtime_of_model(const lock_object& lock, const program_file& program) {
  if (lock.kind != "critical" && lock.kind != "omp_lock") return true;
  return !program.runtimes.empty() &&
         std::ranges::all_of(program.runtimes,
                             [](const std::string& name) { return name.starts_with("libgomp."); });
}

/// Runs the program and the models without output.
class silent_runs {
 public:
  silent_runs(program_counts& of, bool is_openmp)
      : of_(of), is_openmp_(is_openmp), none_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
        input_(start_of_input()) {}

  [[nodiscard]] model_runner runner() {
    return {.run_program = [this] { return run_program(); },
            .run_model = [this](const model_run& what) { return run_model(what); }};
  }
  [[nodiscard]] double used_s() const { return used_s_; }

 private:
  std::optional<double> run_program() {
    if (input_) (void)::lseek(STDIN_FILENO, *input_, SEEK_SET);
    const finished_program done =
        run_in_our_place(of_.file.path, of_.command, {}, {STDIN_FILENO, none_.get(), none_.get()});
    if (!has_ended_well(done, of_.runs.front().wait_status)) return std::nullopt;
    return done.wall_s;
  }

  std::optional<model_time> run_model(const model_run& what) {
    const std::string path = find_own_library(what.openmp ? "lock-model-openmp" : "lock-model");
    if (path.empty()) return std::nullopt;
    std::vector<std::string> words{path}, settings;
    words.insert(words.end(), what.arguments.begin(), what.arguments.end());
    std::optional<pinned_to_one_cpu> pinned;
    if (what.alone && is_openmp_) settings.emplace_back("OMP_THREAD_LIMIT=1");
    else if (what.alone) pinned.emplace(read_cpu_grant().allowed);
    const finished_program done =
        run_in_our_place(path, words, settings, {none_.get(), none_.get(), none_.get()},
                         what.limit_s > 0 ? std::optional(what.limit_s) : std::nullopt);
    if (!has_ended_well(done, 0)) return std::nullopt;
    return model_time{.wall_s = done.wall_s, .cpu_s = done.user_s + done.system_s};
  }

  bool has_ended_well(const finished_program& done, int usual_status) {
    used_s_ += done.wall_s;
    if (done.interrupted_by != 0) of_.interrupted_by = done.interrupted_by;
    return of_.interrupted_by == 0 && !done.timed_out && done.wait_status == usual_status;
  }

  program_counts& of_;
  bool is_openmp_;
  unique_fd none_;
  std::optional<off_t> input_;
  double used_s_ = 0;
};

}  // namespace

double run_models(program_counts& of, const call_counts& timed, double budget_s) {
  constexpr double share_of_budget = 0.4;
  const std::optional<double> alone_s = cpu_s_alone(of.runs);
  if (!alone_s || of.timed_run() == nullptr) return 0;
  const std::vector<lock_object> objects = objects_of(timed);
  const lock_object* const lock = lock_to_model(objects, timed.sites, of.timed_run()->wall_s);
  if (lock == nullptr || !has_runtime_of_model(*lock, of.file)) return 0;
  lock_facts facts{.kind = *model_lock_from(lock->kind),
                   .threads = static_cast<unsigned>(lock->threads.size()),
                   .acquisitions = lock->acquisitions,
                   .program_wall_s = taken_by_arm(of.runs, "plain", &program_run::wall_s),
                   .alone_cpu_s = *alone_s};
  if (lock->timed > 0 && lock->known_for > 0)
    facts.held_ns = lock->held_ns / static_cast<double>(lock->known_for);
  print_message(fmt::format("models of the lock at {}: up to {:.0f} s",
                            where_text(timed.sites[lock->ids.front() - 1]),
                            std::ceil(share_of_budget * budget_s)));
  silent_runs runs(of, uses_openmp_alone(timed.sites));
  for (lock_model& each : measure_lock_models(facts, runs.runner(), share_of_budget * budget_s))
    of.models.emplace_back(lock->number, std::move(each));
  return runs.used_s();
}

}  // namespace syncmeter
