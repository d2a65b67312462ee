// The model of a contended lock, by a scripted program and model: calibration, the choice of forms,
// and the order and number of the rounds.
#include "driver/advise/lock_model.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

namespace syncmeter::lock_model_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using values = std::map<std::string, std::string>;

values values_of(const model_run& run) {
  values found;
  for (const std::string& each : run.arguments) {
    const std::size_t equals = each.find('=');
    found[each.substr(0, equals)] = each.substr(equals + 1);
  }
  return found;
}
std::string form_of(const values& with) {
  return "lines=" + with.at("lines") + " work=" + with.at("work");
}

/// CPU time on this machine: 10 ns for an acquisition, 1.25 ns or 0.5 ns for a work iteration, and
/// 1 ms for a process start.
struct machine {
  double acquisition_ns = 10, dependent_ns = 1.25, independent_ns = 0.5, start_s = 0.001;
  double program_s = 0.3, as_is_s = 0.3, changed_s = 0.1;
  std::map<std::string, double> as_is_of_form{};  ///< before as_is_s
  std::set<std::string> failing_changes{};
  std::size_t first_failure = 0;  ///< program runs before a change fails
  bool overlaps = false;          ///< 150 iterations of independent work take half of their time
  std::size_t failing_program_run = 0;  ///< from 1 on
  std::vector<std::string> log{};       ///< all runs in the team
  std::vector<model_run> model_runs{};
  std::size_t program_runs = 0, runs_alone = 0;

  double work_ns(const values& with) const {
    const double iterations = std::stod(with.at("iterations"));
    if (with.at("work") == "dependent") return iterations * dependent_ns;
    if (overlaps) return iterations / 4 + std::max(0.0, iterations - 150);
    return iterations * independent_ns;
  }
  double cpu_s(const values& with) const {
    const double all = std::stod(with.at("threads")) * std::stod(with.at("acquisitions"));
    const double held_ns = std::stod(with.at("held")) * dependent_ns;
    return start_s + 1e-9 * all * (acquisition_ns + held_ns + work_ns(with));
  }
  std::optional<model_time> run(const model_run& what) {
    model_runs.push_back(what);
    const values with = values_of(what);
    if (what.alone) {
      ++runs_alone;
      return model_time{.wall_s = cpu_s(with), .cpu_s = cpu_s(with)};
    }
    log.push_back(form_of(with) + " " + with.at("change"));
    if (failing_changes.contains(with.at("change")) && program_runs >= first_failure) return {};
    if (with.at("change") != "none") return model_time{.wall_s = changed_s, .cpu_s = 1};
    const auto own = as_is_of_form.find(form_of(with));
    return model_time{.wall_s = own == as_is_of_form.end() ? as_is_s : own->second, .cpu_s = 1};
  }
  model_runner runner() {
    return {.run_program = [this]() -> std::optional<double> {
              log.emplace_back("program");
              if (++program_runs == failing_program_run) return {};
              return program_s;
            },
            .run_model = [this](const model_run& what) { return run(what); }};
  }
};

/// Two threads with 2,000,000 acquisitions each, with 40 ns CPU time alone for each acquisition.
lock_facts counter() {
  return {.threads = 2,
          .acquisitions = 4'000'000,
          .program_wall_s = {0.29, 0.3, 0.32},
          .alone_cpu_s = 0.001 + 4e6 * 40e-9};
}
constexpr double ample_s = 1000;

std::vector<std::string> texts_of(const std::vector<lock_model>& models) {
  std::vector<std::string> texts;
  for (const lock_model& each : models) texts.push_back(form_text(each.form));
  return texts;
}

TEST(measure_lock_models, work_takes_the_cpu_time_alone) {
  machine host;
  const auto models = measure_lock_models(counter(), host.runner(), ample_s);
  ASSERT_THAT(models, SizeIs(10));
  for (const lock_model& each : models) {
    EXPECT_EQ(each.form.held_iterations, 0U);
    EXPECT_NEAR(static_cast<double>(each.form.work_iterations),
                each.form.work == model_work::dependent ? 24 : 60, 1);
  }
  EXPECT_LE(host.runs_alone, 4U + 10 * 4);
}

TEST(measure_lock_models, the_start_of_a_process_is_no_work) {
  machine host;
  host.start_s = 0.03;
  lock_facts facts = counter();
  facts.alone_cpu_s += 0.029;
  const auto models = measure_lock_models(facts, host.runner(), ample_s);
  ASSERT_THAT(models, SizeIs(10));
  EXPECT_NEAR(static_cast<double>(models[0].form.work_iterations), 24, 1);
}

TEST(measure_lock_models, work_that_overlaps_is_found_by_its_own_slope) {
  machine host;
  host.overlaps = true;
  const auto models = measure_lock_models(counter(), host.runner(), ample_s);
  ASSERT_THAT(models, SizeIs(10));
  for (const lock_model& each : models)
    EXPECT_NEAR(static_cast<double>(each.form.work_iterations),
                each.form.work == model_work::dependent ? 24 : 120, 3);
}

