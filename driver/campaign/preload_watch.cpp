#include "driver/campaign/preload_watch.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/process_tree.hpp"
#include "probe/swaps.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

std::string value_of(const std::vector<std::string>& settings, std::string_view name) {
  for (const std::string& setting : settings)
    if (setting.starts_with(name) && setting.substr(name.size()).starts_with('='))
      return setting.substr(name.size() + 1);
  return "";
}

/// Returns the CPU time of a process and all its threads, or nothing if the process has ended.
std::optional<double> cpu_time_s(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return std::nullopt;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

std::string name_of(pid_t process) {
  std::string name = read_file(fmt::format("/proc/{}/comm", process)).bytes;
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

}  // namespace

preload_watch::preload_watch(const std::vector<std::string>& settings) {
  take_library(value_of(settings, "LD_PRELOAD"));
  const std::string swap = value_of(settings, probe::swap_variable);
  const probe::swap_kind kind = probe::swap_of_name(swap.c_str());
  if (kind != probe::swap_kind::none) {
    swaps_barriers_ = kind == probe::swap_kind::barrier;
    counts_.reset(::memfd_create("calls", MFD_CLOEXEC));
    if (counts_ && ::ftruncate(counts_.get(), sizeof(probe::swap_counts)) == 0)
      more_settings_.push_back(
          fmt::format("{}=/proc/{}/fd/{}", probe::counts_variable, ::getpid(), counts_.get()));
  }
  if (library_.empty()) return;
  before_ = descendants_of(::getpid());
  thread_ = std::jthread([this](const std::stop_token& ends) {
    using namespace std::chrono_literals;
    // Looks more often at first, to see short programs.
    for (int looks = 0; !ends.stop_requested(); ++looks) {
      look();
      std::this_thread::sleep_for(looks < 20 ? 5ms : 20ms);
    }
  });
}

/// Uses the first name, because the first is tried.
void preload_watch::take_library(const std::string& names) {
  library_ = names.substr(0, names.find_first_of(": "));
  std::error_code error;
  const fs::path path = fs::canonical(library_, error);
  if (!error) library_ = path;
}

void preload_watch::look() {
  for (const pid_t process : descendants_of(::getpid())) {
    if (before_.contains(process)) continue;
    const std::optional<double> now_s = cpu_time_s(process);
    const std::string maps = read_file(fmt::format("/proc/{}/maps", process)).bytes;
    if (!now_s || maps.empty()) continue;  // has ended, or belongs to another user
    double& seen_s = seen_s_[process];
    const double used_s = std::max(0.0, *now_s - seen_s);
    seen_s = *now_s;
    if (maps.find(library_) != maps.npos) with_s_ += used_s;
    else without_s_[name_of(process)] += used_s;
  }
}

std::string preload_watch::why_not_loaded() const {
  constexpr double too_little_s = 0.05, half = 0.5;
  double all_s = with_s_;
  for (const auto& [name, used_s] : without_s_) all_s += used_s;
  if (all_s < too_little_s || with_s_ >= half * all_s) return "";
  const auto most =
      std::ranges::max_element(without_s_, {}, [](const auto& of) { return of.second; });
  return fmt::format("processes into which {} was not loaded used {:.0f} % of the CPU time, most "
                     "of it {}: they are static, or are started with another environment",
                     fs::path(library_).filename().string(), 100 * (1 - with_s_ / all_s),
                     quote(most->first));
}

std::string preload_watch::why_not_called() const {
  probe::swap_counts of{};
  if (!counts_ || ::pread(counts_.get(), &of, sizeof of, 0) != sizeof of) return "";
  const char* const calls = swaps_barriers_ ? "waits at barriers" : "calls for mutexes";
  if (of.swapped + of.left == 0)
    return fmt::format("no {} of POSIX threads came from a process with the library loaded", calls);
  if (of.swapped >= of.left) return "";
  return fmt::format("of {} {} {} came to what was swapped in; what is shared between processes, "
                     "mutexes of other types, and all in a child of a process with several "
                     "threads are left as they are",
                     of.swapped + of.left, calls, of.swapped);
}

std::string preload_watch::why_not_in_effect() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  const std::string why = why_not_loaded();
  return why.empty() ? why_not_called() : why;
}

}  // namespace syncmeter
