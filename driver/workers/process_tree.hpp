// The processes that another one started, and those that they started in turn.
#pragma once

#include <sys/types.h>

#include <set>

namespace syncmeter {

/// Those that live, or have ended and were not waited for; of other processes than this one also
/// those that a thread of them started. None where the kernel does not say.
[[nodiscard]] std::set<pid_t> descendants_of(pid_t process);

/// Ends what has come to be a descendant of this process since `before` was taken, and waits for
/// it: what a program that has ended left behind.
void end_new_descendants(const std::set<pid_t>& before);

}  // namespace syncmeter
