#include "driver/commands/ab_command.hpp"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/ab/ab_options.hpp"
#include "driver/ab/arm_plan.hpp"
#include "driver/campaign/campaign.hpp"
#include "driver/campaign/planned_before.hpp"
#include "driver/campaign/progress.hpp"
#include "driver/commands/campaign_start.hpp"
#include "driver/plan/placement_states.hpp"
#include "driver/plan/planned_machine.hpp"
#include "driver/results/results.hpp"
#include "driver/show/report_program.hpp"
#include "driver/show/table.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/quote.hpp"
#include "driver/text/line_reader.hpp"

namespace syncmeter {
namespace {

constexpr int nothing_comparable = 2;

compared_arms arms_of_file(const results_file& file) {
  std::optional<compared_arms> arms = arms_in(file.campaign, file.path);
  if (!arms)
    throw usage_error(fmt::format("--resume: '{}' does not compare two builds; continue it with: "
                                  "syncmeter run --resume {}",
                                  file.path, shell_word(file.path)));
  return *arms;
}

// Nothing to measure is an answer too, and `compare` gives it: of a file with a campaign line
// alone.
int compare_nothing(const campaign_plan& plan, const run_options& options,
                    const std::string& format, std::FILE* out) {
  std::string path = (std::filesystem::temp_directory_path() / "syncmeter-XXXXXX").string();
  const unique_fd made(::mkstemp(path.data()));
  const std::string line =
      nlohmann::json{{"kind", "campaign"},
                     {"schema", {{"major", schema_major}, {"minor", schema_minor}}},
                     {"options", options},
                     {"ab", *plan.arms}}
          .dump() +
      "\n";
  const bool written =
      made && ::write(made.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) {
    std::fprintf(stderr, "syncmeter: no comparison: '%s' cannot be written\n", path.c_str());
    return nothing_comparable;
  }
  const int status = add_comparison(path, format, false, out);
  std::filesystem::remove(path);
  return status;
}

int compare_file(const std::string& path, const std::string& format, std::FILE* out) {
  if (!std::filesystem::is_regular_file(path)) {
    std::fprintf(stderr,
                 "syncmeter: no comparison: the results went to '%s', which is not a file\n",
                 printable(path).c_str());
    return nothing_comparable;
  }
  const int status = add_comparison(path, format, true, out);
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
  if (plan.points.empty()) return compare_nothing(plan, options, request.format, out);

  if (!options.resume) at_start.note(plan_summary(plan, probing));
  std::vector<std::string> argv{program, "ab"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const campaign_outcome outcome = run_campaign(plan, options, workers, machine, argv);
  const int status = compare_file(outcome.file, request.format, out);
  if (outcome.interrupted_by != 0) return 128 + outcome.interrupted_by;
  return status;
}

}  // namespace syncmeter
