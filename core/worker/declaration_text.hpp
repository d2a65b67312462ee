// Building the text of what an op should compile to, for a backend's declarations.
#pragma once

#include <string>
#include <string_view>

#include "core/measurable.hpp"

namespace syncmeter {

/// Puts what alternative declarations share in front of each: with("a 1", "b 1 | c 2") is
/// "a 1, b 1 | a 1, c 2". `shared` may be empty.
[[nodiscard]] std::string with(std::string_view shared, const std::string& alternatives);

[[nodiscard]] bool is_float(const measurable& row);

// x86-64, for every backend on a CPU.

/// A compare-and-swap loop round `arithmetic` (may be empty): the value is loaded once, the retry
/// branch is taken only under contention.
[[nodiscard]] std::string cas_loop(std::string_view arithmetic);
/// A plain x += 1 through volatile, within a critical section.
[[nodiscard]] std::string plain_add(const measurable& row);
/// The same under a lock of atomics that is looked at by one load and left by one store; `lock` is
/// what it holds beside these.
[[nodiscard]] std::string under_lock(const measurable& row, std::string_view lock);
/// Ops that use nothing of an API, plain accesses and controls; empty for every other op.
[[nodiscard]] std::string without_api(const measurable& row);

}  // namespace syncmeter
