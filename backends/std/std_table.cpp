// The table of C++20 threads: compiled once for each type and part of it, which the build names
// (cmake/tables.cmake).
#include "backends/std/ops/all.hpp"
#include "backends/std/std_backend.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::standard {

using all_ops = decltype(joined(joined(shared_ops{}, host_ops{}), own_ops{}));

std::vector<measurable> SM_ROWS() {
  return rows_of_part<backend, SM_TYPE, table_part{SM_PART, SM_PARTS}>(all_ops{});
}

}  // namespace syncmeter::standard
