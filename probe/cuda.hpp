// Calls of CUDA's functions, as a tool's library reports them at their begin and end.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "probe/cupti.hpp"

namespace syncmeter::probe {

/// A tool's library: the one that the environment's variable names, else the first of these that is
/// loaded, on the loader's path or where a toolkit has it. nullptr where there is none.
[[nodiscard]] void* load_library(const char* variable, std::initializer_list<const char*> names);

inline constexpr std::uint8_t not_counted = 0xFF;
/// What a function is counted as, by its name with a version and a stream: a kind, or not_counted.
[[nodiscard]] std::uint8_t kind_of_function(const char* name);

/// A call as it begins or ends; data up to the kernel's name.
struct reported_call {
  bool of_runtime;         ///< else of the driver
  std::uint32_t function;  ///< its number
  std::uint8_t what;       ///< a kind
  const cupti::callback_data* data;
  std::uint32_t correlation;  ///< 0: not known
};
/// `frame` is the callback's own.
void count_reported_call(const reported_call& call, const void* frame);

/// The site of the call that this thread is making; 0: of none, or not known.
[[nodiscard]] std::uint64_t site_of_reported_call();

}  // namespace syncmeter::probe
