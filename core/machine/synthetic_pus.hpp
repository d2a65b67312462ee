// How many PUs a synthetic description of hwloc's has, before hwloc builds them.
#pragma once

#include <string_view>

namespace syncmeter {

/// Of "package:2 [numa] core:4 pu:2(indexes=..)" 16: the product of the numbers outside brackets.
[[nodiscard]] double pus_described(std::string_view description);

}  // namespace syncmeter
