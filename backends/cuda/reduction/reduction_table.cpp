// The maximum of an array, and the reads and copies that bound it: Listing 1 of "Characterizing
// CUDA and OpenMP Synchronization Primitives" (IISWC 2024). test - baseline == one more op on the
// same array, queued in the same stream. Each op writes its own cell, set to the least value by the
// previous op: the op includes this reset.
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/reduction/reduction_rig.hpp"

namespace syncmeter::cuda {

// Ops and lane need external linkage: the census finds loops by their symbols.

template <class T, class Form> struct reduction_lane {
  explicit reduction_lane(reduction_rig& rig) : call{&rig.call()} {}
  [[nodiscard]] int outcome() const { return 0; }

  static constexpr bool has_warp_reduce = std::is_integral_v<T> && sizeof(T) == 4;
  reduction_call* call;
};

namespace ops {

consteval op_info reduction_info(std::string_view name, std::string_view note, array_op kind) {
  const bool reads = kind == array_op::read || kind == array_op::copy;
  return {.name = name,
          .in_quick = false,
          .family = reads ? family::memory : family::reduction,
          .typed = true,
          .unroll = 1,
          .host_lane = true,
          .note = note,
          .size_of = "elements",
          .kind = static_cast<std::uint8_t>(kind)};
}

// Defines a call to the function with the op's name, for lanes with HAS.
#define SM_REDUCTION_OP(NAME, HAS, KIND, NOTE)                                                     \
  struct NAME {                                                                                    \
    static constexpr op_info info = reduction_info(#NAME, NOTE, array_op::KIND);                   \
    template <class Lane>                                                                          \
    SM_FN static void common(Lane& lane)                                                           \
      requires HAS                                                                                 \
    {                                                                                              \
      cuda::NAME(*lane.call);                                                                      \
    }                                                                                              \
    SM_FN static void measured(auto& lane) { common(lane); }                                       \
  };

SM_REDUCTION_OP(reduce_max_global_atomic, true, maximum,
                "one atomicMax per thread in global memory; for 32-bit types the compiler combines "
                "them to one per warp")
SM_REDUCTION_OP(reduce_max_warp_atomic, true, maximum,
                "a warp's maximum by shuffles, then one atomicMax per warp in global memory")
SM_REDUCTION_OP(reduce_max_block_atomic, true, maximum,
                "one atomicMax per thread in shared memory, then one per block in global memory; "
                "for 64-bit types the first is a compare-and-swap loop")
SM_REDUCTION_OP(reduce_max_warp_reduce, Lane::has_warp_reduce, maximum,
                "__reduce_max_sync per warp, then one atomicMax per warp in shared memory and one "
                "per block in global memory")
SM_REDUCTION_OP(reduce_max_persistent, true, maximum,
                "persistent threads: as many as are co-resident, each with the maximum of its "
                "share in a register, then as reduce_max_warp_reduce (by shuffles for types "
                "without it)")
SM_REDUCTION_OP(reduce_max_cub, true, library_maximum,
                "cub::DeviceReduce::Max, which chooses its own grid")
// Not a maximum, but the upper bound for every form that reads the array from memory.
SM_REDUCTION_OP(read_bandwidth, true, read,
                "reads every byte of the array once, 16 at a time: the upper bound for a reduction")
SM_REDUCTION_OP(copy_bandwidth, true, copy, "copies the array to another one")
#undef SM_REDUCTION_OP

}  // namespace ops

using reduction_ops =
    op_list<ops::reduce_max_global_atomic, ops::reduce_max_warp_atomic,
            ops::reduce_max_block_atomic, ops::reduce_max_warp_reduce, ops::reduce_max_persistent,
            ops::reduce_max_cub, ops::read_bandwidth, ops::copy_bandwidth>;

namespace {

struct reduction_backend : host_loop_backend<reduction_rig, reduction_lane> {
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "__reduce_max_sync takes 32-bit integers only";
  }
};

template <class... T> std::vector<measurable> rows_of_types() {
  std::vector<measurable> rows;
  const auto add = [&rows](const auto& of_type) {
    rows.insert(rows.end(), of_type.begin(), of_type.end());
  };
  (add(rows_of_part<reduction_backend, T, table_part{}>(reduction_ops{})), ...);
  return rows;
}

// Declares one call each. Our loops do not contain the kernels, and no declaration covers them.
nlohmann::json declares(const measurable& row) {
  return {{"x86-64", fmt::format("call:syncmeter::cuda::{} 1", row.info.name)}};
}

}  // namespace

row_group reduction_group() {
  return {rows_of_types<std::int32_t, std::uint32_t, std::uint64_t, float, double>(),
          &make_rig<reduction_rig>, &declares};
}

}  // namespace syncmeter::cuda
