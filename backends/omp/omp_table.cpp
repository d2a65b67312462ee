// The OpenMP table: compiled once for each type and part of it, which the build names
// (cmake/tables.cmake).
#include "backends/omp/omp_backend.hpp"
#include "backends/omp/ops/all.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::omp {

using all_ops = decltype(joined(shared_ops{}, joined(host_ops{}, own_ops{})));

std::vector<measurable> SM_ROWS() {
  return rows_of_part<backend, SM_TYPE, table_part{SM_PART, SM_PARTS}>(all_ops{});
}

}  // namespace syncmeter::omp
