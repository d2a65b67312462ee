#include "driver/advise/advise.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/harness/stats.hpp"
#include "core/machine/topology.hpp"
#include "driver/campaign/cpu_use.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/start_program.hpp"
#include "probe/tables.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

constexpr const char* probe_name = "libsyncmeter-probe.so";
constexpr std::size_t most_pairs = 5, sites_shown = 40;

std::string find_probe() {
  for (const fs::path& folder : folders_of_workers())
    if (fs::exists(folder / probe_name)) return folder / probe_name;
  throw std::runtime_error(fmt::format("advise: there is no {} beside the driver, in its folder of "
                                       "workers or on PATH",
                                       probe_name));
}

/// A folder for the files of one run's processes, in memory where that can be; gone with its owner.
class counts_folder {
 public:
  counts_folder() {
    for (const fs::path& parent : {fs::path("/dev/shm"), fs::temp_directory_path()}) {
      std::string name = parent / "syncmeter-advise-XXXXXX";
      if (::mkdtemp(name.data()) == nullptr) continue;
      path_ = name;
      return;
    }
    throw std::runtime_error(
        fmt::format("advise: no folder can be made in {}: {}; TMPDIR names another",
                    fs::temp_directory_path().string(), std::strerror(errno)));
  }
  counts_folder(const counts_folder&) = delete;
  counts_folder& operator=(const counts_folder&) = delete;
  ~counts_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Whether a second run of the program can read what the first one read: then its beginning.
std::optional<off_t> start_of_input() {
  struct stat status = {};
  const bool again =
      ::fstat(STDIN_FILENO, &status) == 0 && (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode));
  if (!again) return std::nullopt;
  return S_ISREG(status.st_mode) ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
}

/// Of the allowed CPUs' time between two readings.
std::optional<double> share_of_others(const cpu_times& before, const cpu_times& after) {
  const objects::cpu_use use = cpu_use_between(before, after, static_cast<int>(::getpid()));
  const double all = use.elapsed_ns * static_cast<double>(use.allowed_pus);
  if (all <= 0 || use.used_ns <= 0) return std::nullopt;
  return std::clamp((use.used_ns - use.own_ns) / all, 0.0, 1.0);
}

program_run run_once(const program_counts& of, const std::string& arm,
                     const std::vector<std::string>& settings) {
  const std::vector<int> allowed = read_cpu_grant().allowed;
  const cpu_times before = read_cpu_times(allowed);
  const finished_program done = run_in_our_place(of.file.path, of.command, settings);
  return {.arm = arm,
          .wall_s = done.wall_s,
          .user_s = done.user_s,
          .wait_status = done.wait_status,
          .other_cpu_share = share_of_others(before, read_cpu_times(allowed))};
}

std::vector<std::string> settings_of_probe(const std::string& folder, const std::string& every) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const std::string behind =
      preloaded == nullptr || *preloaded == 0 ? "" : fmt::format(":{}", preloaded);
  return {fmt::format("LD_PRELOAD={}{}", find_probe(), behind),
          fmt::format("{}={}", probe::folder_variable, folder),
          fmt::format("{}={}", probe::times_variable, every)};
}

program_run run_under_probe(program_counts& of, const std::string& arm, const std::string& every) {
  const counts_folder folder;
  program_run run = run_once(of, arm, settings_of_probe(folder.path(), every));
  of.of_last_run = read_counts(folder.path());
  return run;
}

/// Of how many events one is timed, so that stamps stay below 2 % of the time: of those that
/// threads meet at, and of the others.
std::string timed_every(const std::vector<site>& sites, double wall_s) {
  constexpr double most_per_s = 1e5;
  double meetings = 0, others = 0;
  for (const site& each : sites) {
    const auto count = static_cast<double>(each.count);
    if (each.kind == "region" || each.kind == "barrier" || each.kind == "barrier_wait")
      meetings = std::max(meetings, count);
    else others += count / each.threads;
  }
  const auto one_in = [&](double events) {
    return std::max(1.0, std::ceil(events / wall_s / most_per_s));
  };
  return fmt::format("{:.0f},{:.0f}", one_in(meetings), one_in(others));
}

