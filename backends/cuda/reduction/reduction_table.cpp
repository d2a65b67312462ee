// The rows of reductions: one call for each word, on the host's lane.
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/ops/reduction.hpp"
#include "backends/cuda/reduction/reduction_rig.hpp"

namespace syncmeter::cuda {

// Not of this file alone, or its loops had no symbols for the census.
template <class T, class Form> class reduction_lane {
 public:
  explicit reduction_lane(reduction_rig& rig) : call_{&rig.call()} {}

  SM_FN void max_by_global_atomic() const { reduce_max_global_atomic(*call_); }
  SM_FN void max_by_warp_atomic() const { reduce_max_warp_atomic(*call_); }
  SM_FN void max_by_block_atomic() const { reduce_max_block_atomic(*call_); }
  SM_FN void max_by_warp_reduce() const
    requires(std::is_integral_v<T> && sizeof(T) == 4)
  {
    reduce_max_warp_reduce(*call_);
  }
  SM_FN void max_by_persistent() const { reduce_max_persistent(*call_); }
  SM_FN void max_by_library() const { reduce_max_cub(*call_); }
  SM_FN void read() const { read_bandwidth(*call_); }
  SM_FN void copy() const { copy_bandwidth(*call_); }

  [[nodiscard]] int outcome() const { return 0; }

 private:
  reduction_call* call_;
};

namespace {

struct reduction_backend : host_loop_backend<reduction_rig, reduction_lane> {
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "__reduce_max_sync takes 32-bit integers only";
  }
};

template <class T> void add_rows(std::vector<measurable>& rows) {
  static constexpr auto of_type = bind_typed<reduction_backend, T>(reduction_ops{});
  rows.insert(rows.end(), of_type.begin(), of_type.end());
}

}  // namespace

std::vector<measurable> reduction_rows() {
  std::vector<measurable> rows;
  add_rows<std::int32_t>(rows);
  add_rows<std::uint32_t>(rows);
  add_rows<std::uint64_t>(rows);
  add_rows<float>(rows);
  add_rows<double>(rows);
  return rows;
}

nlohmann::json declared_reductions(const measurable& row) {
  return {{"x86-64", fmt::format("call:syncmeter::cuda::{} 1", row.info.name)}};
}

}  // namespace syncmeter::cuda
