#include "driver/advise/lock_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/harness/stats.hpp"

namespace syncmeter {
namespace {

// Calibration.
constexpr double short_run_s = 0.06;        // the start of a process, 1 ms, is 2 % of it
constexpr int most_calibration_runs = 4;    // the secant needs two, the processor's overlap more
constexpr double calibrated_within = 0.02;  // of the CPU time alone: as near as short runs repeat
constexpr double usable_within = 0.2;       // a form farther away has another CPU time
constexpr std::uint64_t step_acquisitions = 200'000, step_iterations = 200;  // 50 ms at 1.2 ns
// Choice of forms: a form may still be 1.25x off, and one round may be off by as much again.
constexpr double least_of_program = 0.6, most_of_program = 1.6;
constexpr std::size_t wanted_forms = 3;  // with fewer forms an interval shows too little
// Rounds: three rounds chose a form at 1.02 that was 0.72 in the next round. Seven did not.
constexpr std::size_t most_rounds = 7, least_rounds = 3;
constexpr double long_program_s = 1;  // seven rounds of a longer program take too much time
// Limits of runs, in times of the expected one.
constexpr double alone_limit = 10, as_is_limit = 3, changed_limit = 5, limit_extra_s = 1;

enum class model_change : std::uint8_t { none, own_variable, atomic, shards };
constexpr std::array changes{model_change::none, model_change::own_variable, model_change::atomic,
                             model_change::shards};

// The argument values of models/contended_lock.cpp.
constexpr std::array<const char*, 4> lock_arguments{"mutex", "spin", "omp_lock", "omp_critical"};
constexpr std::array<const char*, 4> change_arguments{"none", "private", "atomic", "shards"};
constexpr std::array<const char*, 5> lines_arguments{"own", "0", "1", "64", "512"};
constexpr std::array<const char*, 2> work_arguments{"dependent", "independent"};

template <std::size_t count, class Kind>
const char* argument_of(const std::array<const char*, count>& arguments, Kind kind) {
  return arguments.at(static_cast<std::size_t>(kind));
}

/// Returns all forms. The first ones are those that a small budget leaves: written lines change the
/// time more than overlap does.
std::vector<lock_form> uncalibrated_forms(model_lock kind) {
  std::vector<lock_form> forms;
  for (const model_work work : {model_work::dependent, model_work::independent})
    for (const model_lines lines : {model_lines::own, model_lines::one, model_lines::of_64,
                                    model_lines::none, model_lines::of_512}) {
      // The runtime hides the line of a critical section's lock.
      if (kind == model_lock::critical && lines == model_lines::own) continue;
      forms.push_back({.lines = lines, .work = work});
    }
  return forms;
}

bool has_openmp(model_lock kind) {
  return kind == model_lock::omp_lock || kind == model_lock::critical;
}

std::uint64_t whole(double value) {
  return value > 0 ? static_cast<std::uint64_t>(std::llround(value)) : 0;
}

std::vector<double>& list_of(lock_model& model, model_change change) {
  switch (change) {
  case model_change::none:
    return model.as_is_s;
  case model_change::own_variable:
    return model.private_s;
  case model_change::atomic:
    return model.atomic_s;
  case model_change::shards:
    break;
  }
  return model.shards_s;
}

/// Measures the models of one lock, and adds up the time of all runs.
class lock_model_meter {
 public:
  lock_model_meter(const lock_facts& facts, const model_runner& runner, double budget_s)
      : facts_(facts), runner_(runner), budget_s_(budget_s),
        program_s_(median(facts.program_wall_s)) {}

  std::vector<lock_model> measure();

 private:
  /// A form near the program's time, and its time in the first round.
  struct candidate {
    lock_form form;
    double as_is_s = 0;
  };
  /// CPU time for one acquisition, and the iterations that lead there.
  struct calibration_point {
    lock_form form;
    double ns = 0;
  };

