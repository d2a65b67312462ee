// What one op of C++20 threads should compile to, by instruction set: the census holds the compiler
// and its library to it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::standard {

/// {"x86-64": "lock_add 1"}; empty where nothing is declared.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

}  // namespace syncmeter::standard
