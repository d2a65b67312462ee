// Words that are a single Kokkos function in every execution space: atomics and fences. A lane
// derives from this class and adds words that depend on the space.
#pragma once

#include <string_view>

#include <Kokkos_Core.hpp>

#include "core/op.hpp"

namespace syncmeter::kokkos {

/// False if Kokkos was built without atomics (an option for Serial-only builds): atomics are then
/// plain accesses, and fences do nothing.
#if defined(KOKKOS_ENABLE_ATOMICS_BYPASS)
inline constexpr bool has_atomics = false;
#else
inline constexpr bool has_atomics = true;
#endif

template <class T, order O> class words {
  // Kokkos' atomics have no order argument: all are relaxed.
  static constexpr bool atomic_order = has_atomics && O == order::relaxed;

 public:
  static constexpr order memory_order = O;

#define SM_KOKKOS_ATOMIC(RESULT, NAME, FUNCTION, PARAMETERS, ...)                                  \
  SM_FN RESULT NAME PARAMETERS const                                                               \
    requires atomic_order                                                                          \
  {                                                                                                \
    return Kokkos::FUNCTION(__VA_ARGS__);                                                          \
  }
  SM_KOKKOS_ATOMIC(void, atomic_add, atomic_add, (T & x, T by), &x, by)
  SM_KOKKOS_ATOMIC(void, atomic_sub, atomic_sub, (T & x, T by), &x, by)
  SM_KOKKOS_ATOMIC(T, atomic_fetch_add, atomic_fetch_add, (T & x, T by), &x, by)
  SM_KOKKOS_ATOMIC(T, atomic_exchange, atomic_exchange, (T & x, T desired), &x, desired)
  SM_KOKKOS_ATOMIC(void, atomic_max, atomic_max, (T & x, T e), &x, e)
  SM_KOKKOS_ATOMIC(void, atomic_min, atomic_min, (T & x, T e), &x, e)
  SM_KOKKOS_ATOMIC(T, atomic_compare_exchange, atomic_compare_exchange,
                   (T & x, T expected, T desired), &x, expected, desired)
  SM_KOKKOS_ATOMIC(T, atomic_read, atomic_load, (const T& x), &x)
  SM_KOKKOS_ATOMIC(void, atomic_write, atomic_store, (T & x, T value), &x, value)
#undef SM_KOKKOS_ATOMIC

  // memory_fence orders everything (sequentially consistent), like OpenMP's bare flush.
  SM_FN void fence() const
    requires(has_atomics && O == order::unordered)
  {
    Kokkos::memory_fence();
    keep_apart();
  }
  SM_FN void fence() const
    requires(has_atomics && O == order::acquire)
  {
    Kokkos::load_fence();
    keep_apart();
  }
  SM_FN void fence() const
    requires(has_atomics && O == order::release)
  {
    Kokkos::store_fence();
    keep_apart();
  }

 private:
  // Prevents clang from merging consecutive fences and removing the loop.
  SM_FN static void keep_apart() { asm volatile(""); }
};

/// Returns why Kokkos lacks a word, in any space.
[[nodiscard]] consteval std::string_view why_without(const op_info& info) {
  if (!has_atomics && info.guard == guard::none)
    return "this Kokkos was built without atomics (Kokkos_ENABLE_ATOMICS_BYPASS)";
  if (info.family == family::atomic) return "Kokkos' atomics are relaxed and take no memory order";
  if (info.family == family::fence)
    return "Kokkos has no fence of this order, only memory_fence (unordered), load_fence (acquire) "
           "and store_fence (release)";
  if (info.guard == guard::named_section) return "Kokkos has no named critical section";
  if (info.guard == guard::lock_object) return "Kokkos has no lock object";
  return "Kokkos has no such operation";
}

}  // namespace syncmeter::kokkos
