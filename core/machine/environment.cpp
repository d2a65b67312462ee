// Puts together what this machine was while measuring, and what of it a reader must know.
#include "core/machine/environment.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <new>
#include <tuple>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwloc.h>
#include <nlohmann/json.hpp>

#include "core/machine/load_topology.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

nlohmann::json or_unknown(std::uint64_t value) {
  if (value == 0) return unknown_fact;
  return value;
}

/// One entry per level, size and number of PUs that share it: equal caches are counted, not
/// repeated.
nlohmann::json describe_caches(hwloc_topology_t tree) {
  std::map<std::tuple<unsigned, std::uint64_t, unsigned, int>, int> counts;
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                      HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    hwloc_obj_t cache = nullptr;
    while ((cache = hwloc_get_next_obj_by_type(tree, type, cache)) != nullptr) {
      const auto& a = cache->attr->cache;
      ++counts[{a.depth, a.size, a.linesize, hwloc_bitmap_weight(cache->cpuset)}];
    }
  }
  nlohmann::json caches = nlohmann::json::array();
  for (const auto& [cache, count] : counts) {
    const auto& [level, bytes, line_bytes, shared_by] = cache;
    caches.push_back({{"level", level},
                      {"bytes", or_unknown(bytes)},
                      {"line_bytes", or_unknown(line_bytes)},
                      {"shared_by", shared_by},
                      {"count", count}});
  }
  return caches;
}

std::uint64_t sysconf_line_bytes() {
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

/// 0 where the standard library does not say.
std::uint64_t compilers_interference_size() {
#if defined(__cpp_lib_hardware_interference_size)
#if defined(__GNUC__) && !defined(__clang__)
// g++ warns that the value depends on its version and -mtune: it is shown here, nothing is laid out
// by it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winterference-size"
#endif
  return std::hardware_destructive_interference_size;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#else
  return 0;
#endif
}

/// hwloc's name for the CPU where /proc/cpuinfo has none.
std::string cpu_model(hwloc_topology_t tree) {
  std::string name = read_cpu_model();
  if (name != unknown_fact) return name;
  hwloc_obj_t package = hwloc_get_next_obj_by_type(tree, HWLOC_OBJ_PACKAGE, nullptr);
  const char* found = hwloc_obj_get_info_by_name(
      package != nullptr ? package : hwloc_get_root_obj(tree), "CPUModel");
  return found != nullptr && *found != '\0' ? found : unknown_fact;
}

/// The member as T, or `otherwise` where it is missing or of another type ("unknown", null).
template <class T> T member(const nlohmann::json& object, const char* name, T otherwise) {
  const auto found = object.find(name);
  if (found == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return found->is_string() ? found->template get<T>() : otherwise;
  } else if constexpr (std::is_same_v<T, bool>) {
    return found->is_boolean() ? found->template get<T>() : otherwise;
  } else {
    return found->is_number() ? found->template get<T>() : otherwise;
  }
}

}  // namespace

bool under_hypervisor() {
#if defined(__x86_64__) || defined(__i386__)
  // DMI is no proof here: a cloud's bare-metal machines carry the cloud's name too.
  return !hypervisor_vendor().empty() || read_hypervisor_flag();
#else
  return !read_virtualization("").empty();
#endif
}

nlohmann::json describe_machine() {
  const topology machine = topology::of_this_machine();
  const auto tree = static_cast<hwloc_topology_t>(machine.native());
  const cpu_grant grant = read_cpu_grant();
  const bool hypervisor = under_hypervisor();
  std::string virtualization = hypervisor ? read_virtualization(hypervisor_vendor()) : "";
  if (hypervisor && virtualization.empty()) virtualization = unknown_fact;
  utsname system{};
  const bool named = uname(&system) == 0;
  const auto count = [tree](hwloc_obj_type_t type) { return hwloc_get_nbobjs_by_type(tree, type); };
  std::vector<int> allowed = machine.allowed_pus();
  std::ranges::sort(allowed);

  nlohmann::json j;
  j["cpu_model"] = cpu_model(tree);
  j["architecture"] = named ? system.machine : unknown_fact;
  j["hypervisor"] = hypervisor;
  j["virtualization"] = virtualization;
  j["packages"] = count(HWLOC_OBJ_PACKAGE);
  j["numa_nodes"] = count(HWLOC_OBJ_NUMANODE);
  j["cores"] = count(HWLOC_OBJ_CORE);
  j["pus"] = count(HWLOC_OBJ_PU);
  j["cpu_kinds"] = machine.kinds();
  j["smt"] = machine.has_smt();
  j["caches"] = describe_caches(tree);
  j["line_bytes"] = machine.line_bytes();
  j["line_bytes_sysconf"] = or_unknown(sysconf_line_bytes());
  j["destructive_interference_size"] = or_unknown(compilers_interference_size());
  j["allowed_pus"] = allowed;
  j["quota_cpus"] = grant.quota_cpus ? nlohmann::json(*grant.quota_cpus) : nlohmann::json();
  j["quota_source"] = grant.quota_source;
  j["offline_pus"] = grant.offline;
  j["unbound_because"] = why_not_bound(machine).value_or("");
  const char* const components = std::getenv("HWLOC_COMPONENTS");
  j["hwloc_components"] = components != nullptr ? components : "";
  j["governor"] = read_governor();
  j["turbo"] = read_turbo();
  j["kernel"] = named ? fmt::format("{} {}", system.sysname, system.release) : unknown_fact;
  j["os"] = read_os();
  j["host"] = named && system.nodename[0] != '\0' ? system.nodename : unknown_fact;
  j["hwloc"] = HWLOC_VERSION;
  j["memory_bytes"] = or_unknown(memory_bytes(tree));
  j["clock_tick_ns"] = clock_tick_ns();
  return j;
}

