// What this machine was while measuring: everything a reader needs to judge or repeat a run; and
// what Linux's files, the CPU and a cluster's scheduler say of it, one question a function.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

/// The machine as a JSON object: "cpu_model", "architecture", "hypervisor" (bool), "virtualization"
/// (name or ""), "packages", "numa_nodes", "cores", "pus" (of the whole machine), "cpu_kinds",
/// "smt" (bool), "caches" (level, bytes, line_bytes, shared_by = PUs under one, count = how many
/// such), "line_bytes", "line_bytes_sysconf" (_SC_LEVEL1_DCACHE_LINESIZE),
/// "destructive_interference_size" (the compiler's, std::hardware_...), "allowed_pus" (OS numbers),
/// "quota_cpus" (or null), "quota_source" (file or
/// ""), "offline_pus", "unbound_because" (why no lane can be bound, or ""), "hwloc_components"
/// (what the variable HWLOC_COMPONENTS says, or ""), "governor", "turbo" ("on", "off", "unknown"),
/// "kernel", "os", "host", "hwloc", "memory_bytes", "clock_tick_ns". What the system does not say
/// is "unknown", never left out. Throws std::runtime_error where hwloc cannot read the machine.
[[nodiscard]] nlohmann::json describe_machine();

/// The sentence for a machine of which hwloc does not know to which core a PU belongs.
inline constexpr const char* cores_unknown =
    "hwloc tells CPUs alone, no cores, caches or packages: policies cannot tell SMT siblings from "
    "cores, and pairs of CPUs are of no known class.";

/// True where the CPU reports that it runs under a hypervisor (x86), or the firmware does
/// (elsewhere).
[[nodiscard]] bool under_hypervisor();

/// Stolen time of the PUs named, summed, in ns since boot (/proc/stat); 0 where the kernel does not
/// tell.
[[nodiscard]] std::int64_t stolen_ns(const std::vector<int>& pus);

/// The smallest step of std::chrono::steady_clock between two calls that differ, in ns: the median
/// of many such steps.
[[nodiscard]] double clock_tick_ns();

/// One sentence for each circumstance a reader of the figures must know (virtual machine, governor
/// not performance, turbo on, SMT on, several kinds of core, CPU quota, fewer PUs allowed than the
/// machine has, PUs offline, lanes that cannot be bound, an hwloc that sees no cores). From
/// describe_machine's object; what is missing or unknown says nothing.
[[nodiscard]] std::vector<std::string> caveats(const nlohmann::json& machine);

/// The value of an environment variable, nullptr where it is not set; as std::getenv.
using read_variable = std::function<const char*(const char*)>;

/// The job as an object of texts: "name" (slurm, flux, pbs or lsf), "job" (its id) and, where the
/// scheduler says so, "array_job", "array_task", "step", "node", "cluster", "partition". null where
/// this process is in no job: no variable that holds an id is set, or it is empty.
[[nodiscard]] nlohmann::json describe_scheduler();
[[nodiscard]] nlohmann::json describe_scheduler(const read_variable& variable);

// What the files do not hold is "unknown". `root` goes before every path that is read ("" on the
// real machine).

inline constexpr const char* unknown_fact = "unknown";

/// The CPU's name from /proc/cpuinfo; on Arm, where that has none, its implementer and part
/// ("Arm Neoverse-V1", or the numbers where the part is not a known one).
[[nodiscard]] std::string read_cpu_model(const std::string& root = "");

/// The frequency governor of all cpufreq policies ("performance"); several, each once, when they
/// differ.
[[nodiscard]] std::string read_governor(const std::string& root = "");

/// "on", "off" or "unknown": intel_pstate/no_turbo, else cpufreq/boost.
[[nodiscard]] std::string read_turbo(const std::string& root = "");

/// PRETTY_NAME of /etc/os-release, else of /usr/lib/os-release.
[[nodiscard]] std::string read_os(const std::string& root = "");

/// The hypervisor's vendor by the CPU's own word (CPUID leaf 0x40000000, "KVMKVMKVM"); empty
/// without a hypervisor, and on CPUs that have no such instruction.
[[nodiscard]] std::string hypervisor_vendor();

/// True where /proc/cpuinfo's flags hold "hypervisor".
[[nodiscard]] bool read_hypervisor_flag(const std::string& root = "");

/// A hypervisor's short name ("kvm", "vmware", "hyper-v", "xen", "amazon", ...) from the vendor as
/// hypervisor_vendor() gives it, else from /sys/hypervisor, the device tree or the DMI strings;
/// empty where none of them names one. DMI alone can name a cloud whose bare-metal machines have it
/// too.
[[nodiscard]] std::string read_virtualization(std::string_view vendor,
                                              const std::string& root = "");

/// Times of PUs since boot, in clock ticks: sysconf(_SC_CLK_TCK) of them a second.
struct pu_ticks {
  std::int64_t used = 0;  ///< by programs, their guests, the kernel and interrupts
  std::int64_t stolen = 0;
};

/// Of the PUs, summed; 0 where /proc/stat does not tell.
[[nodiscard]] pu_ticks read_pu_ticks(const std::vector<int>& pus, const std::string& root = "");

}  // namespace syncmeter
