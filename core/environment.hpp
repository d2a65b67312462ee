// What this machine was while measuring: everything a reader needs to judge or repeat a run.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace syncmeter {

/// The machine as a JSON object: "cpu_model", "architecture", "hypervisor" (bool), "virtualization"
/// (name or ""), "packages", "numa_nodes", "cores", "pus", "smt" (bool), "caches" (level, bytes,
/// line_bytes, shared_by), "line_bytes", "allowed_pus", "quota_cpus" (or null), "governor", "turbo"
/// ("on", "off", "unknown"), "kernel", "os", "host", "hwloc", "memory_bytes", "clock_tick_ns".
/// What the system does not say is "unknown", never left out.
[[nodiscard]] nlohmann::json describe_machine();

/// True where the CPU reports that it runs under a hypervisor.
[[nodiscard]] bool under_hypervisor();

/// Stolen time of the PUs named, summed, in ns since boot (/proc/stat); 0 where the kernel does not tell.
[[nodiscard]] std::int64_t stolen_ns(const std::vector<int>& pus);

/// The smallest step of std::chrono::steady_clock between two calls that differ, in ns: the median
/// of many such steps.
[[nodiscard]] double clock_tick_ns();

/// One sentence for each circumstance a reader of the figures must know (virtual machine, governor
/// not performance, turbo on, SMT on, CPU quota, fewer PUs allowed than the machine has). From describe_machine's object.
[[nodiscard]] std::vector<std::string> caveats(const nlohmann::json& machine);

}  // namespace syncmeter
