// What Linux's files and the CPU itself say of this machine, one question a function. Everything
// that is not said is "unknown".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace syncmeter {

inline constexpr const char* unknown_fact = "unknown";

/// In each, `root` goes before every path that is read ("" on the real machine).

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

/// Stolen time of the PUs, summed, in clock ticks (sysconf(_SC_CLK_TCK) of them a second); 0 where
/// /proc/stat does not tell.
[[nodiscard]] std::int64_t read_stolen_ticks(const std::vector<int>& pus,
                                             const std::string& root = "");

}  // namespace syncmeter