TEST(measure_lock_models, held_time_is_a_part_of_the_cpu_time) {
  machine host;
  lock_facts facts = counter();
  facts.held_ns = 15;
  for (const lock_model& each : measure_lock_models(facts, host.runner(), ample_s)) {
    EXPECT_EQ(each.form.held_iterations, 12U);
    EXPECT_NEAR(static_cast<double>(each.form.work_iterations),
                each.form.work == model_work::dependent ? 12 : 30, 1);
  }
  // Held time from a team has lines on their way, which the CPU time alone does not contain.
  facts.held_ns = 100;
  const auto models = measure_lock_models(facts, host.runner(), ample_s);
  ASSERT_THAT(models, SizeIs(10));
  for (const lock_model& each : models) {
    EXPECT_NEAR(static_cast<double>(each.form.held_iterations), 24, 1);
    EXPECT_LE(each.form.work_iterations, 1U);
  }
}

TEST(measure_lock_models, a_lock_that_takes_more_than_the_program_models_nothing) {
  machine host;
  host.acquisition_ns = 60;
  EXPECT_THAT(measure_lock_models(counter(), host.runner(), ample_s), IsEmpty());
  EXPECT_THAT(host.log, IsEmpty()) << "no run in the team";
}

TEST(measure_lock_models, calibration_runs_are_short_and_the_others_whole) {
  machine host;
  (void)measure_lock_models(counter(), host.runner(), ample_s);
  for (const model_run& each : host.model_runs) {
    const values with = values_of(each);
    EXPECT_EQ(with.at("threads"), "2");
    EXPECT_FALSE(each.openmp);
    EXPECT_GT(each.limit_s, 1);
    if (each.alone) EXPECT_LT(host.cpu_s(with), 0.12);
    else EXPECT_EQ(with.at("acquisitions"), "2000000");
  }
}

TEST(measure_lock_models, forms_far_from_the_program_are_dropped) {
  machine host;
  host.as_is_s = 10;
  host.as_is_of_form = {{"lines=own work=dependent", 0.17},
                        {"lines=0 work=dependent", 0.19},
                        {"lines=1 work=dependent", 0.47},
                        {"lines=64 work=independent", 0.49},
                        {"lines=512 work=independent", 0.31}};
  const auto models = measure_lock_models(counter(), host.runner(), ample_s);
  EXPECT_THAT(texts_of(models), ElementsAre("lines=512 work=independent", "lines=1 work=dependent",
                                            "lines=0 work=dependent"));
  EXPECT_THAT(models[0].as_is_s, AllOf(SizeIs(7), Each(0.31)));
}

TEST(measure_lock_models, rounds_go_forward_and_backward) {
  machine host;
  host.as_is_s = 10;
  host.as_is_of_form = {{"lines=0 work=dependent", 0.3}, {"lines=1 work=dependent", 0.31}};
  const auto models = measure_lock_models(counter(), host.runner(), ample_s);
  ASSERT_THAT(models, SizeIs(2));
  for (const lock_model& each : models)
    for (const auto* list :
         {&each.program_s, &each.as_is_s, &each.private_s, &each.atomic_s, &each.shards_s})
      EXPECT_THAT(*list, SizeIs(7));
  ASSERT_THAT(host.log, SizeIs(11 + 7 * 9));
  const std::vector<std::string> forward(host.log.begin() + 11, host.log.begin() + 20);
  EXPECT_THAT(forward,
              ElementsAre("program", "lines=0 work=dependent none",
                          "lines=0 work=dependent private", "lines=0 work=dependent atomic",
                          "lines=0 work=dependent shards", "lines=1 work=dependent none",
                          "lines=1 work=dependent private", "lines=1 work=dependent atomic",
                          "lines=1 work=dependent shards"));
  EXPECT_TRUE(std::equal(forward.rbegin(), forward.rend(), host.log.begin() + 20));
  EXPECT_TRUE(std::equal(forward.begin(), forward.end(), host.log.begin() + 29));
}

TEST(measure_lock_models, each_change_has_its_own_list) {
  machine host;
  const auto models = measure_lock_models(counter(), host.runner(), ample_s);
  ASSERT_FALSE(models.empty());
  EXPECT_THAT(models[0].program_s, Each(0.3));
  EXPECT_THAT(models[0].private_s, Each(0.1));
  host.failing_changes = {"atomic"};
  const auto without = measure_lock_models(counter(), host.runner(), ample_s);
  ASSERT_THAT(without, SizeIs(10));
  EXPECT_THAT(without[0].atomic_s, IsEmpty());
  EXPECT_THAT(without[0].shards_s, SizeIs(7));
  const auto repeated = std::ranges::count(host.log, "lines=own work=dependent atomic");
  EXPECT_EQ(repeated, 7 + 1) << "not again after it failed";
  host.failing_changes = {"shards"};
  host.first_failure = host.program_runs + 5;
  const auto late = measure_lock_models(counter(), host.runner(), ample_s);
  ASSERT_THAT(late, SizeIs(10));
  EXPECT_THAT(late[0].shards_s, IsEmpty()) << "not a part of the rounds";
  EXPECT_THAT(late[0].atomic_s, SizeIs(7));
  host.failing_changes = {"none"};
  EXPECT_THAT(measure_lock_models(counter(), host.runner(), ample_s), IsEmpty());
}

