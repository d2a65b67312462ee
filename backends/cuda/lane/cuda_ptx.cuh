// The atomic words of a CUDA lane in the flavour `ptx`: `red` and `atom` as PTX spells them, on
// global memory, with their order and scope (PTX ISA, "Parallel Synchronization and
// Communication").
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/axes.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda::ptx {

// The text of an instruction has to be literal, so order, scope and type are chosen by macro.
#define SM_PTX_SCOPES(DO, ORDER, ...)                                                              \
  if constexpr (S == scope::block) {                                                               \
    DO(ORDER ".cta", __VA_ARGS__)                                                                  \
  } else if constexpr (S == scope::system) {                                                       \
    DO(ORDER ".sys", __VA_ARGS__)                                                                  \
  } else {                                                                                         \
    DO(ORDER ".gpu", __VA_ARGS__)                                                                  \
  }
#define SM_PTX_ORDERS(DO, ...)                                                                     \
  if constexpr (O == order::relaxed) {                                                             \
    SM_PTX_SCOPES(DO, "relaxed", __VA_ARGS__)                                                      \
  } else if constexpr (O == order::acquire) {                                                      \
    SM_PTX_SCOPES(DO, "acquire", __VA_ARGS__)                                                      \
  } else if constexpr (O == order::release) {                                                      \
    SM_PTX_SCOPES(DO, "release", __VA_ARGS__)                                                      \
  } else {                                                                                         \
    SM_PTX_SCOPES(DO, "acq_rel", __VA_ARGS__)                                                      \
  }
#define SM_PTX_RED(WHICH, OP, C)                                                                   \
  asm volatile("red." WHICH ".global." OP " [%0], %1;" ::"l"(p), C(v) : "memory");
#define SM_PTX_ATOM(WHICH, OP, C)                                                                  \
  asm volatile("atom." WHICH ".global." OP " %0, [%1], %2;"                                        \
               : "=" C(old)                                                                        \
               : "l"(p), C(v)                                                                      \
               : "memor"                                                                           \
                 "y");
#define SM_PTX_CAS(WHICH, OP, C)                                                                   \
  asm volatile("atom." WHICH ".global." OP " %0, [%1], %2, %3;"                                    \
               : "=" C(old)                                                                        \
               : "l"(p), C(e), C(v)                                                                \
               : "memory");
#define SM_PTX_LOAD(WHICH, OP, C)                                                                  \
  asm volatile("ld." WHICH ".global." OP " %0, [%1];" : "=" C(old) : "l"(p) : "memory");
#define SM_PTX_STORE(WHICH, OP, C)                                                                 \
  asm volatile("st." WHICH ".global." OP " [%0], %1;" ::"l"(p), C(v) : "memory");

// Which type suffix and register class.
#define SM_PTX_ARITHMETIC(ORDERS, DO, NAME)                                                        \
  if constexpr (std::is_same_v<T, float>) {                                                        \
    ORDERS(DO, NAME ".f32", "f")                                                                   \
  } else if constexpr (std::is_same_v<T, double>) {                                                \
    ORDERS(DO, NAME ".f64", "d")                                                                   \
  } else if constexpr (sizeof(T) == 8) {                                                           \
    ORDERS(DO, NAME ".u64", "l")                                                                   \
  } else if constexpr (std::is_signed_v<T>) {                                                      \
    ORDERS(DO, NAME ".s32", "r")                                                                   \
  } else {                                                                                         \
    ORDERS(DO, NAME ".u32", "r")                                                                   \
  }
#define SM_PTX_BITS(ORDERS, DO, NAME)                                                              \
  if constexpr (sizeof(T) == 8) {                                                                  \
    ORDERS(DO, NAME "b64", "l")                                                                    \
  } else {                                                                                         \
    ORDERS(DO, NAME "b32", "r")                                                                    \
  }

#define SM_PTX_RELAXED(DO, ...) SM_PTX_SCOPES(DO, "relaxed", __VA_ARGS__)

/// The address of x in the global window, which `.global` instructions take.
template <class T> SM_FN std::size_t global_address(const T& x) {
  return __cvta_generic_to_global(&x);
}

// An update in both forms: `red` leaves no result, `atom` gives the old value.
#define SM_PTX_UPDATE(NAME, TYPES, ORDERS, OP)                                                     \
  template <order O, scope S, class T> SM_FN void red_##NAME(T& x, T v) {                          \
    const auto p = global_address(x);                                                              \
    TYPES(ORDERS, SM_PTX_RED, OP)                                                                  \
  }                                                                                                \
  template <order O, scope S, class T> SM_FN T atom_##NAME(T& x, T v) {                            \
    const auto p = global_address(x);                                                              \
    T old;                                                                                         \
    TYPES(ORDERS, SM_PTX_ATOM, OP)                                                                 \
    return old;                                                                                    \
  }
SM_PTX_UPDATE(add, SM_PTX_ARITHMETIC, SM_PTX_ORDERS, "add")
SM_PTX_UPDATE(min, SM_PTX_ARITHMETIC, SM_PTX_RELAXED, "min")
SM_PTX_UPDATE(max, SM_PTX_ARITHMETIC, SM_PTX_RELAXED, "max")
SM_PTX_UPDATE(inc, SM_PTX_ARITHMETIC, SM_PTX_RELAXED, "inc")
SM_PTX_UPDATE(and, SM_PTX_BITS, SM_PTX_RELAXED, "and.")
SM_PTX_UPDATE(or, SM_PTX_BITS, SM_PTX_RELAXED, "or.")
SM_PTX_UPDATE(xor, SM_PTX_BITS, SM_PTX_RELAXED, "xor.")

template <order O, scope S, class T> SM_FN T atom_exchange(T& x, T v) {
  const auto p = global_address(x);
  T old;
  SM_PTX_BITS(SM_PTX_RELAXED, SM_PTX_ATOM, "exch.")
  return old;
}
template <order O, scope S, class T> SM_FN T atom_cas(T& x, T e, T v) {
  const auto p = global_address(x);
  T old;
  SM_PTX_BITS(SM_PTX_RELAXED, SM_PTX_CAS, "cas.")
  return old;
}
template <scope S, class T> SM_FN T load(const T& x) {
  const auto p = global_address(x);
  T old;
  SM_PTX_BITS(SM_PTX_RELAXED, SM_PTX_LOAD, "")
  return old;
}
template <scope S, class T> SM_FN void store(T& x, T v) {
  const auto p = global_address(x);
  SM_PTX_BITS(SM_PTX_RELAXED, SM_PTX_STORE, "")
}

#undef SM_PTX_UPDATE
#undef SM_PTX_RELAXED
#undef SM_PTX_BITS
#undef SM_PTX_ARITHMETIC
#undef SM_PTX_STORE
#undef SM_PTX_LOAD
#undef SM_PTX_CAS
#undef SM_PTX_ATOM
#undef SM_PTX_RED
#undef SM_PTX_ORDERS
#undef SM_PTX_SCOPES

}  // namespace syncmeter::cuda::ptx