std::int64_t stolen_ns(const std::vector<int>& pus) {
  const long per_second = sysconf(_SC_CLK_TCK);
  return per_second > 0 ? read_pu_ticks(pus).stolen * (1'000'000'000 / per_second) : 0;
}

double clock_tick_ns() {
  using clock = std::chrono::steady_clock;
  // A coarse clock steps a hundred times a second: take what steps there are in a while.
  constexpr std::size_t enough = 1001;
  constexpr std::chrono::milliseconds patience{50};
  std::vector<double> steps;
  const clock::time_point start = clock::now();
  clock::time_point before = start;
  while (steps.size() < enough && (steps.empty() || before - start < patience)) {
    const clock::time_point now = clock::now();
    if (now == before) continue;
    steps.push_back(std::chrono::duration<double, std::nano>(now - before).count());
    before = now;
  }
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return *middle;
}

std::vector<std::string> caveats(const nlohmann::json& machine) {
  std::vector<std::string> found;
  if (member(machine, "hypervisor", false)) {
    found.push_back(fmt::format("Virtual machine ({}): the host may move, share or slow the CPUs, "
                                "and their topology is what "
                                "the hypervisor shows of it.",
                                member(machine, "virtualization", std::string(unknown_fact))));
  }
  const auto governor = member(machine, "governor", std::string(unknown_fact));
  if (governor != unknown_fact && governor != "performance") {
    found.push_back(
        fmt::format("The frequency governor is '{}', not 'performance': clocks may change "
                    "while measuring.",
                    governor));
  }
  if (member(machine, "turbo", std::string(unknown_fact)) == "on") {
    found.emplace_back("Turbo is on: clocks depend on how many cores are busy and on temperature.");
  }
  if (member(machine, "smt", false)) {
    found.emplace_back("SMT is on: work on a core's other hardware thread slows a thread down.");
  }
  if (const int kinds = member(machine, "cpu_kinds", 1); kinds > 1) {
    found.push_back(fmt::format(
        "The cores are of {} kinds: threads on different kinds differ in speed.", kinds));
  }
  if (const double quota = member(machine, "quota_cpus", 0.0); quota > 0) {
    const auto source = member(machine, "quota_source", std::string());
    found.push_back(fmt::format("A quota of {} applies{}: threads that exceed it are paused.",
                                cpus_text(quota), source.empty() ? "" : " (" + source + ")"));
  }
  const auto allowed = machine.find("allowed_pus");
  const auto pus = member(machine, "pus", std::size_t{0});
  if (allowed != machine.end() && allowed->is_array() && allowed->size() < pus) {
    found.push_back(
        fmt::format("Only {} of the machine's {} CPUs may be used here: others may be busy "
                    "with other work.",
                    allowed->size(), pus));
  }
  if (const auto offline = machine.find("offline_pus");
      offline != machine.end() && offline->is_array() && !offline->empty()) {
    found.push_back(fmt::format("Offline: CPU{} {}.", offline->size() == 1 ? "" : "s",
                                fmt::join(offline->get<std::vector<int>>(), ", ")));
  }
  if (const auto why = member(machine, "unbound_because", std::string()); !why.empty()) {
    found.push_back(
        fmt::format("Threads cannot be bound here ({}): the operating system may migrate "
                    "them, and the CPUs that they ran on are not known.",
                    why));
  }
  if (member(machine, "pus", 0) > 0 && member(machine, "cores", 1) == 0) {
    const auto components = member(machine, "hwloc_components", std::string());
    found.push_back(cores_unknown + (components.empty()
                                         ? std::string()
                                         : " HWLOC_COMPONENTS is '" + components + "'."));
  }
  return found;
}

}  // namespace syncmeter