TEST(measure_lock_models, long_programs_have_three_rounds) {
  machine host;
  host.program_s = host.as_is_s = 2;
  lock_facts facts = counter();
  facts.program_wall_s = {2};
  const auto models = measure_lock_models(facts, host.runner(), ample_s);
  ASSERT_FALSE(models.empty());
  EXPECT_THAT(models[0].program_s, SizeIs(3));
}

TEST(measure_lock_models, a_budget_without_room_for_three_rounds_runs_nothing) {
  machine host;
  EXPECT_THAT(measure_lock_models(counter(), host.runner(), 1), IsEmpty());
  EXPECT_THAT(host.log, IsEmpty());
  EXPECT_THAT(host.model_runs, IsEmpty());
}

TEST(measure_lock_models, a_small_budget_keeps_the_nearest_forms) {
  machine host;
  host.as_is_of_form = {{"lines=64 work=dependent", 0.31}};
  host.as_is_s = 0.4;
  host.changed_s = 0.4;
  // 10 forms take 5 s before the rounds. A round with one form takes 1.9 s.
  const auto models = measure_lock_models(counter(), host.runner(), 20);
  ASSERT_THAT(models, SizeIs(3)) << "instead of a single form in seven rounds";
  EXPECT_EQ(form_text(models[0].form), "lines=64 work=dependent");
  EXPECT_THAT(models[0].program_s, SizeIs(3));
  double spent_s = 0;
  for (const std::string& each : host.log) spent_s += each == "program" ? 0.3 : 0.4;
  EXPECT_LE(spent_s, 21);
  // Less room: fewer forms from the start.
  machine other;
  EXPECT_THAT(measure_lock_models(counter(), other.runner(), 6.5), SizeIs(1));
}

TEST(measure_lock_models, a_program_that_fails_ends_the_rounds) {
  machine host;
  host.failing_program_run = 1;
  EXPECT_THAT(measure_lock_models(counter(), host.runner(), ample_s), IsEmpty());
  host.failing_program_run = host.program_runs + 4;  // the third round
  EXPECT_THAT(measure_lock_models(counter(), host.runner(), ample_s), IsEmpty());
  host.failing_program_run = host.program_runs + 6;  // the fifth round
  const auto models = measure_lock_models(counter(), host.runner(), ample_s);
  ASSERT_FALSE(models.empty());
  EXPECT_THAT(models[0].program_s, SizeIs(4));
  EXPECT_THAT(models[0].shards_s, SizeIs(4));
}

TEST(measure_lock_models, openmp_has_its_own_program) {
  machine host;
  lock_facts facts = counter();
  facts.kind = model_lock::critical;
  EXPECT_THAT(measure_lock_models(facts, host.runner(), ample_s), SizeIs(8))
      << "the line of its lock is hidden";
  for (const model_run& each : host.model_runs) {
    EXPECT_TRUE(each.openmp);
    EXPECT_EQ(values_of(each).at("lock"), "omp_critical");
  }
}

TEST(measure_lock_models, facts_without_contention_or_times_have_no_model) {
  machine host;
  for (void (*const change)(lock_facts&) :
       {+[](lock_facts& facts) { facts.threads = 1; },
        +[](lock_facts& facts) { facts.acquisitions = 0; },
        +[](lock_facts& facts) { facts.program_wall_s.clear(); },
        +[](lock_facts& facts) { facts.alone_cpu_s = 0; }}) {
    lock_facts facts = counter();
    change(facts);
    EXPECT_THAT(measure_lock_models(facts, host.runner(), ample_s), IsEmpty());
  }
  EXPECT_THAT(host.model_runs, IsEmpty());
}

TEST(model_lock_from, knows_the_kinds_with_a_model) {
  EXPECT_EQ(model_lock_from("mutex"), model_lock::mutex);
  EXPECT_EQ(model_lock_from("spin"), model_lock::spin);
  EXPECT_EQ(model_lock_from("omp_lock"), model_lock::omp_lock);
  EXPECT_EQ(model_lock_from("critical"), model_lock::critical);
  EXPECT_FALSE(model_lock_from("rwlock"));
}

}  // namespace
}  // namespace syncmeter::lock_model_test
