// A scheduler tells its jobs who they are by variables of the environment.
#include "core/machine/scheduler.hpp"

#include <cstdlib>
#include <vector>

#include <nlohmann/json.hpp>

namespace syncmeter {
namespace {

struct told {
  const char* member;
  const char* variable;
};

struct scheduler_words {
  const char* name;
  const char* job;  ///< the variable that only jobs of this scheduler have
  std::vector<told> more;
};

const std::vector<scheduler_words>& schedulers() {
  static const std::vector<scheduler_words> known{
      // The innermost first: Flux is often started by one of the others.
      {"flux", "FLUX_JOB_ID", {}},
      {"slurm",
       "SLURM_JOB_ID",
       {{"array_job", "SLURM_ARRAY_JOB_ID"},
        {"array_task", "SLURM_ARRAY_TASK_ID"},
        {"step", "SLURM_STEP_ID"},
        {"node", "SLURMD_NODENAME"},
        {"cluster", "SLURM_CLUSTER_NAME"},
        {"partition", "SLURM_JOB_PARTITION"}}},
      {"pbs", "PBS_JOBID", {{"array_task", "PBS_ARRAY_INDEX"}, {"partition", "PBS_QUEUE"}}},
      {"lsf", "LSB_JOBID", {{"array_task", "LSB_JOBINDEX"}, {"partition", "LSB_QUEUE"}}},
  };
  return known;
}

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

}  // namespace

nlohmann::json describe_scheduler(const read_variable& variable) {
  for (const scheduler_words& words : schedulers()) {
    const char* const job = variable(words.job);
    if (!is_set(job)) continue;
    nlohmann::json found{{"name", words.name}, {"job", job}};
    for (const told& each : words.more) {
      if (const char* const value = variable(each.variable); is_set(value))
        found[each.member] = value;
    }
    return found;
  }
  return nullptr;
}

nlohmann::json describe_scheduler() {
  return describe_scheduler([](const char* name) { return std::getenv(name); });
}

}  // namespace syncmeter
