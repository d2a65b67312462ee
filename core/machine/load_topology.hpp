// How hwloc is asked for a machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/machine/hwloc_handles.hpp"

namespace syncmeter {

/// This machine as hwloc sees it, or the PUs of `mask` alone where it sees none. Throws
/// std::runtime_error.
[[nodiscard]] topology_owner load_this_machine(const std::vector<int>& mask);

/// A machine that somebody wrote down; `describe` names it to hwloc and `what` to people. Throws
/// std::runtime_error where hwloc cannot load it, and where two PUs have one number.
[[nodiscard]] topology_owner load_described(const std::string& what,
                                            const std::function<int(hwloc_topology_t)>& describe);

/// Throws std::runtime_error: more than most_pus.
[[noreturn]] void refuse_pus(const std::string& what, double pus);

}  // namespace syncmeter
