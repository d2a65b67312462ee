#include "driver/campaign/cpu_use.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>

#include "core/harness/core_probes.hpp"
#include "core/machine/environment.hpp"
#include "core/machine/read_file.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t most_programs = 5;
/// Programs below this share of one CPU are not worth a line.
constexpr double least_share_listed = 0.005;

double tick_ns() {
  const long per_second = sysconf(_SC_CLK_TCK);
  return per_second > 0 ? 1e9 / static_cast<double>(per_second) : 0;
}

double rusage_ns(int who) {
  rusage usage{};
  if (getrusage(who, &usage) != 0) return 0;
  const auto ns = [](const timeval& time) {
    return 1e9 * static_cast<double>(time.tv_sec) + 1e3 * static_cast<double>(time.tv_usec);
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// Parses "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds.
double read_waited_ns(const std::string& root) {
  std::istringstream file(read_file(root + "/proc/pressure/cpu").bytes);
  constexpr std::string_view before_total = "total=";
  for (std::string word; file >> word;)
    if (word.starts_with(before_total))
      return 1e3 * std::strtod(word.c_str() + before_total.size(), nullptr);
  return 0;
}

// Parses "processes 12345", which includes threads.
double read_threads_started(const std::string& root) {
  std::istringstream file(read_file(root + "/proc/stat").bytes);
  constexpr std::string_view before_number = "processes ";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(before_number))
      return std::strtod(line.c_str() + before_number.size(), nullptr);
  return 0;
}

/// Returns whether this process is in the cgroup, and all processes in the cgroup and below are
/// visible. Processes in another PID namespace (the kernel writes number 0) and hidden in /proc are
/// not.
bool has_only(const std::map<int, process_times>& seen, const std::string& cgroup) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders{cgroup};
  std::error_code error;
  for (fs::recursive_directory_iterator each(cgroup, error), end; !error && each != end;
       each.increment(error)) {
    if (each->is_directory(error)) folders.push_back(each->path());
    if (error) return false;
  }
  bool has_own = false;
  for (const std::string& folder : folders) {
    const file_bytes listed = read_file(folder + "/cgroup.procs");
    if (listed.error != 0) return false;
    std::istringstream file(listed.bytes);
    for (int number = 0; file >> number;) {
      if (!seen.contains(number)) return false;
      has_own |= folder == cgroup && number == ::getpid();
    }
  }
  return has_own && !error;
}

// Parses "usage_usec 12345".
std::optional<cgroup_time> read_cgroup(const std::string& root,
                                       const std::map<int, process_times>& seen) {
  const std::string cgroup = own_cgroup_directory(root);
  if (cgroup.empty() || !has_only(seen, cgroup)) return std::nullopt;
  std::istringstream file(read_file(cgroup + "/cpu.stat").bytes);
  double us = 0;
  for (std::string name; file >> name >> us;)
    if (name == "usage_usec") return cgroup_time{.directory = cgroup, .used_ns = 1e3 * us};
  return std::nullopt;
}

// Parses "12 (a name) S parent ... utime stime cutime cstime ... starttime". The name may contain
// blanks, parentheses and any other characters.
std::optional<process_times> read_process(const std::filesystem::path& stat) {
  std::istringstream file(read_file(stat).bytes);
  std::string line;
  std::getline(file, line);
  const std::size_t begin = line.find('('), end = line.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
  process_times process;
  process.name = line.substr(begin + 1, end - begin - 1);
  std::ranges::replace_if(process.name, [](char c) { return c < ' ' || c > '~'; }, '?');
  std::istringstream rest(line.substr(end + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  constexpr std::size_t parent = 1, first_time = 11, times = 4, started = 19;
  if (fields.size() <= started) return std::nullopt;
  process.parent = std::atoi(fields[parent].c_str());
  process.started = std::atoll(fields[started].c_str());
  for (std::size_t i = first_time; i < first_time + times; ++i)
    process.cpu_ns += std::strtod(fields[i].c_str(), nullptr) * tick_ns();
  return process;
}

std::map<int, process_times> read_processes(const std::string& root) {
  std::map<int, process_times> found;
  std::error_code unreadable;
  for (std::filesystem::directory_iterator each(root + "/proc", unreadable), end;
       !unreadable && each != end; each.increment(unreadable)) {
    const std::string name = each->path().filename();
    int number = 0;
    const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem != std::errc{} || rest != name.data() + name.size()) continue;
    if (auto process = read_process(each->path() / "stat")) found.emplace(number, *process);
  }
  return found;
}

bool lives_on(int number, const process_times& process, const cpu_times& later) {
  const auto found = later.processes.find(number);
  return found != later.processes.end() && found->second.started == process.started;
}

/// Returns whether the process is `root` or a descendant of `root`.
bool is_below(int root, int number, const std::map<int, process_times>& processes) {
  for (auto found = processes.find(number); found != processes.end();
       found = processes.find(found->second.parent))
    if (found->first == root) return true;
  return false;
}

/// Returns the time used between the readings by each living process outside `own`, including its
/// former children.
std::map<int, double> used_by_others_ns(const cpu_times& before, const cpu_times& after, int own) {
  std::map<int, double> used_ns;
  for (const auto& [number, process] : after.processes) used_ns[number] = process.cpu_ns;
  for (const auto& [number, process] : before.processes) {
    // An ended process has passed all its time to its parent, including time before the first
    // reading.
    int heir = number;
    for (auto found = before.processes.find(heir);
         found != before.processes.end() && !lives_on(heir, found->second, after);
         found = before.processes.find(heir))
      heir = found->second.parent;
    if (const auto found = used_ns.find(heir); found != used_ns.end())
      found->second -= process.cpu_ns;
  }
  std::erase_if(used_ns,
                [&](const auto& each) { return is_below(own, each.first, after.processes); });
  return used_ns;
}

/// Starts all kernel threads, and is visible only if every process is: in no container.
constexpr int kernels_starter = 2;

bool sees_every_process(const cpu_times& of) {
  const auto found = of.processes.find(kernels_starter);
  return found != of.processes.end() && found->second.name == "kthreadd" &&
         found->second.parent == 0;
}

/// Returns the time used by the cgroup's processes, or nothing if the cgroups differ or the count
/// was reset.
std::optional<double> used_in_cgroup_ns(const cpu_times& before, const cpu_times& after) {
  if (!before.cgroup || !after.cgroup || before.cgroup->directory != after.cgroup->directory ||
      after.cgroup->used_ns < before.cgroup->used_ns)
    return std::nullopt;
  return after.cgroup->used_ns - before.cgroup->used_ns;
}

}  // namespace

