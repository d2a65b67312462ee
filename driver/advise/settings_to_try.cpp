#include "driver/advise/settings_to_try.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/machine/topology.hpp"
#include "driver/advise/experiments.hpp"
#include "driver/advise/preload.hpp"
#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "probe/swaps.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

enum class change_to_try {
  spin,
  spin_longer,
  sleep,
  sleep_sooner,
  threads_of_pus,
  half_of_threads,
  one_level,
  bind,
  schedule,
  libomp,
  spinning_barrier
};

struct promise {
  std::string_view rule;
  std::vector<change_to_try> changes;
};

/// What each advice makes promising, the likeliest first.
const std::vector<promise>& promises() {
  using enum change_to_try;
  static const std::vector<promise> all{
      {"oversubscription", {threads_of_pus, sleep, sleep_sooner}},
      {"nested", {one_level}},
      {"sleeping", {spinning_barrier, spin, spin_longer}},
      {"regions", {spin, bind, libomp, half_of_threads}},
      {"barriers", {spinning_barrier, spin, bind, libomp, half_of_threads}},
      {"imbalance", {schedule, bind}},
      {"chunks", {schedule, libomp}},
      {"tasks", {libomp, half_of_threads}},
  };
  return all;
}

bool has_runtime(const program_counts& of, std::string_view beginning) {
  return std::ranges::any_of(of.file.runtimes,
                             [&](const std::string& name) { return name.starts_with(beginning); });
}

/// How long threads of an OpenMP runtime wait before they sleep, by its own variable.
std::vector<setting_to_try> of_wait_loop(const program_counts& of, const std::string& spins,
                                         const std::string& milliseconds) {
  if (has_runtime(of, "libgomp.")) return {{.settings = {"GOMP_SPINCOUNT=" + spins}}};
  if (has_runtime(of, "libomp.") || has_runtime(of, "libiomp5."))
    return {{.settings = {"KMP_BLOCKTIME=" + milliseconds}}};
  return {};
}

setting_to_try swap_of(probe::swap_kind kind, const trial_facts& facts, const std::string& name) {
  return {.settings = {preload_setting(facts.swaps),
                       fmt::format("{}={}", probe::swap_variable,
                                   probe::swap_names[static_cast<std::size_t>(kind)])},
          .name = name,
          .swap = probe::swap_names[static_cast<std::size_t>(kind)]};
}

/// Returns the time in contended calls for this lock, the mean over its threads.
double contended_s(const lock_object& lock, const std::vector<site>& sites) {
  double all_s = 0;
  for (const std::size_t id : lock.ids) {
    const lock_use& use = sites[id - 1].locks.at(lock.number);
    all_s += use.for_all_calls(use.contended_call_ns) * 1e-9;
  }
  return all_s / static_cast<double>(std::max<std::size_t>(1, lock.threads.size()));
}

/// Why some threads have no processing unit at times, in a sentence; empty: they have.
std::string crowd_text(const std::vector<site>& sites, const program_run& timed,
                       const trial_facts& facts) {
  unsigned threads = 0;
  for (const site& one : sites) threads = std::max(threads, one.threads);
  if (facts.pus != 0 && threads > facts.pus)
    return fmt::format("Of {} threads {} have no processing unit.", threads, threads - facts.pus);
  const double others = timed.other_cpu_share.value_or(0);
  return others > most_disturbance
             ? fmt::format("Other programs use {:.0f} % of the CPUs.", 100 * others)
             : "";
}

/// Returns other types of mutex for the first contended one, the likeliest first. In the last two
/// threads wait in line, and a thread without a CPU keeps all others waiting.
std::vector<setting_to_try> other_mutexes(const program_counts& of, const trial_facts& facts) {
  using enum probe::swap_kind;
  const std::vector<site>& sites = of.of_last_run.sites;
  const program_run* const timed = of.timed_run();
  if (facts.swaps.empty() || timed == nullptr) return {};
  const auto lock = std::ranges::find_if(of.objects, [&](const lock_object& each) {
    return each.kind == "mutex" &&
           is_worth(experiment::trial_mutex, contended_s(each, sites) / timed->wall_s);
  });
  if (lock == of.objects.end()) return {};
  std::vector<setting_to_try> all{
      swap_of(adaptive, facts, "mutexes of type PTHREAD_MUTEX_ADAPTIVE_NP"),
      swap_of(ttas, facts, "test-and-test-and-set locks with backoff around its mutexes"),
      swap_of(mcs, facts, "MCS locks around its mutexes"),
      swap_of(ticket, facts, "ticket locks around its mutexes")};
  if (const std::string crowd = crowd_text(sites, *timed, facts); !crowd.empty())
    for (std::size_t i = 2; i < all.size(); ++i)
      all[i].left_out =
          crowd + " One that is next in line and does not run keeps all others waiting.";
  for (setting_to_try& each : all)
    each.lock = static_cast<std::size_t>(lock - of.objects.begin()) + 1;
  return all;
}