json policy_of_environment() {
  json policy = json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    const auto begins = [&](const char* with) { return text.starts_with(with); };
    if (equals != std::string_view::npos && (begins("OMP_") || begins("KMP_") || begins("GOMP_")))
      policy[printable(text.substr(0, equals))] = printable(text.substr(equals + 1));
  }
  return policy;
}

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json line_of_times(const interval_times& times, double events) {
  return {{"sum", times.sum_ns / events},
          {"long", times.long_ns / events},
          {"median", times.median_ns}};
}

/// Sums are those of one thread's path, over the events that were timed.
void add_times_to(json& line, const site& of) {
  const site_times& times = *of.times;
  const double threads = std::max(1U, times.threads);
  line["timed"] = times.timed;
  line["every"] = times.every;
  if (times.threads == 0) {
    const double callers = std::max(1U, of.threads);
    line["wait_ns"] = line_of_times(times.mechanism, callers);
    line["section_ns"] = line_of_times(times.lateness, callers);
    return;
  }
  line["lateness_ns"] = line_of_times(times.lateness, threads);
  line["mechanism_ns"] = line_of_times(times.mechanism, of.kind == "region" ? 1 : threads);
  if (of.kind == "region") line["fork_ns"] = times.fork_ns / threads;
}

json line_of_advice(const advice& of, std::size_t rank) {
  return {{"record", "advice"},
          {"rank", rank},
          {"rule", of.rule},
          {"sites", {of.site_id}},
          {"saves_s", {{"low", 0}, {"high", of.at_most_s}}},
          {"kind", of.rule == "locks" ? "range" : "bound"},
          {"proof", "calls"},
          {"tried", nullptr},
          {"text", printable(of.text)}};
}

json line_of_site(const site& of, std::size_t id) {
  json frames = json::array();
  for (const source_frame& frame : of.frames)
    frames.push_back({{"function", text_or_null(printable(frame.function))},
                      {"file", text_or_null(printable(frame.file))},
                      {"line", frame.line == 0 ? json(nullptr) : json(frame.line)}});
  json line{{"record", "site"},
            {"id", id},
            {"kind", of.kind},
            {"module", text_or_null(printable(of.module))},
            {"offset", of.offset},
            {"frames", std::move(frames)},
            {"team", of.team == 0 ? json(nullptr) : json(of.team)},
            {"count", of.count},
            {"threads", of.threads}};
  if (of.times) add_times_to(line, of);
  return line;
}

std::string runs_text(const program_counts& of) {
  std::vector<double> plain, counted, timed;
  for (const program_run& run : of.runs)
    (run.arm == "plain" ? plain : run.arm == "count" ? counted : timed).push_back(run.wall_s);
  const auto range = [](std::vector<double> walls) {
    std::ranges::sort(walls);
    const double low = walls.front(), high = walls.back();
    return walls.size() == 1 ? fmt::format("{:.3g} s", low)
                             : fmt::format("{:.3g} to {:.3g} s", low, high);
  };
  std::string text;
  const auto add = [&](const std::vector<double>& walls, const char* one, const char* many) {
    if (walls.empty()) return;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", count_text(walls.size(), one, many),
                        range(walls));
  };
  add(plain, "plain run", "plain runs");
  add(counted, "counted run", "counted runs");
  add(timed, "timed run", "timed runs");
  text += '.';
  if (const auto cost = cost_of_counting(of.runs)) {
    text += fmt::format(" Counting takes {:.3f} times as long", cost->ratio);
    if (cost->low < cost->high) text += fmt::format(" ({:.3f} to {:.3f})", cost->low, cost->high);
    text += '.';
  }
  return text;
}

/// Where counting itself takes more than a twentieth, times are those of another program.
bool may_show_shares(const program_counts& of) {
  constexpr double most = 1.05;
  const auto cost = cost_of_counting(of.runs);
  return cost && cost->ratio <= most;
}

