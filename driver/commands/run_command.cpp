// `syncmeter run` plans, measures and shows. `syncmeter ab` does the same for two builds in one
// campaign and compares them.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/ab/ab_programs.hpp"
#include "driver/ab/arm_plan.hpp"
#include "driver/campaign/campaign.hpp"
#include "driver/campaign/progress.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/commands/commands.hpp"
#include "driver/plan/pinned_lanes.hpp"
#include "driver/plan/placement_states.hpp"
#include "driver/results/campaign_lines.hpp"
#include "driver/results/resume.hpp"
#include "driver/show/report_program.hpp"
#include "driver/show/table.hpp"
#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

constexpr int nothing_comparable = 2;
constexpr std::size_t longest_path = 200;

void print_notes(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) print_message(sentence);
}

/// Returns the options of a resumed campaign: every setting that decided its points, and the new
/// request. Throws usage_error if the file does not have the options.
run_options resumed_options(const run_options& now, const results_file& file) {
  run_options then;
  try {
    then = file.campaign.at("options").get<run_options>();
  } catch (const std::exception& error) {
    throw usage_error("--resume: '" + *now.resume +
                      "' does not contain the options of its run: " + error.what());
  }
  then.resume = now.resume;
  then.retry = now.retry;
  then.budget_s = now.budget_s;
  then.csv = now.csv;
  then.force = now.force;
  then.output.reset();
  then.dry_run = false;
  return then;
}

/// Returns the machine for the campaign's plan. Probes for quiet PUs if lanes need them. A resumed
/// campaign keeps its first PUs.
planned_machine machine_of(const run_options& options) {
  planned_machine here = machine_for(options);
  const auto& policies = options.affinities;
  if (!contains(policies, affinity::quiet)) return here;
  if (options.resume) here.machine.avoid(busy_in(read_results(*options.resume).campaign));
  else if (!options.dry_run && here.grant.unbound_because.empty())
    here.machine.avoid(probe_busy_shares(here.machine, max_lanes(here.machine, here.grant)));
  return here;
}

// Printed before the first visit and the probes, because the probes would leave a reader waiting in
// silence.
std::string plan_summary(const campaign_plan& plan, double probing_s) {
  const std::size_t n = plan.points.size();
  std::string text = fmt::format("{} configuration{}, about {:.0f} s", n, n == 1 ? "" : "s",
                                 std::ceil(plan.predicted_s));
  if (probing_s > 0)
    text += fmt::format("; the first {:g} s measure the core-to-core latency", probing_s);
  return text;
}

/// Measures the plan for the command `words`. Returns no outcome if it only prints the plan.
std::optional<campaign_outcome> measure(campaign_plan& plan, const run_options& options,
                                        const std::vector<worker_info>& workers,
                                        const planned_machine& here,
                                        const std::vector<std::string>& words, std::FILE* out) {
  const double probing = options.resume ? 0 : probing_s(plan, workers, here.machine, here.grant);
  plan.predicted_s += probing;
  if (options.dry_run) {
    std::fputs(printable(plan_text(plan, &here.machine), true).c_str(), out);
    return std::nullopt;
  }
  if (!options.resume) progress(STDERR_FILENO).note(plan_summary(plan, probing));
  return run_campaign(plan, options, workers, here.machine, words);
}

void note_unbound_lanes(const cpu_grant& grant) {
  if (!grant.unbound_because.empty())
    print_notes({"threads cannot be bound here, so that the operating system places them: " +
                 grant.unbound_because});
}

