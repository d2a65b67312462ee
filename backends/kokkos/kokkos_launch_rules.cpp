#include "backends/kokkos/kokkos_launch_rules.hpp"

#include <utility>

#include <fmt/format.h>

namespace syncmeter::kokkos {

std::string why_no_launch(const launch_shape& shape, unsigned largest_team) {
  if (shape.active != 0) return "--active is not supported by launches: the kernel is empty";
  if (largest_team != 0 && shape.lanes > largest_team)
    return fmt::format("--threads {}: a team of this kernel has at most {} members", shape.lanes,
                       largest_team);
  if (!std::in_range<int>(std::uint64_t{shape.blocks} * shape.lanes))
    return fmt::format("--blocks {} x --threads {}: Kokkos counts them as an int", shape.blocks,
                       shape.lanes);
  return {};
}

std::string wrong_count(std::string_view op, std::uint32_t counted, const launch_shape& shape) {
  const std::uint32_t expected = expected_count(shape);
  if (counted == expected) return {};
  return fmt::format("oracle: {} indices or members ran in one {}, expected {}", counted, op,
                     expected);
}

}  // namespace syncmeter::kokkos