/// What may be gained, or that nothing is.
std::string advice_paragraphs(const program_counts& of, std::size_t width) {
  if (of.runs.back().arm != "time") return "";
  if (of.advices.empty())
    return wrapped("Nothing to gain: no site takes 2 % of the time. Atomic operations are no "
                   "calls, and "
                   "not timed.",
                   0, width) +
           "\n";
  std::string text;
  for (std::size_t i = 0; i < of.advices.size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, wrapped(printable(of.advices[i].text), 3, width));
  return text;
}

std::vector<std::string> sentences_of(const program_counts& of) {
  std::vector<std::string> all = of.file.notes;
  all.insert(all.end(), of.notes.begin(), of.notes.end());
  const auto strange =
      std::ranges::find_if(of.runs, [](const program_run& r) { return r.wait_status != 0; });
  if (strange != of.runs.end())
    all.push_back(fmt::format("The program ended with {}.", ending_text(strange->wait_status)));
  if (of.of_last_run.lost_calls > 0)
    all.push_back(fmt::format("{} calls are of no site: the tables had no room for them.",
                              grouped_digits(of.of_last_run.lost_calls)));
  if (of.of_last_run.processes == 0)
    all.emplace_back("No process of the program loaded the library that counts: it may have been "
                     "started with another environment.");
  else if (of.of_last_run.sites.empty())
    all.emplace_back(
        "The program calls nothing that synchronizes. Atomic operations are no calls, and "
        "not counted.");
  double others = 0;
  for (const program_run& run : of.runs) others = std::max(others, run.other_cpu_share.value_or(0));
  constexpr double disturbing = 0.05;
  if (others > disturbing)
    all.push_back(
        fmt::format("Other programs used up to {:.0f} % of the CPUs while it ran: take the "
                    "times for rough ones.",
                    others * 100));
  return all;
}

}  // namespace

std::string ending_text(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return fmt::format("signal {} ({})", WTERMSIG(wait_status), ::strsignal(WTERMSIG(wait_status)));
  return fmt::format("exit status {}", WEXITSTATUS(wait_status));
}

program_counts count_calls(const std::vector<std::string>& command, double budget_s) {
  program_counts of{.command = command,
                    .file = look_at_program(command.front()),
                    .runs = {},
                    .of_last_run = {},
                    .advices = {},
                    .notes = {}};
  for (const std::string& note : of.file.notes) print_message(note);
  const std::optional<off_t> input = start_of_input();
  if (!input) {
    of.notes.emplace_back("Standard input is a pipe, which can be read once: the program ran once, "
                          "timed, and what counting costs is not known.");
    of.runs.push_back(run_under_probe(of, "time", "10,64"));
    return of;
  }
  double used_s = 0;
  for (std::size_t pair = 0; pair < most_pairs; ++pair) {
    // The order turns round, so that what drifts meets both alike.
    for (const bool counted : {pair % 2 != 0, pair % 2 == 0}) {
      (void)::lseek(STDIN_FILENO, *input, SEEK_SET);
      of.runs.push_back(counted ? run_under_probe(of, "count", "0") : run_once(of, "plain", {}));
      used_s += of.runs.back().wall_s;
      if (WIFSIGNALED(of.runs.back().wait_status) && of.of_last_run.processes > 0) return of;
    }
    if (used_s * static_cast<double>(pair + 2) / static_cast<double>(pair + 1) > budget_s) break;
  }
  (void)::lseek(STDIN_FILENO, *input, SEEK_SET);
  const auto last_counted = std::find_if(of.runs.rbegin(), of.runs.rend(),
                                         [](const program_run& r) { return r.arm == "count"; });
  of.runs.push_back(
      run_under_probe(of, "time", timed_every(of.of_last_run.sites, last_counted->wall_s)));
  return of;
}

