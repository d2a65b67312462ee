#include "driver/workers/find_workers.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/ops/all.hpp"
#include "core/ops/host.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

// Maps worker names to paths. The first folder with a name wins, and the driver's folder comes
// first.
std::map<std::string, fs::path> programs_in(const std::vector<fs::path>& places) {
  std::map<std::string, fs::path> found;
  for (const fs::path& place : places) {
    std::error_code error;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string file = entry->path().filename();
      if (!file.starts_with(worker_prefix) || file == "syncmeter-report") continue;
      if (is_program(entry->path()))
        found.try_emplace(file.substr(worker_prefix.size()), entry->path());
    }
  }
  return found;
}

/// A pip installation has the sources of workers for `syncmeter build`.
fs::path folder_of_sources() { return own_folder().parent_path() / "share/syncmeter/sources"; }

bool holds_sources_of(const std::string& worker) {
  std::error_code error;
  return fs::exists(folder_of_sources() / "backends" / worker / "backend.cmake", error);
}

/// Returns the output folder of `syncmeter build`. Must match the rule in
/// packaging/wheel/__init__.py. The key identifies the sources: a wheel with the same version but
/// other sources has no worker until the next build.
fs::path folder_of_built(const std::string& worker) {
  const auto value_of = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::string(value != nullptr ? value : "");
  };
  const fs::path cache = value_of("XDG_CACHE_HOME");
  std::string key;
  std::getline(std::ifstream(folder_of_sources() / "cache_key"), key);
  return (cache.is_absolute() ? cache : fs::path(value_of("HOME")) / ".cache") / "syncmeter" / key /
         worker / "bin";
}

/// Returns the folders of this program's workers: beside the program, in its installation
/// (relative, because installations move), and from `syncmeter build`. Returns nothing if the
/// system does not report this program's path.
std::vector<fs::path> folders_of_own_workers() {
  const fs::path beside = own_folder();
  if (beside.empty()) return {};
  std::vector<fs::path> folders{beside, (beside / SM_WORKERS_FROM_DRIVER).lexically_normal()};
  for (const known_backend& known : known_backends()) {
    const fs::path built = folder_of_built(known.name);
    if (built.is_absolute() && holds_sources_of(known.name)) folders.push_back(built);
  }
  return folders;
}

std::string looked_in() {
  std::string text = "beside the driver";
  std::error_code error;
  for (const fs::path& folder : folders_of_own_workers()) {
    if (folder == own_folder()) text += fmt::format(" ({})", folder.string());
    else if (fs::exists(folder, error)) text += fmt::format(", in {}", folder.string());
  }
  return text;
}

/// Returns the worker for a backend by the manifests: "kokkos" for "kokkos-openmp".
std::string worker_of(const std::string& backend) {
  const auto& all = known_backends();
  const auto found = std::ranges::find_if(all, [&](const known_backend& known) {
    return known.several && backend.starts_with(known.name + '-');
  });
  return found == all.end() ? backend : found->name;
}

bool is_own(const worker_info& info) {
  return contains(folders_of_own_workers(), fs::path(info.path).parent_path());
}

// Keeps one worker for each backend: the driver's own even if unusable, then the worker with the
// backend's name, then the first.
void leave_one_for_each_backend(std::vector<worker_info>& workers) {
  std::map<std::string, const worker_info*> servers;
  const auto claim = [&servers](const worker_info& info, const std::string& backend) {
    const auto rank = [&](const worker_info& w) { return std::pair(is_own(w), w.name == backend); };
    const worker_info*& server = servers.try_emplace(backend, &info).first->second;
    if (rank(info) > rank(*server)) server = &info;
  };
  for (const worker_info& info : workers) {
    if (!info.problem.empty() && is_own(info)) claim(info, info.name);
    for (const std::string& backend : info.backends) claim(info, backend);
  }
  for (worker_info& info : workers) {
    for (const std::string& backend : std::vector(info.backends)) {
      const worker_info& server = *servers.at(backend);
      if (&server == &info) continue;
      info.passed_over.push_back(
          fmt::format("backend '{}' of worker '{}' ({}) is not used: it is the one of {}", backend,
                      info.name, info.path, server.path));
      info.take_away(backend);
    }
  }
}

// A worker serves a backend with its own name, or several with the name as prefix
// ("kokkos-openmp"). The worker's name means all its backends.
bool may_serve(const worker_info& info, const std::string& backend) {
  if (backend == info.name) return true;
  // "omp-llvm" is a separate worker, not a backend of "omp".
  if (!info.problem.empty())
    return backend.starts_with(info.name + '-') && !contains(known_backend_names(), backend);
  return contains(info.backends, backend);
}

