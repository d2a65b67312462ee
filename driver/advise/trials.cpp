#include "driver/advise/trials.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/machine/topology.hpp"
#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

enum class change_to_try {
  spin,
  sleep,
  threads_of_pus,
  half_of_threads,
  one_level,
  bind,
  schedule,
  libomp
};

struct promise {
  std::string_view rule;
  std::vector<change_to_try> changes;
};

/// What each advice makes promising, the likeliest first.
const std::vector<promise>& promises() {
  using enum change_to_try;
  static const std::vector<promise> all{
      {"oversubscription", {threads_of_pus, sleep}},
      {"nested", {one_level}},
      {"sleeping", {spin}},
      {"regions", {spin, bind, libomp, half_of_threads}},
      {"barriers", {spin, bind, libomp, half_of_threads}},
      {"imbalance", {schedule, bind}},
      {"chunks", {schedule, libomp}},
      {"tasks", {libomp, half_of_threads}},
  };
  return all;
}

std::vector<std::vector<std::string>> settings_of(change_to_try change, const advice& each,
                                                  const program_counts& of,
                                                  const trial_facts& facts) {
  using enum change_to_try;
  const bool gomp = std::ranges::any_of(
      of.file.runtimes, [](const std::string& name) { return name.starts_with("libgomp."); });
  switch (change) {
  case spin:
    return {{"OMP_WAIT_POLICY=active"}};
  case sleep:
    return {{"OMP_WAIT_POLICY=passive"}};
  case threads_of_pus:
    if (facts.pus == 0) return {};
    return {{fmt::format("OMP_NUM_THREADS={}", facts.pus)}};
  case half_of_threads:
    if (facts.pus < 2) return {};
    return {{fmt::format("OMP_NUM_THREADS={}", facts.pus / 2)}};
  case one_level:
    return {{"OMP_MAX_ACTIVE_LEVELS=1"}};
  case bind:
    return {{"OMP_PROC_BIND=close", "OMP_PLACES=threads"}};
  case schedule:
    if (!of.file.takes_schedule) return {};
    if (each.rule == "chunks") return {{"OMP_SCHEDULE=static"}, {"OMP_SCHEDULE=guided"}};
    return {{"OMP_SCHEDULE=dynamic"}, {"OMP_SCHEDULE=guided"}};
  case libomp:
    if (!gomp || facts.libomp.empty()) return {};
    return {{"LD_PRELOAD=" + facts.libomp}};
  }
  return {};
}

bool is_set(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const char* const now = std::getenv(setting.substr(0, equals).c_str());
  return now != nullptr && setting.substr(equals + 1) == now;
}

/// Of the constructs of OpenMP, which its variables change.
bool is_of_openmp(const advice& each, const std::vector<site>& sites) {
  if (each.site_id == 0 || each.site_id > sites.size()) return false;
  const std::string& kind = sites[each.site_id - 1].kind;
  return kind != "barrier_wait" && lock_kind_of(kind).empty();
}

/// The first libomp with entry points of libgomp where distributions put it.
std::string find_libomp() {
  std::vector<fs::path> folders{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                "/usr/lib64", "/usr/lib"};
  std::error_code ignored;
  std::vector<fs::path> versions;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib", ignored))
    if (entry.path().filename().string().starts_with("llvm-"))
      versions.push_back(entry.path() / "lib");
  std::ranges::sort(versions);
  folders.insert(folders.end(), versions.rbegin(), versions.rend());
  for (const fs::path& folder : folders) {
    for (const char* name : {"libomp.so.5", "libomp.so"}) {
      const fs::path path = folder / name;
      if (!fs::exists(path, ignored)) continue;
      try {
        if (read_elf_symbols(path).functions.contains("GOMP_parallel")) return path;
      } catch (const disassembly_error&) {
        continue;  // a linker script, or of another word size
      }
    }
  }
  return "";
}

std::string saving_text(const program_counts& of, const advice& each) {
  if (!why_withheld(of).empty()) return "no saving is named";
  const double wall_s = of.timed_run()->wall_s;
  return each.at_least_s > 0
             ? fmt::format("saves {} of {}", range_text(each.at_least_s, each.at_most_s),
                           seconds_text(wall_s))
             : fmt::format("saves at most {} of {}", seconds_text(each.at_most_s),
                           seconds_text(wall_s));
}

