// Finds the workers of this machine: programs named syncmeter-* beside the driver and on PATH, each
// asked what it can measure.
#include "driver/workers/find_workers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "driver/workers/capability_json.hpp"
#include "driver/workers/known_backends.hpp"
#include "driver/workers/program_places.hpp"
#include "driver/workers/worker_process.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "syncmeter-";

std::vector<fs::path> places_to_look() {
  std::vector<fs::path> places = folders_on_path();
  if (const fs::path beside = own_folder(); !beside.empty()) places.insert(places.begin(), beside);
  return places;
}

// Worker name -> path; the first place that has it wins.
std::map<std::string, fs::path> programs_in(const std::vector<fs::path>& places) {
  std::map<std::string, fs::path> found;
  for (const fs::path& place : places) {
    std::error_code error;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string file = entry->path().filename();
      if (!file.starts_with(prefix) || file == "syncmeter-report") continue;
      std::error_code unreadable;
      if (!entry->is_regular_file(unreadable) || ::access(entry->path().c_str(), X_OK) != 0)
        continue;
      found.try_emplace(file.substr(prefix.size()), entry->path());
    }
  }
  return found;
}

void take_answer(worker_process& process, worker_info& info, std::chrono::milliseconds within) {
  const answer said = process.receive(within);
  if (said.what == answer::kind::line) {
    read_capabilities(said.object, info);
  } else {
    info.problem = fmt::format("--capabilities failed: {}", said.text);
  }
}

std::string looked_in(const std::vector<fs::path>& places) {
  return places.empty()
             ? std::string("beside the driver")
             : fmt::format("beside the driver ({}) and on PATH", places.front().string());
}

// "omp-llvm" is a worker of its own, not a backend of "omp".
bool is_worker(const std::string& name) {
  const auto& all = known_backends();
  return std::any_of(all.begin(), all.end(), [&](const auto& known) { return known.name == name; });
}

// A worker serves a backend of its own name, or several that begin with it ("kokkos-openmp"); its
// name stands for all of them.
bool may_serve(const worker_info& info, const std::string& backend) {
  if (backend == info.name) return true;
  if (!info.problem.empty()) return backend.starts_with(info.name + '-') && !is_worker(backend);
  return std::find(info.backends.begin(), info.backends.end(), backend) != info.backends.end();
}

}  // namespace

std::vector<worker_info> find_workers(const std::vector<std::string>& wanted) {
  const std::vector<fs::path> places = places_to_look();
  std::vector<worker_info> workers;
  std::vector<std::optional<worker_process>> processes;
  const worker_deadlines deadlines;
  // All are started before the first is waited for: a slow runtime (a GPU's) delays no other.
  for (const auto& [name, path] : programs_in(places)) {
    worker_info& info = workers.emplace_back();
    info.name = name;
    info.path = path;
    processes.emplace_back();
    try {
      processes.back().emplace(
          name, program_to_start{.path = path, .arguments = {"--capabilities"}}, deadlines);
    } catch (const std::exception& error) {
      info.problem = error.what();
    }
  }
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (!processes[i]) continue;
    const auto used = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    take_answer(*processes[i], workers[i],
                std::max(deadlines.capabilities - used, std::chrono::milliseconds{0}));
    processes[i].reset();
  }
  for (const std::string& backend : wanted) {
    const bool served = std::any_of(workers.begin(), workers.end(),
                                    [&](const worker_info& w) { return may_serve(w, backend); });
    if (served) continue;
    worker_info missing;
    missing.name = backend;
    missing.problem = fmt::format("no worker for backend '{}': looked for syncmeter-* {}", backend,
                                  looked_in(places));
    workers.push_back(std::move(missing));
  }
  return workers;
}

}  // namespace syncmeter
