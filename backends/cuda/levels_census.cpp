// What one op of a level compiles to (see cuda_census.cpp).
#include <fmt/format.h>

#include "backends/cuda/cuda_census.hpp"
#include "backends/cuda/levels_rig.hpp"
#include "backends/cuda/levels_table.hpp"

namespace syncmeter::cuda {
namespace {

std::string sass(const measurable& row) {
  const std::string_view op = row.info.name;
  const unsigned size = row.form.size;
  if (op == "fadd_chain") return fmt::format("FADD {}", size);
  return {};
}

nlohmann::json declares(const measurable& row) { return declared_sass(sass(row)); }

}  // namespace

row_group levels_rows() {
  std::vector<measurable> rows;
  for (const auto& more :
       {rows_tiles(), rows_coalesced(), rows_clusters(), rows_grids(), rows_chains()})
    rows.insert(rows.end(), more.begin(), more.end());
  return {std::move(rows), &make_rig<levels_rig>, &declares};
}

}  // namespace syncmeter::cuda
