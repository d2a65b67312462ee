// From a type that is known when the program runs to one that the compiler knows.
#pragma once

#include <cstdint>

#include "core/axes.hpp"

namespace syncmeter {

/// Calls `use` with a value of the type.
template <class Use> constexpr auto by_type(value_type type, Use use) {
  switch (type) {
  case value_type::int32:
    return use(std::int32_t{});
  case value_type::uint32:
    return use(std::uint32_t{});
  case value_type::uint64:
    return use(std::uint64_t{});
  case value_type::float32:
    return use(float{});
  case value_type::float64:
    break;
  }
  return use(double{});
}

}  // namespace syncmeter
