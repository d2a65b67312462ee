// Tries what may crash or never end in a process of its own first.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace syncmeter {

/// Runs `work` in a child process, which throws nothing away that this one has. Returns how the
/// child came to a bad end ("it crashed", "it took longer than 10 s"); empty when it did not, even
/// if `work` threw.
[[nodiscard]] std::string failed_trial(const std::function<void()>& work,
                                       std::chrono::seconds at_most = std::chrono::seconds{10});

}  // namespace syncmeter
