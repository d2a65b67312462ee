// What this machine was while measuring: everything a reader needs to judge or repeat a run.
#pragma once

#include <cstdint>
#include <string>
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

/// What is to be said where hwloc does not tell which core a PU belongs to.
inline constexpr const char* cores_unknown =
    "hwloc tells PUs alone, no cores, caches or packages: policies cannot tell SMT siblings from "
    "cores, and pairs of PUs are of no known class.";

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

/// How large hwloc, sysconf and the compiler say that a line is, from describe_machine's object:
/// "hwloc (cache line) 64 B, sysconf(...) 64 B, std::... 64 B".
[[nodiscard]] std::string line_sizes_text(const nlohmann::json& machine);

}  // namespace syncmeter