std::vector<std::string> words_of(const std::string& program, const char* command,
                                  const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program, command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::vector<std::string> backends_to_look_for(const run_options& options,
                                              const results_file& before) {
  if (!options.backends.empty()) return options.backends;
  const std::vector<std::string> planned = backends_planned(before);
  return planned.empty() ? known_backend_names() : planned;
}

// Returns whether a worker for `name` (empty: for any backend) can be used. Without a usable worker
// all visits count as missing, like the visits of one lost worker.
bool is_usable(const std::vector<worker_info>& workers, const std::string& name) {
  return std::ranges::any_of(workers, [&](const worker_info& worker) {
    return std::ranges::any_of(worker.backends, [&](const std::string& backend) {
      const bool is_it = backend == name || worker.name == name || name.empty();
      return is_it && problem_of(worker, backend).empty();
    });
  });
}

// Returns the file's original plan: without points of later workers, and with missing workers
// named.
campaign_plan planned_again(run_options options, std::vector<worker_info>& workers,
                            const planned_machine& here, const results_file& before) {
  if (const auto planned = backends_planned(before); !planned.empty())
    keep_backends(workers, planned);
  if (!backends_planned(before).empty()) {
    if (!is_usable(workers, "")) {
      campaign_plan none;
      none.missing = visits_missing(none, before, workers);
      if (!none.missing.empty()) return none;
    }
    std::erase_if(options.backends,
                  [&](const std::string& name) { return !is_usable(workers, name); });
  }
  campaign_plan plan = make_plan(options, workers, here.machine, here.grant);
  if (has_more_points(plan, before) && options.backends.empty()) {
    keep_backends(workers, visited_backends(before));
    plan = make_plan(options, workers, here.machine, here.grant);
  }
  plan.missing = visits_missing(plan, before, workers);
  return plan;
}

std::vector<std::string> files_of(const run_options& options) {
  std::vector<std::string> files;
  for (const auto* file : {&options.output, &options.resume, &options.topology})
    if (*file) files.push_back(**file);
  return files;
}

int run_command(const std::string& program, const std::vector<std::string>& arguments,
                std::FILE* out) {
  const run_request request = parse_run(arguments);
  if (request.help) {
    std::fputs(run_help().c_str(), out);
    return 0;
  }
  run_options options = request.options;
  results_file before;
  if (options.resume) {
    before = read_results(*options.resume);
    if (before.campaign.contains("ab"))
      throw usage_error(fmt::format("--resume: '{}' compares two builds; continue it with: "
                                    "syncmeter ab A B --resume {}, with its builds for A and B",
                                    before.path, shell_word(before.path)));
    options = resumed_options(options, before);
  }
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
  const planned_machine here = machine_of(options);
  std::vector<worker_info> workers = find_workers(backends_to_look_for(options, before));
  for (worker_info& worker : workers) read_census(worker);
  at_start.clear();
  for (const worker_info& worker : workers) print_notes(worker.passed_over);
  if (options.backends.empty()) print_notes(left_out(workers));
  campaign_plan plan = options.resume ? planned_again(options, workers, here, before)
                                      : make_plan(options, workers, here.machine, here.grant);
  before = {};
  note_unbound_lanes(here.grant);
  if (!options.dry_run && !plan.backends_missing.empty()) print_message(plan.backends_missing);
  const std::optional<campaign_outcome> outcome =
      measure(plan, options, workers, here, words_of(program, "run", arguments), out);
  if (!outcome) return 0;
  int shown = 0;
  if (std::filesystem::is_regular_file(outcome->file))
    shown = show_results(outcome->file, view, out);
  else
    print_notes(
        {fmt::format("no table: the results went to '{}', which is not a file", outcome->file)});
  if (outcome->interrupted_by != 0) return 128 + outcome->interrupted_by;
  if (outcome->any_failed || outcome->file_restored || shown != 0) return 1;
  if (outcome->misses_visits) return exit_misses_visits;
  return outcome->budget_spent ? exit_budget_spent : 0;
}

compared_arms arms_of_file(const results_file& file) {
  std::optional<compared_arms> arms = arms_in(file.campaign, file.path);
  if (!arms)
    throw usage_error(fmt::format("--resume: '{}' does not compare two builds; continue it with: "
                                  "syncmeter run --resume {}",
                                  file.path, shell_word(file.path)));
  return *arms;
}

std::string settings_text(const std::vector<std::string>& settings) {
  return settings.empty() ? "(none)" : join(settings, " ");
}

/// Returns the arms of a continued campaign: settings from the file, builds and environments from
/// the command line. Runs nothing from the file, because files may come from strangers. Throws
/// usage_error if the builds are not named or differ from the file's builds.
compared_arms arms_to_continue(const results_file& file, const compared_arms& named) {
  compared_arms arms = arms_of_file(file);
  if (named.arms[0].path.empty()) {
    throw usage_error(fmt::format(
        "--resume: '{}' is not complete, and goes on with its builds {} ({}) and {} ({}): name "
        "them "
        "again, with their --env-a and --env-b, as in syncmeter ab old=old/bin new=new/bin "
        "--resume {}; syncmeter compare prints what the file has",
        file.path, quote(arms.arms[0].name), quote(arms.arms[0].path, longest_path),
        quote(arms.arms[1].name), quote(arms.arms[1].path, longest_path), shell_word(file.path)));
  }
  for (std::size_t i = 0; i < arms.arms.size(); ++i) {
    const build_arm &then = arms.arms[i], &now = named.arms[i];
    const auto require = [&](bool same, const std::string& what, const std::string& in_file,
                             const std::string& given) {
      if (same) return;
      throw usage_error(fmt::format("--resume: '{}' was begun with {} {}, but here it is {}",
                                    file.path, what, quote(in_file, longest_path),
                                    quote(given, longest_path)));
    };
    require(then.name == now.name, i == 0 ? "a build A named" : "a build B named", then.name,
            now.name);
    require(then.environment == now.environment,
            fmt::format("{} of build {}", i == 0 ? "--env-a" : "--env-b", quote(then.name)),
            settings_text(then.environment), settings_text(now.environment));
  }
  arms.arms = named.arms;
  return arms;
}

bool is_complete(const results_file& file) {
  return file.end.is_object() && text_in(file.end, "reason") == "complete" && !file.torn &&
         has_all_point_lines(file);
}

// Lets `compare` report that nothing was measured, by a file with only a campaign line.
int compare_nothing(const campaign_plan& plan, const run_options& options,
                    const std::vector<std::string>& comparison, std::FILE* out) {
  std::string path = (std::filesystem::temp_directory_path() / "syncmeter-XXXXXX").string();
  const unique_fd made(::mkstemp(path.data()));
  const std::string line =
      nlohmann::json{{"kind", "campaign"},
                     {"schema", {{"major", schema_major}, {"minor", schema_minor}}},
                     {"options", options},
                     {"ab", arms_json(*plan.arms)}}
          .dump() +
      "\n";
  const bool written =
      made && ::write(made.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) {
    print_notes({fmt::format("no comparison: '{}' cannot be written", path)});
    return nothing_comparable;
  }
  const int status = add_comparison(path, comparison, false, out);
  std::filesystem::remove(path);
  return status;
}

int compare_file(const std::string& path, const ab_request& request, std::FILE* out) {
  if (!std::filesystem::is_regular_file(path)) {
    print_notes(
        {fmt::format("no comparison: the results went to '{}', which is not a file", path)});
    return nothing_comparable;
  }
  const int status = add_comparison(path, request.of_comparison(), true, out);
  if (request.format == "text")
    fmt::print(out, "{}\n", printable(fmt::format("Results: {}", path)));
  return status;
}

/// Returns the status of the comparison: that of `syncmeter-report compare`.
int ab_command(const std::string& program, const std::vector<std::string>& arguments,
               std::FILE* out) {
  if (names_programs(arguments)) return compare_commands(arguments, out);
  ab_request request = parse_ab(arguments);
  if (request.run.help) {
    std::fputs(ab_help().c_str(), out);
    return 0;
  }
  run_options options = request.run.options;
  results_file before;
  if (options.resume) {
    before = read_results(*options.resume);
    const bool measures = !request.arms.arms[0].path.empty() || options.retry || options.budget_s;
    if (!measures && arms_in(before.campaign, before.path) && is_complete(before))
      return compare_file(*options.resume, request, out);
    request.arms = arms_to_continue(before, request.arms);
    options = resumed_options(options, before);
  }
  if (options.topology) options.topology = std::filesystem::absolute(*options.topology).string();

  progress at_start(STDERR_FILENO);
  if (!options.dry_run) at_start.show_step("reading the capabilities of the workers");
  const planned_machine here = machine_of(options);
  const auto of_builds = workers_of_arms(request.arms);
  if (!options.dry_run) at_start.show_step("comparing the machine code of the loops");
  campaign_plan plan = plan_arms(options, request.arms, of_builds, here.machine, here.grant);
  at_start.clear();
  const std::vector<worker_info> workers = in_arms(of_builds, *plan.arms);
  if (options.resume) plan.missing = visits_missing(plan, before, workers);
  before = {};
  note_unbound_lanes(here.grant);
  if (plan.points.empty() && !options.dry_run)
    return compare_nothing(plan, options, request.of_comparison(), out);
  const std::optional<campaign_outcome> outcome =
      measure(plan, options, workers, here, words_of(program, "ab", arguments), out);
  if (!outcome) return 0;
  const int status = compare_file(outcome->file, request, out);
  if (outcome->interrupted_by != 0) return 128 + outcome->interrupted_by;
  return outcome->file_restored ? 1 : status;
}

}  // namespace

command run_row() {
  return {.name = "run",
          .purpose = "measures a study (default: quick), prints costs and recommendations",
          .options = run_command_rows(),
          .run = &run_command,
          .notes = "Separate the elements of a LIST by commas, without spaces. " + report_notes()};
}

command ab_row() {
  return {.name = "ab",
          .purpose = "measures two builds, or programs, alternately: what got slower",
          .options = ab_rows(),
          .run = &ab_command,
          .word = "A B",
          .notes = ab_notes()};
}

}  // namespace syncmeter
