// The ops of one device's lanes on cells in its own, a peer's, and the host's memory: the same
// accesses, distinguished by point::home.
#include "backends/cuda/multi/multi_rig.hpp"
#include "backends/cuda/ops/table.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda::ops {

consteval op_info remote_info(std::string_view name, enum family family, enum oracle oracle,
                              std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family,
          .typed = true,
          .places = places::strided,
          .orders = orders::atomic,
          .oracle = oracle,
          .unroll = 16,
          .note = note};
}
inline constexpr std::array remote_forms{form{.order = order::relaxed,
                                              .placement = placement::strided,
                                              .scope = scope::system,
                                              .flavour = flavour::ptx,
                                              .space = space::global},
                                         form{.order = order::relaxed,
                                              .placement = placement::strided,
                                              .scope = scope::device,
                                              .flavour = flavour::ptx,
                                              .space = space::global}};

// Does the same as the op TWIN.
#define SM_REMOTE_OP(NAME, TWIN, WORDS, ORACLE, NOTE)                                              \
  struct NAME {                                                                                    \
    static constexpr op_info info = remote_info(#NAME, family::atomic, oracle::ORACLE, NOTE);      \
    static constexpr auto forms = remote_forms;                                                    \
    SM_FN static void common(WORDS auto& lane) { TWIN::common(lane); }                             \
    SM_FN static void measured(WORDS auto& lane) { TWIN::common(lane); }                           \
  };
SM_REMOTE_OP(remote_atomic_add_dependent, atomic_add_dependent, has_dependent_add, adds,
             "each result feeds the next operand (latency)")
SM_REMOTE_OP(remote_atomic_add, syncmeter::ops::atomic_add, has_atomic_add, adds,
             "the result is not used (throughput)")
SM_REMOTE_OP(remote_exchange, syncmeter::ops::atomic_exchange, has_atomic_exchange, exchanges,
             "each is independent of the others (throughput)")
SM_REMOTE_OP(remote_cas, syncmeter::ops::atomic_cas_pass, has_atomic_compare_exchange, unchanged,
             "each is independent of the others (throughput)")
#undef SM_REMOTE_OP

struct remote_load {  // test - baseline == one load at an address from the last load
  static constexpr op_info info =
      remote_info("remote_load", family::memory, oracle::none,
                  "each address depends on the previous load (latency)");
  static constexpr auto forms = remote_forms;
  SM_FN static void common(has_atomic_read auto& lane) {
    const auto nowhere = lane.dependent_one() - lane.one();
    lane.depend_on(lane.atomic_read(*(&lane.cell() + nowhere)));
  }
  SM_FN static void measured(has_atomic_read auto& lane) { common(lane); }
};

struct remote_store {  // test - baseline == one store
  static constexpr op_info info = remote_info("remote_store", family::memory, oracle::written,
                                              "each is independent of the others (throughput)");
  static constexpr auto forms = remote_forms;
  SM_FN static void common(has_atomic_write auto& lane) {
    lane.atomic_write(lane.cell(), lane.next_value());
  }
  SM_FN static void measured(has_atomic_write auto& lane) { common(lane); }
};

}  // namespace syncmeter::cuda::ops

namespace syncmeter::cuda {

std::vector<measurable> remote_rows() {
  using every_op =
      op_list<ops::remote_atomic_add_dependent, ops::remote_atomic_add, ops::remote_exchange,
              ops::remote_cas, ops::remote_load, ops::remote_store>;
  using adds = op_list<ops::remote_atomic_add_dependent, ops::remote_atomic_add>;
  static constexpr auto int32 = bind_typed<backend, std::int32_t>(every_op{});
  static constexpr auto uint64 = bind_typed<backend, std::uint64_t>(adds{});
  std::vector<measurable> rows{int32.begin(), int32.end()};
  rows.insert(rows.end(), uint64.begin(), uint64.end());
  return rows;
}

}  // namespace syncmeter::cuda