  std::uint64_t acquisitions_for_each_thread(double all) const {
    return std::max<std::uint64_t>(1, whole(all / facts_.threads));
  }
  std::optional<model_time> run_model(const lock_form& form, model_change change,
                                      std::uint64_t acquisitions, bool alone, double limit_s);
  std::optional<double> run_program();
  std::size_t forms_for_budget(std::size_t all) const;
  std::optional<double> alone_ns(const lock_form& form, std::uint64_t acquisitions);
  bool measure_start_and_steps();
  lock_form next_form(const calibration_point& last,
                      const std::optional<calibration_point>& before) const;
  std::optional<lock_form> calibrated(const lock_form& form);
  std::vector<candidate> first_round(std::span<const lock_form> forms);
  double round_s(std::span<const candidate> candidates) const;
  std::size_t affordable_forms(std::span<const candidate> candidates, std::size_t rounds) const;
  std::vector<lock_model> all_rounds(std::span<const candidate> candidates);
  bool run_round(std::vector<lock_model>& models, bool forward);

  const lock_facts& facts_;
  const model_runner& runner_;
  double budget_s_;
  double program_s_;
  double spent_s_ = 0;
  double start_cpu_s_ = 0;                ///< CPU time of a process that does next to nothing
  double target_ns_ = 0;                  ///< CPU time alone for one acquisition
  std::uint64_t short_acquisitions_ = 0;  ///< of each thread in a calibration run
  std::map<model_work, double> step_ns_;  ///< CPU time of an iteration
};

std::optional<model_time> lock_model_meter::run_model(const lock_form& form, model_change change,
                                                      std::uint64_t acquisitions, bool alone,
                                                      double limit_s) {
  const std::optional<model_time> taken = runner_.run_model(
      {.openmp = has_openmp(facts_.kind),
       .arguments = {fmt::format("threads={}", facts_.threads),
                     fmt::format("acquisitions={}", acquisitions),
                     fmt::format("lock={}", argument_of(lock_arguments, facts_.kind)),
                     fmt::format("change={}", argument_of(change_arguments, change)),
                     fmt::format("lines={}", argument_of(lines_arguments, form.lines)),
                     fmt::format("work={}", argument_of(work_arguments, form.work)),
                     fmt::format("held={}", form.held_iterations),
                     fmt::format("iterations={}", form.work_iterations)},
       .alone = alone,
       .limit_s = limit_s + limit_extra_s});
  // A run that hangs takes its limit, and no other failure is likely.
  spent_s_ += taken ? taken->wall_s : limit_s + limit_extra_s;
  return taken;
}

std::optional<double> lock_model_meter::run_program() {
  const std::optional<double> taken_s = runner_.run_program();
  if (taken_s) spent_s_ += *taken_s;
  return taken_s;
}

/// Returns how many of the forms the budget has room for: calibration, the first round, and three
/// rounds of one form.
std::size_t lock_model_meter::forms_for_budget(std::size_t all) const {
  const double calibration_s = 3 * std::min(short_run_s, facts_.alone_cpu_s);
  const double fixed_s = calibration_s + program_s_ +
                         static_cast<double>(least_rounds) * (1 + changes.size()) * program_s_;
  const double form_s = calibration_s + program_s_;
  if (!(budget_s_ >= fixed_s + form_s)) return 0;
  return std::min(all, static_cast<std::size_t>((budget_s_ - fixed_s) / form_s));
}

/// Returns the CPU time alone for one acquisition with its work. The process start does not count.
std::optional<double> lock_model_meter::alone_ns(const lock_form& form,
                                                 std::uint64_t acquisitions) {
  const double all = static_cast<double>(acquisitions) * facts_.threads;
  const auto taken = run_model(form, model_change::none, acquisitions, true,
                               alone_limit * std::max(short_run_s, all * target_ns_ * 1e-9));
  if (!taken) return {};
  return std::max(0.0, taken->cpu_s - start_cpu_s_) / all * 1e9;
}

/// Measures the process start and both work steps. Returns false if a run fails.
bool lock_model_meter::measure_start_and_steps() {
  const lock_form empty{.lines = model_lines::none};
  const auto start = run_model(empty, model_change::none, 1, true, short_run_s);
  if (!start) return false;
  start_cpu_s_ = start->cpu_s;
  const double acquisitions = static_cast<double>(facts_.acquisitions);
  target_ns_ = (facts_.alone_cpu_s - start_cpu_s_) / acquisitions * 1e9;
  if (!(target_ns_ > 0)) return false;
  short_acquisitions_ =
      acquisitions_for_each_thread(acquisitions * std::min(1.0, short_run_s / facts_.alone_cpu_s));

  const std::uint64_t some = acquisitions_for_each_thread(static_cast<double>(step_acquisitions));
  const auto without_work = alone_ns(empty, some);
  if (!without_work) return false;
  for (const model_work work : {model_work::dependent, model_work::independent}) {
    const auto with_work = alone_ns(
        {.lines = model_lines::none, .work = work, .work_iterations = step_iterations}, some);
    if (!with_work || !(*with_work > *without_work)) return false;
    step_ns_[work] = (*with_work - *without_work) / static_cast<double>(step_iterations);
  }
  return true;
}

/// Returns a form nearer to the CPU time alone than the last one, by the secant through both.
lock_form lock_model_meter::next_form(const calibration_point& last,
                                      const std::optional<calibration_point>& before) const {
  lock_form next = last.form;
  double step = step_ns_.at(next.work);
  if (before && before->form.held_iterations == next.held_iterations &&
      before->form.work_iterations != next.work_iterations) {
    const double secant =
        (last.ns - before->ns) / (static_cast<double>(last.form.work_iterations) -
                                  static_cast<double>(before->form.work_iterations));
    // Noise and hidden work make a slope that leads far away.
    if (secant > step / 3 && secant < step * 3) step = secant;
  }
  const double work = static_cast<double>(next.work_iterations) + (target_ns_ - last.ns) / step;
  next.work_iterations = whole(work);
  // Held time includes lines on their way between threads, which a run alone does not have.
  if (work < 0) {
    const double held_too_long = -work * step / step_ns_.at(model_work::dependent);
    next.held_iterations = whole(static_cast<double>(next.held_iterations) - held_too_long);
  }
  return next;
}

/// Returns the form with the iterations that give the program's CPU time alone, or nothing if no
/// iterations do.
std::optional<lock_form> lock_model_meter::calibrated(const lock_form& form) {
  calibration_point last{.form = form};
  last.form.held_iterations =
      whole(facts_.held_ns.value_or(0) / step_ns_.at(model_work::dependent));
  std::optional<calibration_point> before, best;
  for (int run = 0; run < most_calibration_runs; ++run) {
    const auto ns = alone_ns(last.form, short_acquisitions_);
    if (!ns) return {};
    last.ns = *ns;
    const auto error = [this](const calibration_point& point) {
      return std::abs(point.ns / target_ns_ - 1);
    };
    if (!best || error(last) < error(*best)) best = last;
    if (error(*best) <= calibrated_within) break;
    const lock_form next = next_form(last, before);
    if (next == last.form) break;
    before = last;
    last.form = next;
  }
  if (!(std::abs(best->ns / target_ns_ - 1) <= usable_within)) return {};
  return best->form;
}

/// Returns the forms near the program's time, the nearest one first.
std::vector<lock_model_meter::candidate>
lock_model_meter::first_round(std::span<const lock_form> forms) {
  const std::optional<double> now_s = run_program();
  if (!now_s) return {};
  std::vector<double> plain_s = facts_.program_wall_s;
  plain_s.push_back(*now_s);
  program_s_ = median(plain_s);
  std::vector<candidate> near;
  for (const lock_form& form : forms) {
    const auto taken =
        run_model(form, model_change::none,
                  acquisitions_for_each_thread(static_cast<double>(facts_.acquisitions)), false,
                  as_is_limit * program_s_);
    if (taken && taken->wall_s >= least_of_program * program_s_ &&
        taken->wall_s <= most_of_program * program_s_)
      near.push_back({form, taken->wall_s});
  }
  std::ranges::stable_sort(near, {}, [this](const candidate& each) {
    return std::abs(std::log(each.as_is_s / program_s_));
  });
  return near;
}

double lock_model_meter::round_s(std::span<const candidate> candidates) const {
  double all_s = program_s_;
  for (const candidate& each : candidates) all_s += changes.size() * each.as_is_s;
  return all_s;
}

std::size_t lock_model_meter::affordable_forms(std::span<const candidate> candidates,
                                               std::size_t rounds) const {
  std::size_t forms = candidates.size();
  while (forms > 0 &&
         spent_s_ + static_cast<double>(rounds) * round_s(candidates.first(forms)) > budget_s_)
    --forms;
  return forms;
}

/// Runs the program and all models once. Returns false if the program fails: then the round counts
/// for no model.
bool lock_model_meter::run_round(std::vector<lock_model>& models, bool forward) {
  struct planned {
    std::size_t model = 0;
    model_change change = model_change::none;
    std::optional<double> wall_s{};
  };
  std::vector<planned> runs;
  for (std::size_t i = 0; i < models.size(); ++i)
    for (const model_change change : changes)
      // A list that a failed run has cut stays as it is.
      if (list_of(models[i], change).size() == models[i].program_s.size())
        runs.push_back({.model = i, .change = change});
  if (!forward) std::ranges::reverse(runs);

  std::optional<double> program_s;
  if (forward && !(program_s = run_program())) return false;
  for (planned& each : runs) {
    const bool changed = each.change != model_change::none;
    const auto taken =
        run_model(models[each.model].form, each.change,
                  acquisitions_for_each_thread(static_cast<double>(facts_.acquisitions)), false,
                  (changed ? changed_limit : as_is_limit) * program_s_);
    if (taken) each.wall_s = taken->wall_s;
  }
  if (!forward && !(program_s = run_program())) return false;

  for (lock_model& each : models) each.program_s.push_back(*program_s);
  for (const planned& each : runs)
    if (each.wall_s) list_of(models[each.model], each.change).push_back(*each.wall_s);
  // Without its time as it is, a form says nothing.
  std::erase_if(
      models, [](const lock_model& each) { return each.as_is_s.size() != each.program_s.size(); });
  return true;
}

std::vector<lock_model> lock_model_meter::all_rounds(std::span<const candidate> candidates) {
  const std::size_t wanted_rounds = program_s_ < long_program_s ? most_rounds : least_rounds;
  std::size_t forms = affordable_forms(candidates, wanted_rounds);
  // Three forms in few rounds say more than a single form in many rounds.
  if (forms < wanted_forms)
    forms = std::max(forms, std::min(wanted_forms, affordable_forms(candidates, least_rounds)));
  std::vector<lock_model> models;
  for (const candidate& each : candidates.first(forms)) models.emplace_back().form = each.form;

  std::size_t rounds = 0;
  while (!models.empty() && rounds < wanted_rounds) {
    const double before_s = spent_s_;
    if (!run_round(models, rounds % 2 == 0)) break;
    ++rounds;
    const double last_round_s = spent_s_ - before_s;
    if (rounds >= least_rounds && spent_s_ + last_round_s > budget_s_) break;
  }
  if (rounds < least_rounds) return {};
  for (lock_model& each : models)
    for (const model_change change : changes)
      if (list_of(each, change).size() != rounds) list_of(each, change).clear();
  return models;
}

std::vector<lock_model> lock_model_meter::measure() {
  std::vector<lock_form> forms = uncalibrated_forms(facts_.kind);
  forms.resize(forms_for_budget(forms.size()));
  if (forms.empty() || !measure_start_and_steps()) return {};
  std::vector<lock_form> usable;
  for (const lock_form& each : forms)
    if (const auto form = calibrated(each)) usable.push_back(*form);
  if (usable.empty()) return {};
  return all_rounds(first_round(usable));
}

}  // namespace

std::optional<model_lock> model_lock_from(std::string_view kind) {
  if (kind == "mutex") return model_lock::mutex;
  if (kind == "spin") return model_lock::spin;
  if (kind == "omp_lock") return model_lock::omp_lock;
  if (kind == "critical") return model_lock::critical;
  return {};
}

std::string form_text(const lock_form& form) {
  return fmt::format("lines={} work={}", argument_of(lines_arguments, form.lines),
                     argument_of(work_arguments, form.work));
}

std::vector<lock_model> measure_lock_models(const lock_facts& facts, const model_runner& runner,
                                            double budget_s) {
  if (facts.threads < 2 || facts.acquisitions == 0 || facts.program_wall_s.empty() ||
      !(facts.alone_cpu_s > 0))
    return {};
  return lock_model_meter(facts, runner, budget_s).measure();
}

}  // namespace syncmeter
