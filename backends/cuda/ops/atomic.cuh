// Atomics that only CUDA has, and the dependent form of an add: the third use of a result beside
// unused (`atomic_add`) and used independently (`atomic_fetch_add`).
#pragma once

#include "backends/cuda/ops/words.hpp"
#include "core/ops/atomic.hpp"

namespace syncmeter::cuda::ops {

using syncmeter::ops::atomic_info;

struct atomic_add_dependent {  // v = x, x += e, where e is made of the v before: a latency
  static constexpr op_info info = atomic_info("atomic_add_dependent", oracle::adds,
                                              "each result feeds the next operand (latency)");
  SM_FN static void common(has_dependent_add auto& lane) {
    lane.depend_on(lane.atomic_fetch_add(lane.cell(), lane.dependent_one()));
  }
  SM_FN static void measured(has_dependent_add auto& lane) { common(lane); }
};

// An operand that repeats would let the compiler merge what changes nothing the second time.
struct atomic_and {  // x &= e, where e grows and always holds the bits of x
  static constexpr op_info info = atomic_info("atomic_and", oracle::unchanged);
  SM_FN static void common(has_atomic_and auto& lane) {
    lane.atomic_and(lane.cell(), lane.operand_up() | lane.initial());
  }
  SM_FN static void measured(has_atomic_and auto& lane) { common(lane); }
};

struct atomic_or {  // x |= e, where e grows within the bits of x
  static constexpr op_info info = atomic_info("atomic_or", oracle::unchanged);
  SM_FN static void common(has_atomic_or auto& lane) {
    lane.atomic_or(lane.cell(), lane.operand_up() & lane.initial());
  }
  SM_FN static void measured(has_atomic_or auto& lane) { common(lane); }
};

struct atomic_xor {  // x ^= e with an e that is 0 in memory: other operands would undo each other
  static constexpr op_info info = atomic_info("atomic_xor", oracle::unchanged);
  SM_FN static void common(has_atomic_xor auto& lane) { lane.atomic_xor(lane.cell(), lane.zero()); }
  SM_FN static void measured(has_atomic_xor auto& lane) { common(lane); }
};

struct atomic_inc {  // x = x >= limit ? 0 : x + 1, with a limit that is never reached
  static constexpr op_info info = atomic_info("atomic_inc", oracle::adds);
  SM_FN static void common(has_atomic_inc auto& lane) {
    lane.atomic_inc(lane.cell(), lane.largest());
  }
  SM_FN static void measured(has_atomic_inc auto& lane) { common(lane); }
};

}  // namespace syncmeter::cuda::ops
