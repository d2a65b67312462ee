// What one device's lanes do to cells in its own memory, in a peer's, and in the host's: the same
// accesses, told apart by point::home.
#pragma once

#include "backends/cuda/ops/atomic.cuh"

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

struct remote_atomic_add_dependent {  // test - baseline == one add whose operand waits for the one
                                      // before
  static constexpr op_info info =
      remote_info("remote_atomic_add_dependent", family::atomic, oracle::adds,
                  "each result feeds the next operand (latency)");
  static constexpr auto forms = remote_forms;
  SM_FN static void common(has_dependent_add auto& lane) { atomic_add_dependent::common(lane); }
  SM_FN static void measured(has_dependent_add auto& lane) { common(lane); }
};

struct remote_atomic_add {  // test - baseline == one add, result unused
  static constexpr op_info info = remote_info("remote_atomic_add", family::atomic, oracle::adds,
                                              "the result is not used (throughput)");
  static constexpr auto forms = remote_forms;
  SM_FN static void common(has_atomic_add auto& lane) { lane.atomic_add(lane.cell(), lane.one()); }
  SM_FN static void measured(has_atomic_add auto& lane) { common(lane); }
};

struct remote_exchange {  // test - baseline == one exchange; none waits for another
  static constexpr op_info info = remote_info("remote_exchange", family::atomic, oracle::exchanges,
                                              "each is independent of the others (throughput)");
  static constexpr auto forms = remote_forms;
  SM_FN static void common(has_atomic_exchange auto& lane) {
    syncmeter::ops::atomic_exchange::common(lane);
  }
  SM_FN static void measured(has_atomic_exchange auto& lane) { common(lane); }
};

struct remote_cas {  // test - baseline == one compare-and-swap that passes; none waits for another
  static constexpr op_info info = remote_info("remote_cas", family::atomic, oracle::unchanged,
                                              "each is independent of the others (throughput)");
  static constexpr auto forms = remote_forms;
  SM_FN static void common(has_atomic_compare_exchange auto& lane) {
    syncmeter::ops::atomic_cas_pass::common(lane);
  }
  SM_FN static void measured(has_atomic_compare_exchange auto& lane) { common(lane); }
};

struct remote_load {  // test - baseline == one load whose address waits for the one before
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