std::vector<setting_to_try> settings_of(change_to_try change, const advice& each,
                                        const program_counts& of, const trial_facts& facts) {
  using enum change_to_try;
  const auto setting = [](auto... texts) {
    return std::vector<setting_to_try>{{.settings = {texts...}}};
  };
  switch (change) {
  case spin:
    return setting("OMP_WAIT_POLICY=active");
  case spin_longer:
    return of_wait_loop(of, "30000000", "infinite");
  case sleep:
    return setting("OMP_WAIT_POLICY=passive");
  case sleep_sooner:
    return of_wait_loop(of, "1000", "0");
  case threads_of_pus:
    if (facts.pus == 0) return {};
    return setting(fmt::format("OMP_NUM_THREADS={}", facts.pus));
  case half_of_threads:
    if (facts.pus < 2) return {};
    return setting(fmt::format("OMP_NUM_THREADS={}", facts.pus / 2));
  case one_level:
    return setting("OMP_MAX_ACTIVE_LEVELS=1");
  case bind:
    return setting("OMP_PROC_BIND=close", "OMP_PLACES=threads");
  case schedule:
    if (!of.file.takes_schedule) return {};
    if (each.rule == "chunks")
      return {{.settings = {"OMP_SCHEDULE=static"}}, {.settings = {"OMP_SCHEDULE=guided"}}};
    return {{.settings = {"OMP_SCHEDULE=dynamic"}}, {.settings = {"OMP_SCHEDULE=guided"}}};
  case libomp:
    if (!has_runtime(of, "libgomp.") || facts.libomp.empty()) return {};
    return setting(preload_setting(facts.libomp));
  case spinning_barrier:
    if (facts.swaps.empty()) return {};
    return {
        swap_of(probe::swap_kind::barrier, facts, "a spinning barrier in pthread_barrier_wait")};
  }
  return {};
}

bool is_set(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const char* const now = std::getenv(setting.substr(0, equals).c_str());
  return now != nullptr && setting.substr(equals + 1) == now;
}

/// A swap is for the POSIX threads that it is named for, all else for constructs of OpenMP.
bool is_for(change_to_try change, const advice& each, const std::vector<site>& sites) {
  using enum change_to_try;
  if (each.site_id == 0 || each.site_id > sites.size()) return false;
  const std::string& kind = sites[each.site_id - 1].kind;
  if (change == spinning_barrier) return kind == "barrier_wait";
  return kind != "barrier_wait" && find_call(kind).lock.empty();
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
        continue;  // a linker script, or another word size
      }
    }
  }
  return "";
}

}  // namespace

std::string setting_to_try::text() const {
  return name.empty() ? join(settings, " ") : fmt::format("{} ({})", name, settings.back());
}

trial_facts facts_of_trials(const program_counts& counted) {
  const advice_setting here = setting_of_run();
  trial_facts facts{.pus = static_cast<unsigned>(here.usable_pus)};
  if (counted.advices.empty() && counted.objects.empty()) return facts;
  facts.libomp = find_libomp();
  facts.swaps = find_own_library("libsyncmeter-swaps.so");
  return facts;
}

std::vector<setting_to_try> settings_to_try(const program_counts& counted,
                                            const trial_facts& facts) {
  std::vector<setting_to_try> found;
  for (std::size_t i = 0; i < counted.advices.size(); ++i) {
    const advice& each = counted.advices[i];
    for (const promise& of : promises()) {
      if (of.rule != each.rule) continue;
      for (const change_to_try change : of.changes) {
        if (!is_for(change, each, counted.of_last_run.sites)) continue;
        for (setting_to_try& setting : settings_of(change, each, counted, facts)) {
          const auto known = std::ranges::find(found, setting.settings, &setting_to_try::settings);
          if (known != found.end() && known->rank != i + 1) known->more_ranks.push_back(i + 1);
          if (known != found.end() || std::ranges::all_of(setting.settings, is_set)) continue;
          setting.rank = i + 1;
          found.push_back(std::move(setting));
        }
      }
    }
  }
  for (setting_to_try& setting : other_mutexes(counted, facts))
    if (!std::ranges::all_of(setting.settings, is_set)) found.push_back(std::move(setting));
  return found;
}

}  // namespace syncmeter
