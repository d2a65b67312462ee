#include "driver/commands/ab_command.hpp"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/ab/ab_options.hpp"
#include "driver/ab/ab_text.hpp"
#include "driver/ab/arm_plan.hpp"
#include "driver/campaign/campaign.hpp"
#include "driver/campaign/planned_before.hpp"
#include "driver/campaign/progress.hpp"
#include "driver/commands/campaign_start.hpp"
#include "driver/plan/placement_states.hpp"
#include "driver/plan/planned_machine.hpp"
#include "driver/show/table.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/quote.hpp"

namespace syncmeter {
namespace {

constexpr int nothing_comparable = 2;

compared_arms arms_of_file(const results_file& file) {
  std::optional<compared_arms> arms = arms_in(file);
  if (!arms)
    throw usage_error(fmt::format("--resume: '{}' does not compare two builds; continue it with: "
                                  "syncmeter run --resume {}",
                                  file.path, shell_word(file.path)));
  return *arms;
}

int print(const arm_comparison& comparison, const std::string& format, std::FILE* out) {
  if (format == "json") fmt::print(out, "{}\n", ab_json(comparison).dump());
  else if (format == "markdown") fmt::print(out, "{}", printable(ab_markdown(comparison), true));
  else fmt::print(out, "{}", printable(ab_text(comparison, style_of(::fileno(out))), true));
  return comparison.exit_status();
}

/// What the file says now; the plan's own counts, as a resumed file has those of its beginning.
int compare_file(const std::string& path, const campaign_plan& plan, const run_options& options,
                 const std::string& format, std::FILE* out) {
  if (!std::filesystem::is_regular_file(path)) {
    std::fprintf(stderr,
                 "syncmeter: no comparison: the results went to '%s', which is not a file\n",
                 printable(path).c_str());
    return nothing_comparable;
  }
  const results_file file = read_results(path);
  const int status =
      print(compare_arms(file, *plan.arms, options.visits.value_or(usual_ab_visits)), format, out);
  if (format == "text") fmt::print(out, "{}\n", printable(fmt::format("Results: {}", path)));
  return status;
}

}  // namespace

int ab_command(const std::string& program, const std::vector<std::string>& arguments,
               std::FILE* out) {
  ab_request request = parse_ab(arguments);
  if (request.run.help) {
    std::fputs(ab_help().c_str(), out);
    return 0;
  }
  run_options options = request.run.options;
  results_file before;
  if (options.resume) {
    before = read_results(*options.resume);
    request.arms = arms_of_file(before);
    options = resumed_options(options, before);
  }
  if (options.topology) options.topology = std::filesystem::absolute(*options.topology).string();

  progress at_start(STDERR_FILENO);
  if (!options.dry_run) at_start.show_step("reading the capabilities of the workers");
  auto [machine, grant] = machine_for(options);
  avoid_busy_pus(machine, grant, options);
  const auto of_builds = workers_of_arms(request.arms);
  if (!options.dry_run) at_start.show_step("comparing the machine code of the loops");
  campaign_plan plan = plan_arms(options, request.arms, of_builds, machine, grant);
  at_start.clear();
  const std::vector<worker_info> workers = in_arms(of_builds, *plan.arms);
  if (options.resume) plan.missing = visits_missing(plan, before, workers);
  before = {};
  const double probing = options.resume ? 0 : probing_s(plan, workers, machine, grant);
  plan.predicted_s += probing;
  tell_unbound(grant);
  if (options.dry_run) {
    std::fputs(printable(plan_text(plan, &machine), true).c_str(), out);
    return 0;
  }
  // Nothing to measure is an answer too.
  if (plan.points.empty()) return print({.arms = *plan.arms, .points = {}}, request.format, out);

  if (!options.resume) at_start.note(plan_summary(plan, probing));
  std::vector<std::string> argv{program, "ab"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const campaign_outcome outcome = run_campaign(plan, options, workers, machine, argv);
  const int status = compare_file(outcome.file, plan, options, request.format, out);
  if (outcome.interrupted_by != 0) return 128 + outcome.interrupted_by;
  return status;
}

}  // namespace syncmeter
