#include "driver/advise/probe_settings.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "driver/advise/preload.hpp"
#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"
#include "probe/tables.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* probe_name = "libsyncmeter-probe.so";

std::string find_probe() {
  std::string found = find_own_library(probe_name);
  if (!found.empty()) return found;
  const fs::path build = own_folder().parent_path();
  std::error_code none;
  throw std::runtime_error(fmt::format(
      "advise: there is no {} beside the driver, in its folder of workers or on PATH; {}",
      probe_name,
      fs::exists(build / "CMakeCache.txt", none)
          ? fmt::format("`cmake --build {} --target syncmeter-probe` builds it",
                        shell_word(build.string()))
          : "install syncmeter anew"));
}

/// The first prime from 11 and from this on. Loops have a few meetings in turn: one in two of two
/// would be the same one each time, and the other would take no time.
std::uint64_t prime_from(double least) {
  constexpr std::uint64_t longer_than_most_loops = 11;
  const auto is_prime = [](std::uint64_t number) {
    for (std::uint64_t by = 2; by * by <= number; ++by)
      if (number % by == 0) return false;
    return true;
  };
  auto prime = std::max(longer_than_most_loops, static_cast<std::uint64_t>(least));
  while (!is_prime(prime)) ++prime;
  return prime;
}

/// Absolute paths, without a colon, which separates them in the environment.
std::vector<std::string> parents_of_folders() {
  std::vector<std::string> parents{"/dev/shm", "/tmp", "/var/tmp"};
  std::error_code none;
  if (const char* const named = std::getenv("TMPDIR"); named != nullptr && *named != 0)
    parents.insert(parents.begin() + 1, fs::absolute(named, none).string());
  std::erase_if(parents, [](const std::string& path) { return contains(path, ':'); });
  return parents;
}

struct new_folder {
  std::string path;
  dev_t device = 0;
  std::uint64_t free_bytes = 0;
};

new_folder look_at(const std::string& path) {
  struct stat about{};
  struct statvfs room{};
  if (::stat(path.c_str(), &about) != 0 || ::statvfs(path.c_str(), &room) != 0) return {path};
  return {path, about.st_dev, std::uint64_t{room.f_bavail} * room.f_frsize};
}

/// More room makes no folder a better one: thousands of processes use less.
constexpr std::uint64_t enough_bytes = std::uint64_t{64} << 20U;

/// Makes what the processes share, in the first folder. Returns the error number, or 0.
int make_room(const std::vector<new_folder>& folders) {
  // The program may need the other half, and the machine the memory.
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
  probe::shared_room room{};
  std::memcpy(room.layout, probe::layout_of_build, sizeof room.layout);
  for (std::size_t i = 0; i < folders.size(); ++i)
    room.folders[i].most_bytes = std::min(most_bytes, folders[i].free_bytes / 2);
  const std::string path = folders.front().path + '/' + probe::room_name;
  const unique_fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return errno;
  const ssize_t written = ::write(file.get(), &room, sizeof room);
  return written == sizeof room ? 0 : written < 0 ? errno : ENOSPC;
}

}  // namespace

void require_probe() { (void)find_probe(); }

counts_folder::counts_folder() {
  std::vector<new_folder> made;
  std::string problems;
  const auto note = [&](const std::string& parent, int error) {
    problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", printable(parent),
                            std::strerror(error));
  };
  for (const std::string& parent : parents_of_folders()) {
    const std::string& path = folders_.emplace_back(parent, "syncmeter-advise").path();
    const int error = errno;
    const new_folder folder = look_at(path);
    if (path.empty()) note(parent, error);
    if (path.empty() || std::ranges::find(made, folder.device, &new_folder::device) != made.end()) {
      folders_.pop_back();
      continue;
    }
    // Lets a process make a file after dropping root. Other users can neither list the folder nor
    // change a file.
    constexpr mode_t for_all_users = S_ISVTX | S_IRWXU | S_IWGRP | S_IXGRP | S_IWOTH | S_IXOTH;
    if (::geteuid() == 0) (void)::chmod(path.c_str(), for_all_users);
    made.push_back(folder);
  }
  std::stable_sort(made.begin(), made.end(), [](const new_folder& a, const new_folder& b) {
    return std::min(a.free_bytes, enough_bytes) > std::min(b.free_bytes, enough_bytes);
  });
  const int error = made.empty() ? 0 : make_room(made);
  if (error != 0) note(made.front().path, error);
  if (made.empty() || error != 0)
    throw std::runtime_error(fmt::format(
        "advise: no folder for counts can be made ({}); set TMPDIR to a folder with room",
        problems));
  for (const new_folder& folder : made) paths_.push_back(folder.path);
}

std::vector<std::string> counts_folder::settings() const {
  const std::vector<std::string> others(paths_.begin() + 1, paths_.end());
  return {fmt::format("{}={}", probe::folder_variable, paths_.front()),
          fmt::format("{}={}", probe::other_folders_variable, join(others, ":"))};
}

bool has_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != 0;
}

const char* kokkos_tools_set() {
  if (has_variable(kokkos_tools_variable)) return kokkos_tools_variable;
  // Kokkos compares even an empty one with the other variable, and aborts.
  constexpr const char* older_variable = "KOKKOS_PROFILE_LIBRARY";
  return std::getenv(older_variable) != nullptr ? older_variable : nullptr;
}

std::vector<std::string> settings_of_probe(const counts_folder& folder, const std::string& every) {
  const std::string probe = find_probe();
  std::vector<std::string> settings = folder.settings();
  settings.push_back(preload_setting(probe));
  settings.push_back(fmt::format("{}={}", probe::times_variable, every));
  if (!has_variable(injection_variable))
    settings.push_back(fmt::format("{}={}", injection_variable, probe));
  const std::string tool = find_own_library("libsyncmeter-kokkos-tool.so");
  if (kokkos_tools_set() == nullptr && !tool.empty())
    settings.push_back(fmt::format("{}={}", kokkos_tools_variable, tool));
  return settings;
}

std::vector<std::string> settings_of_span(const counts_folder& folder) {
  if (has_variable(injection_variable)) return {};
  std::vector<std::string> settings = folder.settings();
  settings.push_back(fmt::format("{}=1", probe::span_variable));
  settings.push_back(fmt::format("{}={}", injection_variable, find_probe()));
  return settings;
}

std::string timed_every(const std::vector<site>& sites, double wall_s) {
  constexpr double most_per_s = 1e5;
  // Each thread of a team reads the stamps of all.
  constexpr double small_team = 8;
  double meetings = 0, others = 0;
  for (const site& each : sites) {
    const auto count = static_cast<double>(each.count);
    if (each.kind == "region" || each.kind == "barrier" || each.kind == "barrier_wait")
      meetings = std::max(meetings, count * std::max(1.0, each.team / small_team));
    else others += count / each.threads;
  }
  const auto one_in = [&](double events) {
    return std::max(1.0, std::ceil(events / wall_s / most_per_s));
  };
  const double met = one_in(meetings);
  return fmt::format("{},{:.0f}", met > 1 ? prime_from(met) : 1, one_in(others));
}

}  // namespace syncmeter
