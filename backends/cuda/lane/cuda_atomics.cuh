// A CUDA lane's atomic ops by flavour. `function`: atomicAdd and similar functions, relaxed and
// with the scope in their name. `ptx`: `red` and `atom` from PTX, on global memory, with their
// order and scope (PTX ISA, "Parallel Synchronization and Communication").
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/axes.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

/// The parameter type of CUDA's own functions for T.
template <class T>
using api_type = std::conditional_t<std::is_same_v<T, std::uint64_t>, unsigned long long, T>;

// One overload set per function. A type missing from the API removes the op from the lane.
#define SM_CUDA_FUNCTION(NAME)                                                                     \
  template <scope S, class T>                                                                      \
  SM_FN auto NAME(T& x, T v)                                                                       \
      -> decltype(::NAME(reinterpret_cast<api_type<T>*>(&x), api_type<T>{})) {                     \
    auto* p = reinterpret_cast<api_type<T>*>(&x);                                                  \
    const auto e = static_cast<api_type<T>>(v);                                                    \
    if constexpr (S == scope::block) return ::NAME##_block(p, e);                                  \
    else if constexpr (S == scope::system) return ::NAME##_system(p, e);                           \
    else return ::NAME(p, e);                                                                      \
  }

namespace function {

SM_CUDA_FUNCTION(atomicAdd)
SM_CUDA_FUNCTION(atomicSub)
SM_CUDA_FUNCTION(atomicMin)
SM_CUDA_FUNCTION(atomicMax)
SM_CUDA_FUNCTION(atomicAnd)
SM_CUDA_FUNCTION(atomicOr)
SM_CUDA_FUNCTION(atomicXor)
SM_CUDA_FUNCTION(atomicExch)
SM_CUDA_FUNCTION(atomicInc)

template <scope S, class T>
SM_FN auto atomicCAS(T& x, T expected, T desired)
    -> decltype(::atomicCAS(reinterpret_cast<api_type<T>*>(&x), api_type<T>{}, api_type<T>{})) {
  auto* p = reinterpret_cast<api_type<T>*>(&x);
  const auto e = static_cast<api_type<T>>(expected);
  const auto d = static_cast<api_type<T>>(desired);
  if constexpr (S == scope::block) return ::atomicCAS_block(p, e, d);
  else if constexpr (S == scope::system) return ::atomicCAS_system(p, e, d);
  else return ::atomicCAS(p, e, d);
}

}  // namespace function

#undef SM_CUDA_FUNCTION

/// True if the API has the function for exactly T. Conversions of arguments would select atomicAdd
/// for another type.
template <class T> inline constexpr bool is_integer = std::is_integral_v<T>;
template <class T> inline constexpr bool is_word = std::is_integral_v<T> && sizeof(T) == 4;

// The accesses for software barriers and tokens, 32 bits on global memory.
#define SM_IN_SCOPE(TEXT_GPU, TEXT_SYS, ...)                                                       \
  if constexpr (S == scope::system) {                                                              \
    asm volatile(TEXT_SYS __VA_ARGS__);                                                            \
  } else {                                                                                         \
    asm volatile(TEXT_GPU __VA_ARGS__);                                                            \
  }
template <scope S> SM_FN unsigned load_acquire(const unsigned* p) {
  unsigned v;
  SM_IN_SCOPE("ld.acquire.gpu.global.u32 %0, [%1];",
              "ld.acquire.sys.global.u32 %0, [%1];", : "=r"(v) : "l"(p) : "memory")
  return v;
}
template <scope S> SM_FN unsigned load_relaxed(const unsigned* p) {
  unsigned v;
  SM_IN_SCOPE("ld.relaxed.gpu.global.u32 %0, [%1];",
              "ld.relaxed.sys.global.u32 %0, [%1];", : "=r"(v) : "l"(p) : "memory")
  return v;
}
template <scope S> SM_FN void store_release(unsigned* p, unsigned v) {
  SM_IN_SCOPE("st.release.gpu.global.u32 [%0], %1;", "st.release.sys.global.u32 [%0], %1;",
              ::"l"(p), "r"(v) : "memory")
}
template <scope S> SM_FN void store_relaxed(unsigned* p, unsigned v) {
  SM_IN_SCOPE("st.relaxed.gpu.global.u32 [%0], %1;", "st.relaxed.sys.global.u32 [%0], %1;",
              ::"l"(p), "r"(v) : "memory")
}
template <scope S> SM_FN unsigned add_acq_rel(unsigned* p, unsigned v) {
  unsigned old;
  SM_IN_SCOPE("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;",
              "atom.acq_rel.sys.global.add.u32 %0, [%1], %2;", : "=r"(old) : "l"(p),
              "r"(v) : "memory")
  return old;
}
template <scope S> SM_FN void fence_of() {
  if constexpr (S == scope::system) __threadfence_system();
  else __threadfence();
}
#undef SM_IN_SCOPE

}  // namespace syncmeter::cuda

// An instruction's text must be literal: macros choose order, scope and type.
namespace syncmeter::cuda::ptx {

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
#define SM_PTX_ATOM(SEM, OP, C)                                                                    \
  asm volatile("atom." SEM ".global." OP " %0, [%1], %2;" : "=" C(old) : "l"(p), C(v) : "memory");
#define SM_PTX_CAS(WHICH, OP, C)                                                                   \
  asm volatile("atom." WHICH ".global." OP " %0, [%1], %2, %3;"                                    \
               : "=" C(old)                                                                        \
               : "l"(p), C(e), C(v)                                                                \
               : "memory");
#define SM_PTX_LOAD(WHICH, OP, C)                                                                  \
  asm volatile("ld." WHICH ".global." OP " %0, [%1];" : "=" C(old) : "l"(p) : "memory");
#define SM_PTX_STORE(WHICH, OP, C)                                                                 \
  asm volatile("st." WHICH ".global." OP " [%0], %1;" ::"l"(p), C(v) : "memory");

// Selects the type suffix and the register class.
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

/// Returns the address of x in the global window, for `.global` instructions.
template <class T> SM_FN std::size_t global_address(const T& x) {
  return __cvta_generic_to_global(&x);
}

// Updates in both forms: `red` has no result, `atom` returns the old value.
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