std::optional<counting_cost> cost_of_counting(const std::vector<program_run>& runs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i + 1 < runs.size() && runs[i + 1].arm != "time"; i += 2) {
    const bool plain_first = runs[i].arm == "plain";
    ratios.push_back(runs[plain_first ? i + 1 : i].wall_s / runs[plain_first ? i : i + 1].wall_s);
  }
  if (ratios.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(ratios);
  return counting_cost{.ratio = median(ratios), .low = low, .high = high};
}

std::vector<json> advice_lines(const program_counts& of) {
  json runs = json::array();
  for (const program_run& run : of.runs)
    runs.push_back(
        {{"arm", run.arm},
         {"wall_s", run.wall_s},
         {"user_s", run.user_s},
         {"exit",
          WIFSIGNALED(run.wait_status) ? -WTERMSIG(run.wait_status) : WEXITSTATUS(run.wait_status)},
         {"other_cpu_share", run.other_cpu_share ? json(*run.other_cpu_share) : json(nullptr)}});
  json words = json::array();
  for (const std::string& word : of.command) words.push_back(printable(word));
  json header{{"record", "advise"},
              {"schema", 1},
              {"version", SM_VERSION},
              {"command", std::move(words)},
              {"program",
               {{"path", printable(of.file.path)},
                {"build_id", text_or_null(of.file.build_id)},
                {"interp", text_or_null(printable(of.file.interpreter))},
                {"runtimes", of.file.runtimes}}},
              {"runs", std::move(runs)},
              {"counting_cost", nullptr},
              {"processes", of.of_last_run.processes},
              {"lost_calls", of.of_last_run.lost_calls},
              {"policy", policy_of_environment()},
              {"quota", nullptr},
              {"notes", sentences_of(of)}};
  if (const auto cost = cost_of_counting(of.runs))
    header["counting_cost"] = {{"ratio", cost->ratio}, {"low", cost->low}, {"high", cost->high}};
  if (const auto quota = read_cpu_grant().quota_cpus) header["quota"] = *quota;
  std::vector<json> lines{std::move(header)};
  for (const site& each : of.of_last_run.sites) lines.push_back(line_of_site(each, lines.size()));
  for (std::size_t i = 0; i < of.advices.size(); ++i)
    lines.push_back(line_of_advice(of.advices[i], i + 1));
  return lines;
}

std::string advice_text(const program_counts& of, page_style style) {
  const std::size_t width = style.width == 0 ? usual_width : style.width;
  const std::string title = "syncmeter advise: ";
  std::string text = "\n" + title + wrapped(printable(join(of.command, " ")), title.size(), width) +
                     "\n" + wrapped(runs_text(of), 0, width) + "\n";
  for (const std::string& sentence : sentences_of(of))
    text += wrapped(printable(sentence), 0, width) + "\n";
  if (of.of_last_run.sites.empty()) return text;
  using enum columns::align;
  const bool shares = may_show_shares(of);
  columns table({{"kind"},
                 {"count", right},
                 {"team", right},
                 {"threads", right},
                 {"late", right},
                 {"after", right},
                 {"where"}});
  const auto& sites = of.of_last_run.sites;
  for (std::size_t i = 0; i < std::min(sites.size(), sites_shown); ++i) {
    const site& each = sites[i];
    const auto cost = shares ? cost_of(each) : std::nullopt;
    const auto share = [&](double s) {
      return cost ? fmt::format("{:.1f} %", s / of.runs.back().wall_s * 100) : "";
    };
    table.row({each.kind, grouped_digits(each.count),
               each.team == 0 ? "" : fmt::to_string(each.team), fmt::to_string(each.threads),
               cost && each.times->threads > 0 ? share(cost->lateness_s) : "",
               cost ? share(cost->mechanism_s) : "", printable(where_text(each))});
  }
  text += "\n" + advice_paragraphs(of, width) + "\n" + table.text(style);
  if (sites.size() > sites_shown)
    text += fmt::format("  ... and {} sites with smaller counts; --json FILE has all.\n",
                        sites.size() - sites_shown);
  return text;
}

}  // namespace syncmeter
