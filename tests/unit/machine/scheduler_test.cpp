// The job that a scheduler's variables name, and the lines of a results file that keep it.
#include "core/machine/environment.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "driver/results/campaign_lines.hpp"

namespace syncmeter::scheduler_test {
namespace {

using nlohmann::json;

json told_by(const std::map<std::string, std::string>& variables) {
  return describe_scheduler([&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(scheduler_test, without_a_job_there_is_none) {
  EXPECT_TRUE(told_by({}).is_null());
  EXPECT_TRUE(told_by({{"SLURM_JOB_ID", ""}, {"SLURM_CLUSTER_NAME", "c"}}).is_null());
}

TEST(scheduler_test, slurm_names_job_node_and_step) {
  EXPECT_EQ(
      told_by({{"SLURM_JOB_ID", "17"},
               {"SLURM_STEP_ID", "0"},
               {"SLURMD_NODENAME", "n3"},
               {"SLURM_ARRAY_TASK_ID", ""},
               {"SLURM_JOB_PARTITION", "all"}}),
      json(
          {{"name", "slurm"}, {"job", "17"}, {"step", "0"}, {"node", "n3"}, {"partition", "all"}}));
}

TEST(scheduler_test, others_are_told_apart) {
  EXPECT_EQ(told_by({{"PBS_JOBID", "5.head"}, {"PBS_QUEUE", "q"}}),
            json({{"name", "pbs"}, {"job", "5.head"}, {"partition", "q"}}));
  EXPECT_EQ(told_by({{"LSB_JOBID", "6"}}), json({{"name", "lsf"}, {"job", "6"}}));
  EXPECT_EQ(told_by({{"FLUX_JOB_ID", "f7"}, {"SLURM_JOB_ID", "8"}}),
            json({{"name", "flux"}, {"job", "f7"}}))
      << "the inner one starts the process";
}

TEST(scheduler_test, first_and_last_line_keep_the_job_and_say_nothing_without_one) {
  campaign_facts facts;
  EXPECT_FALSE(campaign_line(facts, {}).contains("scheduler"));
  facts.scheduler = {{"name", "slurm"}, {"job", "17"}};
  EXPECT_EQ(campaign_line(facts, {}).at("scheduler"), facts.scheduler);
  run_totals totals;
  EXPECT_FALSE(end_line(totals).contains("scheduler"));
  totals.scheduler = facts.scheduler;
  EXPECT_EQ(end_line(totals).at("scheduler"), facts.scheduler);
}

}  // namespace
}  // namespace syncmeter::scheduler_test
