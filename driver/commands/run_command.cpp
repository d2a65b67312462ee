// `syncmeter run`: plan, measure, show.
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/campaign/campaign.hpp"
#include "driver/campaign/planned_before.hpp"
#include "driver/campaign/progress.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/commands/campaign_start.hpp"
#include "driver/commands/commands.hpp"
#include "driver/plan/placement_states.hpp"
#include "driver/plan/planned_machine.hpp"
#include "driver/results/results.hpp"
#include "driver/show/csv.hpp"
#include "driver/show/show_command.hpp"
#include "driver/show/table.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/quote.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/known_backends.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

std::vector<std::string> backends_to_look_for(const run_options& options,
                                              const results_file& before) {
  if (!options.backends.empty()) return options.backends;
  if (const auto planned = backends_planned(before); !planned.empty()) return planned;
  std::vector<std::string> names;
  for (const known_backend& known : known_backends()) names.push_back(known.name);
  return names;
}

// The plan that the file began with: no worker's points that came since, and what is gone is named.
campaign_plan planned_again(const run_options& options, std::vector<worker_info>& workers,
                            const topology& machine, const cpu_grant& grant,
                            const results_file& before) {
  if (const auto planned = backends_planned(before); !planned.empty())
    keep_backends(workers, planned);
  campaign_plan plan = make_plan(options, workers, machine, grant);
  if (has_more_points(plan, before) && options.backends.empty()) {
    keep_backends(workers, visited_backends(before));
    plan = make_plan(options, workers, machine, grant);
  }
  plan.missing = visits_missing(plan, before, workers);
  return plan;
}

std::vector<std::string> files_of(const run_options& options) {
  std::vector<std::string> files;
  for (const auto* file : {&options.output, &options.resume, &options.topology}) {
    if (*file) files.push_back(**file);
  }
  return files;
}

}  // namespace

int run_command(const std::string& program, const std::vector<std::string>& arguments,
                std::FILE* out) {
  const run_request request = parse_run(arguments);
  if (request.help) {
    std::fputs(run_help().c_str(), out);
    return 0;
  }
  results_file before;
  if (request.options.resume) before = read_results(*request.options.resume);
  if (before.campaign.contains("ab"))
    throw usage_error(fmt::format("--resume: '{}' compares two builds; continue it with: syncmeter "
                                  "ab --resume {}",
                                  before.path, shell_word(before.path)));
  run_options options =
      request.options.resume ? resumed_options(request.options, before) : request.options;
  if (request.options.list_workers) {
    for (const std::string& name : workers_for(options)) fmt::print(out, "{}\n", name);
    return 0;
  }
  // A campaign may be resumed from another folder.
  if (options.topology) options.topology = std::filesystem::absolute(*options.topology).string();
  const show_view view{
      .csv = options.csv, .force = options.force, .wide = options.wide, .verbose = options.verbose};
  if (view.csv) require_writable(csv_file(view, files_of(options)));

  progress at_start(STDERR_FILENO);
  if (!options.dry_run) at_start.show_step("reading the capabilities of the workers");
  auto [machine, grant] = machine_for(options);
  avoid_busy_pus(machine, grant, options);
  std::vector<worker_info> workers = find_workers(backends_to_look_for(options, before));
  for (worker_info& worker : workers) read_census(worker);
  at_start.clear();
  for (const worker_info& worker : workers) {
    for (const std::string& sentence : worker.passed_over)
      std::fprintf(stderr, "syncmeter: %s\n", printable(sentence).c_str());
  }
  if (options.backends.empty()) {
    for (const std::string& sentence : left_out(workers))
      std::fprintf(stderr, "syncmeter: %s\n", printable(sentence).c_str());
  }
  campaign_plan plan = options.resume ? planned_again(options, workers, machine, grant, before)
                                      : make_plan(options, workers, machine, grant);
  before = {};
  const double probing = options.resume ? 0 : probing_s(plan, workers, machine, grant);
  plan.predicted_s += probing;
  tell_unbound(grant);
  if (options.dry_run) {
    std::fputs(printable(plan_text(plan, &machine), true).c_str(), out);
    return 0;
  }

  if (!options.resume) at_start.note(plan_summary(plan, probing));
  std::vector<std::string> argv{program, "run"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const campaign_outcome outcome = run_campaign(plan, options, workers, machine, argv);
  int shown = 0;
  if (std::filesystem::is_regular_file(outcome.file)) {
    shown = show_results(outcome.file, view, out);
  } else {
    std::fprintf(stderr, "syncmeter: no table: the results went to '%s', which is not a file\n",
                 printable(outcome.file).c_str());
  }
  if (outcome.interrupted_by != 0) return 128 + outcome.interrupted_by;
  if (outcome.any_failed || shown != 0) return 1;
  if (outcome.misses_visits) return exit_misses_visits;
  return outcome.budget_spent ? exit_budget_spent : 0;
}

}  // namespace syncmeter
