// Tables from a name to what stands for it.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace syncmeter {

/// The value of that name. Throws std::invalid_argument that lists the names where there is none.
template <class Value, std::size_t N>
[[nodiscard]] Value entry_named(const std::array<std::pair<std::string_view, Value>, N>& table,
                                std::string_view name) {
  std::string known;
  for (const auto& [entry, value] : table) {
    if (entry == name) return value;
    known += known.empty() ? "" : ", ";
    known += entry;
  }
  throw std::invalid_argument("'" + std::string(name) + "' is not one of " + known);
}

}  // namespace syncmeter
