// The atomic words of a CUDA lane in the flavour `function`: atomicAdd and its like, which are
// relaxed and have their scope in their name.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/op.hpp"

namespace syncmeter::cuda {

/// The type that CUDA's own functions take for T.
template <class T>
using api_type = std::conditional_t<std::is_same_v<T, std::uint64_t>, unsigned long long, T>;

// One overload set per function; a type that the API lacks leaves the word out of the lane.
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

/// Whether the API has the function for T as it stands. The compiler converts arguments: atomicAdd
/// of a type it lacks would be another type's.
template <class T> inline constexpr bool is_integer = std::is_integral_v<T>;
template <class T> inline constexpr bool is_word = std::is_integral_v<T> && sizeof(T) == 4;

}  // namespace syncmeter::cuda