cpu_times read_cpu_times(const std::vector<int>& pus, const std::string& root) {
  cpu_times times;
  times.now_ns = static_cast<double>(steady_ns());
  times.allowed_pus = pus.size();
  times.own_ns = rusage_ns(RUSAGE_SELF) + rusage_ns(RUSAGE_CHILDREN);
  const pu_ticks ticks = read_pu_ticks(pus, root);
  times.used_ns = static_cast<double>(ticks.used) * tick_ns();
  times.stolen_ns = static_cast<double>(ticks.stolen) * tick_ns();
  times.waited_ns = read_waited_ns(root);
  times.threads_started = read_threads_started(root);
  times.processes = read_processes(root);
  if (!sees_every_process(times)) times.cgroup = read_cgroup(root, times.processes);
  return times;
}

objects::cpu_use cpu_use_between(const cpu_times& before, const cpu_times& after, int own) {
  std::map<std::string, double> by_name;
  for (const auto& [number, ns] : used_by_others_ns(before, after, own))
    by_name[after.processes.at(number).name] += std::max(0.0, ns);

  objects::cpu_use use{.elapsed_ns = after.now_ns - before.now_ns,
                       .allowed_pus = after.allowed_pus,
                       .used_ns = std::max(0.0, after.used_ns - before.used_ns),
                       .own_ns = after.own_ns - before.own_ns,
                       .stolen_ns = std::max(0.0, after.stolen_ns - before.stolen_ns),
                       .waited_ns = std::max(0.0, after.waited_ns - before.waited_ns),
                       .programs = {}};
  for (const auto& [name, ns] : by_name)
    if (ns > least_share_listed * use.elapsed_ns)
      use.programs.push_back({.name = name, .cpu_ns = ns});
  std::ranges::stable_sort(use.programs, std::greater{}, &objects::programs::cpu_ns);
  if (use.programs.size() > most_programs) use.programs.resize(most_programs);
  return use;
}

std::optional<double> share_of_others(const cpu_times& before, const cpu_times& after, int own) {
  const double all_ns = (after.now_ns - before.now_ns) * static_cast<double>(after.allowed_pus);
  const double used_ns = after.used_ns - before.used_ns;
  if (all_ns <= 0 || used_ns <= 0) return std::nullopt;
  double others_ns = used_ns - (after.own_ns - before.own_ns);
  // others_ns includes each ended thread's last microseconds, missing in every process's time, and
  // the kernel's cleanup afterwards. Assumes an end for each started thread. Other kernel work
  // (files, networks, interrupts) may serve other programs.
  constexpr double most_of_an_end_ns = 1e4;
  const double of_ends_ns = most_of_an_end_ns * (after.threads_started - before.threads_started);
  const auto less_the_ends_ns = [&](double least_ns) {
    return std::min(others_ns, std::max(least_ns, others_ns - of_ends_ns));
  };
  double seen_ns = 0;
  if (sees_every_process(before) && sees_every_process(after)) {
    for (const auto& [number, ns] : used_by_others_ns(before, after, own))
      if (!is_below(kernels_starter, number, after.processes)) seen_ns += std::max(0.0, ns);
    others_ns = less_the_ends_ns(seen_ns);
  } else if (const std::optional<double> in_cgroup_ns = used_in_cgroup_ns(before, after)) {
    // The cgroup's time includes the ends. Time of other programs in the cgroup (seen_ns) is taken
    // out again. A process that ran only in between, without a visible parent, still counts as
    // other, reduced by at most the ends.
    for (const auto& [number, ns] : used_by_others_ns(before, after, own))
      seen_ns += std::max(0.0, ns);
    others_ns = less_the_ends_ns(used_ns - (*in_cgroup_ns - seen_ns));
  }
  return std::clamp(others_ns / all_ns, 0.0, 1.0);
}

std::optional<double> share_stolen(const cpu_times& before, const cpu_times& after) {
  const double all_ns = (after.now_ns - before.now_ns) * static_cast<double>(after.allowed_pus);
  if (all_ns <= 0 || after.used_ns <= before.used_ns) return std::nullopt;
  return std::clamp((after.stolen_ns - before.stolen_ns) / all_ns, 0.0, 1.0);
}

}  // namespace syncmeter
