#include "driver/advise/probe_settings.hpp"

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
#include "driver/text/messages.hpp"
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

}  // namespace

void require_probe() { (void)find_probe(); }

counts_folder::counts_folder() {
  std::error_code none;
  const fs::path other = fs::temp_directory_path(none);
  for (const fs::path& parent : {fs::path("/dev/shm"), other}) {
    if (parent.empty()) continue;
    folder_.emplace(parent, "syncmeter-advise");
    if (!folder_->path().empty()) return;
  }
  throw std::runtime_error(
      fmt::format("advise: no folder can be made in /dev/shm or in {}: {}; TMPDIR names another",
                  other.empty() ? "that of TMPDIR" : other.string(), std::strerror(errno)));
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

std::vector<std::string> settings_of_probe(const std::string& folder, const std::string& every) {
  const std::string probe = find_probe();
  std::vector<std::string> settings{preload_setting(probe),
                                    fmt::format("{}={}", probe::folder_variable, folder),
                                    fmt::format("{}={}", probe::times_variable, every)};
  if (!has_variable(injection_variable))
    settings.push_back(fmt::format("{}={}", injection_variable, probe));
  const std::string tool = find_own_library("libsyncmeter-kokkos-tool.so");
  if (kokkos_tools_set() == nullptr && !tool.empty())
    settings.push_back(fmt::format("{}={}", kokkos_tools_variable, tool));
  return settings;
}

std::vector<std::string> settings_of_span(const std::string& folder) {
  if (has_variable(injection_variable)) return {};
  return {fmt::format("{}={}", probe::folder_variable, folder),
          fmt::format("{}=1", probe::span_variable),
          fmt::format("{}={}", injection_variable, find_probe())};
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
