// OpenMP flushes, on the host and on a device.
#pragma once

#include "core/axes.hpp"
#include "core/op.hpp"

namespace syncmeter::omp {

#if defined(SM_OMP_HAS_FLUSH_SEQ_CST)
inline constexpr bool has_flush_seq_cst = true;
#else
inline constexpr bool has_flush_seq_cst = false;  // missing up to g++ 12
#endif

/// Returns whether this compiler has a flush with this order. A flush without order covers all
/// memory.
template <order O>
inline constexpr bool has_flush = O != order::relaxed && (O != order::seq_cst || has_flush_seq_cst);

// Selects by order, because the clause must be literal.
template <order O> SM_FN void flush() {
  if constexpr (O == order::unordered) {
#pragma omp flush
  } else if constexpr (O == order::acquire) {
#pragma omp flush acquire
  } else if constexpr (O == order::release) {
#pragma omp flush release
  } else if constexpr (O == order::acq_rel) {
#pragma omp flush acq_rel
  }
#if defined(SM_OMP_HAS_FLUSH_SEQ_CST)
  if constexpr (O == order::seq_cst) {
#pragma omp flush seq_cst
  }
#endif
}

}  // namespace syncmeter::omp