std::string outcome_text(const program_comparison& found, const program_pairs_options& options) {
  if (found.verdict == program_verdict::refused) return "refused: " + found.refusal;
  const std::string change = change_text(found.ratio, options.metric ? "" : " time") + " in " +
                             count_text(found.pairs(), "pair of runs", "pairs of runs");
  switch (found.verdict) {
  case program_verdict::faster:
    return change + ": better.";
  case program_verdict::slower:
    return change + ": do not.";
  case program_verdict::same:
    return fmt::format("the same within {:.3g} %.", options.threshold * 100);
  default:
    return change + ": undecided.";
  }
}

}  // namespace

trial_facts facts_of_trials(const program_counts& counted) {
  const advice_setting here = setting_of_run();
  trial_facts facts{.pus = static_cast<unsigned>(here.usable_pus)};
  if (!counted.advices.empty()) facts.libomp = find_libomp();
  return facts;
}

std::vector<setting_to_try> settings_to_try(const program_counts& counted,
                                            const trial_facts& facts) {
  std::vector<setting_to_try> found;
  for (std::size_t i = 0; i < counted.advices.size(); ++i) {
    const advice& each = counted.advices[i];
    if (!is_of_openmp(each, counted.of_last_run.sites)) continue;
    for (const promise& of : promises()) {
      if (of.rule != each.rule) continue;
      for (const change_to_try change : of.changes)
        for (const auto& settings : settings_of(change, each, counted, facts)) {
          const bool known =
              std::ranges::find(found, settings, &setting_to_try::settings) != found.end();
          if (!known && !std::ranges::all_of(settings, is_set))
            found.push_back({.settings = settings, .rank = i + 1});
        }
    }
  }
  return found;
}

std::vector<trial> try_settings(const program_counts& counted,
                                const std::vector<setting_to_try>& settings,
                                program_pairs_options options) {
  std::vector<trial> trials;
  double left_s = options.budget_s;
  options.comparisons = std::max<std::size_t>(1, settings.size());
  for (std::size_t i = 0; i < settings.size() && left_s > 0; ++i) {
    const program_arm plain{
        .name = "the program as it is", .path = counted.file.path, .words = counted.command};
    program_arm changed{.name = "with " + join(settings[i].settings, " ") + " it",
                        .path = counted.file.path,
                        .words = counted.command,
                        .settings = settings[i].settings};
    options.budget_s = left_s / static_cast<double>(settings.size() - i);
    print_message(fmt::format("trying {}: up to {:.0f} s", join(settings[i].settings, " "),
                              options.budget_s));
    trials.push_back({settings[i], compare_programs({plain, changed}, options)});
    left_s -= trials.back().found.used_s;
    if (trials.back().found.interrupted_by != 0) break;
    // Where the program itself cannot be compared, it cannot with another setting either.
    if (trials.back().found.verdict == program_verdict::refused && !trials.back().found.broken_in_b)
      break;
  }
  return trials;
}

std::string trials_text(const program_counts& counted, const std::vector<trial>& trials,
                        const program_pairs_options& options, std::size_t width) {
  if (trials.empty())
    return wrapped("Nothing was tried: no advice is one that a setting of the environment follows.",
                   0, width) +
           "\n";
  std::string text = "Tried, each in turn with the program as it is:\n";
  for (const trial& each : trials) {
    const advice& of = counted.advices[each.what.rank - 1];
    text +=
        "- " +
        wrapped(printable(fmt::format("{} (advice {}, {}: {}). Measured: {}",
                                      join(each.what.settings, " "), each.what.rank, of.rule,
                                      saving_text(counted, of), outcome_text(each.found, options))),
                2, width) +
        "\n";
  }
  return text;
}

std::vector<nlohmann::json> trial_lines(const std::vector<trial>& trials) {
  std::vector<nlohmann::json> lines;
  for (const trial& each : trials) {
    const program_comparison& found = each.found;
    nlohmann::json line{{"record", "trial"},
                        {"advice", each.what.rank},
                        {"settings", each.what.settings},
                        {"verdict", name_of_verdict(found.verdict)},
                        {"pairs", found.pairs()},
                        {"refusal", nullptr}};
    if (found.verdict == program_verdict::refused) line["refusal"] = printable(found.refusal);
    else
      line["ratio"] = {
          {"value", found.ratio.value}, {"low", found.ratio.low}, {"high", found.ratio.high}};
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace syncmeter
