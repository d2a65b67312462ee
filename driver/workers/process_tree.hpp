// Finds and ends the descendants of a process.
#pragma once

#include <sys/types.h>

#include <set>

namespace syncmeter {

/// Returns descendants that live or were not waited for. For a foreign process, includes children
/// of all its threads. Returns nothing if the kernel does not list children.
[[nodiscard]] std::set<pid_t> descendants_of(pid_t process);

/// Kills and reaps the descendants that appeared since `before`: processes that an ended program
/// left behind.
void end_new_descendants(const std::set<pid_t>& before);

}  // namespace syncmeter