std::vector<worker_info> ask_all(const std::map<std::string, fs::path>& programs,
                                 const worker_deadlines& deadlines,
                                 const std::vector<std::string>& settings = {}) {
  const auto asked_for = [&settings](const std::string& path) {
    return program_to_start{.path = path, .arguments = {"--capabilities"}, .settings = settings};
  };
  std::vector<worker_info> workers;
  std::vector<std::optional<worker_process>> processes(programs.size());
  // All workers start before the first wait, because a slow runtime (a GPU's) must not delay the
  // rest.
  for (const auto& [name, path] : programs) {
    worker_info& info = workers.emplace_back();
    info.name = name;
    info.path = path;
    try {
      processes[workers.size() - 1].emplace(name, asked_for(path), deadlines);
    } catch (const std::exception& error) {
      info.problem = error.what();
    }
  }
  {
    // Each worker has the whole time because each listener has a thread.
    std::vector<std::jthread> listeners;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (!processes[i]) continue;
      listeners.emplace_back([&process = processes[i], &info = workers[i], &deadlines, &asked_for] {
        // An exception must not leave this thread.
        try {
          answer reply = process->receive(deadlines.capabilities);
          // Asks again, because the cause may be gone (memory shortage, an operator).
          if (reply.what == answer::kind::closed && process->was_killed()) {
            process.emplace(info.name, asked_for(info.path), deadlines);
            reply = process->receive(deadlines.capabilities);
          }
          if (reply.what == answer::kind::line) read_capabilities(reply.object, info);
          else info.problem = fmt::format("--capabilities failed: {}", reply.text);
        } catch (const std::exception& error) {
          info.problem = error.what();
        }
        process.reset();
      });
    }
  }
  return workers;
}

template <class... Ops> std::vector<std::string> names_in(op_list<Ops...>) {
  return {std::string(Ops::info.name)...};
}

}  // namespace

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

fs::path own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path{} : self.parent_path();
}

std::vector<fs::path> folders_on_path() {
  std::vector<fs::path> folders;
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : split(path != nullptr ? path : "", ':'))
    if (folder.starts_with('/')) folders.emplace_back(folder);
  return folders;
}

std::optional<fs::path> program_on_path(const std::string& name,
                                        const std::vector<fs::path>& more_folders) {
  if (name.find('/') != name.npos) return name;
  for (const fs::path& folder : folders_on_path())
    if (is_program(folder / name)) return folder / name;
  for (const fs::path& folder : more_folders)
    if (is_program(folder / name)) return folder / name;
  return std::nullopt;
}

std::vector<fs::path> folders_of_workers() {
  std::vector<fs::path> folders = folders_of_own_workers();
  const std::vector<fs::path> on_path = folders_on_path();
  folders.insert(folders.end(), on_path.begin(), on_path.end());
  return folders;
}

std::vector<worker_info> workers_at(const std::string& path,
                                    const std::vector<std::string>& settings,
                                    const worker_deadlines& deadlines) {
  const fs::path at = fs::absolute(path);
  if (fs::is_directory(at))
    return ask_all(programs_in({at, at / "bin", at / "libexec/syncmeter"}), deadlines, settings);
  std::string name = at.filename();
  if (name.starts_with(worker_prefix)) name.erase(0, worker_prefix.size());
  return ask_all({{name, at}}, deadlines, settings);
}

std::vector<worker_info> find_workers(const std::vector<std::string>& wanted,
                                      const worker_deadlines& deadlines) {
  std::vector<worker_info> workers = ask_all(programs_in(folders_of_workers()), deadlines);
  leave_one_for_each_backend(workers);
  for (const std::string& backend : wanted) {
    const bool served =
        std::ranges::any_of(workers, [&](const worker_info& w) { return may_serve(w, backend); });
    if (served) continue;
    worker_info missing;
    missing.name = backend;
    const bool is_built = std::ranges::any_of(
        workers, [&](const worker_info& w) { return w.name == worker_of(backend); });
    const std::string why = can_be_built(backend) && !is_built
                                ? not_built_text({backend}, "--backend " + backend)
                                : fmt::format("looked for syncmeter-* {} and on PATH", looked_in());
    missing.problem = fmt::format("no worker for backend '{}': {}", backend, why);
    workers.push_back(std::move(missing));
  }
  return workers;
}

const std::vector<known_backend>& known_backends() {
  static const std::vector<known_backend> all{
#include "known_backends.inc"
  };
  return all;
}

bool can_be_built(const std::string& backend) {
  if (holds_sources_of(worker_of(backend))) return true;
  // The build writes this file when configured, a folder above its programs. An installation lacks
  // the file.
  std::ifstream list(own_folder().parent_path() / "workers.txt");
  for (std::string line; std::getline(list, line);)
    if (line == backend) return true;
  return false;
}

std::string not_built_text(const std::vector<std::string>& backends,
                           const std::string& words_of_run) {
  std::vector<std::string> workers;
  for (const std::string& backend : backends)
    if (const std::string worker = worker_of(backend); holds_sources_of(worker))
      add_once(workers, worker);
  const std::string command =
      workers.empty() ? "scripts/run " + words_of_run : "syncmeter build " + join(workers, " ");
  return fmt::format("not built; `{}` builds {}", command, backends.size() == 1 ? "it" : "them");
}

std::vector<std::string> known_backend_names() {
  std::vector<std::string> names;
  for (const known_backend& known : known_backends()) names.push_back(known.name);
  return names;
}

std::vector<std::string> shared_op_names() { return names_in(shared_ops{}); }

bool is_own_op(const std::string& name) {
  return contains(names_in(shared_ops{}), name) || contains(names_in(host_ops{}), name);
}

bool is_own_backend(const std::string& name) {
  return std::ranges::any_of(known_backends(), [&](const known_backend& known) {
    return name == known.name || (known.several && name.starts_with(known.name + '-'));
  });
}

}  // namespace syncmeter
