// A CUDA lane's atomic ops, in all flavours CUDA has. The lane omits ops missing from a flavour,
// type or order, and the op reads "unsupported".
#pragma once

#include <cuda/atomic>

#include "backends/cuda/lane/cuda_atomics.cuh"
#include "backends/cuda/lane/cuda_lane.cuh"

namespace syncmeter::cuda {

template <scope S>
inline constexpr auto thread_scope = S == scope::block    ? ::cuda::thread_scope_block
                                     : S == scope::system ? ::cuda::thread_scope_system
                                                          : ::cuda::thread_scope_device;

SM_FN constexpr ::cuda::std::memory_order memory_order_of(order o) {
  switch (o) {
  case order::acquire:
    return ::cuda::std::memory_order_acquire;
  case order::release:
    return ::cuda::std::memory_order_release;
  case order::acq_rel:
    return ::cuda::std::memory_order_acq_rel;
  case order::seq_cst:
    return ::cuda::std::memory_order_seq_cst;
  default:
    return ::cuda::std::memory_order_relaxed;
  }
}

// Writes an op in three flavours: `function` is relaxed only, `ptx` on global memory only.
#define SM_CUDA_WORD(CALL_FUNCTION, CALL_REF, CALL_PTX)                                            \
  if constexpr (F.flavour == flavour::function) {                                                  \
    return CALL_FUNCTION;                                                                          \
  } else if constexpr (F.flavour == flavour::atomic_ref) {                                         \
    return CALL_REF;                                                                               \
  } else {                                                                                         \
    return CALL_PTX;                                                                               \
  }

// Defines an integer update with an unused result.
#define SM_CUDA_UPDATE(NAME, FUNCTION)                                                             \
  SM_FN void atomic_##NAME(T& x, T v) const                                                        \
    requires(integer && (by_function || by_ref || by_relaxed_ptx))                                 \
  {                                                                                                \
    SM_CUDA_WORD(static_cast<void>(function::atomic##FUNCTION<S>(x, v)),                           \
                 static_cast<void>(ref(x).fetch_##NAME(v, in_order)),                              \
                 (ptx::red_##NAME<O, S>(x, v)))                                                    \
  }

template <class T, class Form> class atomic_lane : public basic_lane<T, Form> {
  static constexpr form F = Form::value;
  static constexpr enum scope S = F.scope;
  static constexpr enum order O = F.order;
  static constexpr bool by_function = F.flavour == flavour::function && O == order::relaxed;
  static constexpr bool by_ref = F.flavour == flavour::atomic_ref && O != order::unordered;
  // PTX has no seq_cst update, only a fence together with a weaker update.
  static constexpr bool by_ptx = F.flavour == flavour::ptx && F.space != space::shared_memory &&
                                 O != order::unordered && O != order::seq_cst;
  static constexpr bool by_relaxed_ptx = by_ptx && O == order::relaxed;
  static constexpr bool integer = is_integer<T>;

  SM_FN static auto ref(T& x) { return ::cuda::atomic_ref<T, thread_scope<S>>{x}; }
  static constexpr auto in_order = memory_order_of(O);

 public:
  using basic_lane<T, Form>::basic_lane;

  /// Limits the steps of a trip. Around fences the compiler keeps a trip's operands or results in
  /// registers, and lacks registers for 32 steps.
  template <class Op> static consteval unsigned most_steps() {
    const bool releases = O == order::release || O == order::acq_rel || O == order::seq_cst;
    if (F.placement == placement::none || !releases) return Op::info.unroll;
    const bool exchanges = Op::info.name == "atomic_exchange";
    if (O == order::seq_cst) return exchanges ? 8 : 16;
    return exchanges ? 4 : Op::info.unroll;
  }

  SM_FN void atomic_add(T& x, T v) const
    requires(by_function || by_ref || by_ptx)
  {
    SM_CUDA_WORD(static_cast<void>(function::atomicAdd<S>(x, v)),
                 static_cast<void>(ref(x).fetch_add(v, in_order)), (ptx::red_add<O, S>(x, v)));
  }
  SM_FN T atomic_fetch_add(T& x, T v) const
    requires(by_function || by_ref || by_ptx)
  {
    SM_CUDA_WORD(static_cast<T>(function::atomicAdd<S>(x, v)), ref(x).fetch_add(v, in_order),
                 (ptx::atom_add<O, S>(x, v)));
  }
  SM_FN void atomic_sub(T& x, T v) const
    requires(is_word<T> && (by_function || by_ref))
  {
    if constexpr (F.flavour == flavour::function) function::atomicSub<S>(x, v);
    else static_cast<void>(ref(x).fetch_sub(v, in_order));
  }
  SM_CUDA_UPDATE(min, Min)
  SM_CUDA_UPDATE(max, Max)
  SM_CUDA_UPDATE(and, And)
  SM_CUDA_UPDATE(or, Or)
  SM_CUDA_UPDATE(xor, Xor)
  SM_FN void atomic_inc(T& x, T limit) const
    requires(std::is_same_v<T, std::uint32_t> && (by_function || by_relaxed_ptx))
  {
    if constexpr (F.flavour == flavour::function) function::atomicInc<S>(x, limit);
    else ptx::red_inc<O, S>(x, limit);
  }
  SM_FN T atomic_exchange(T& x, T desired) const
    requires((by_function && !std::is_same_v<T, double>) || by_ref || by_relaxed_ptx)
  {
    if constexpr (F.flavour == flavour::ptx) return exchange_bits(x, desired);
    else if constexpr (F.flavour == flavour::function) return function::atomicExch<S>(x, desired);
    else return ref(x).exchange(desired, in_order);
  }
  SM_FN T atomic_compare_exchange(T& x, T expected, T desired) const
    requires(integer && (by_function || by_ref || by_relaxed_ptx))
  {
    if constexpr (F.flavour == flavour::function) {
      return function::atomicCAS<S>(x, expected, desired);
    } else if constexpr (F.flavour == flavour::atomic_ref) {
      ref(x).compare_exchange_strong(expected, desired, in_order);
      return expected;
    } else {
      return ptx::atom_cas<O, S>(x, expected, desired);
    }
  }
  SM_FN T atomic_read(const T& x) const
    requires((by_ref && O != order::release && O != order::acq_rel) ||
             (by_relaxed_ptx && is_integer<T>))
  {
    if constexpr (F.flavour == flavour::ptx) return ptx::load<S>(x);
    else return ref(const_cast<T&>(x)).load(in_order);
  }
  SM_FN void atomic_write(T& x, T value)
    requires((by_ref && O != order::acquire && O != order::acq_rel) ||
             (by_relaxed_ptx && is_integer<T>))
  {
    // ptxas may drop all except the last of several relaxed stores to one address. It keeps all
    // stores to an unknown address.
    auto& there = *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&x) + this->nowhere());
    if constexpr (F.flavour == flavour::ptx) ptx::store<S>(there, value);
    else ref(there).store(value, in_order);
  }

 private:
  // PTX exchanges bits, whatever their type.
  SM_FN T exchange_bits(T& x, T desired) const {
    const auto old = ptx::atom_exchange<O, S>(reinterpret_cast<bits_of<T>&>(x), to_bits(desired));
    T value;
    memcpy(&value, &old, sizeof value);
    return value;
  }
};

#undef SM_CUDA_UPDATE
#undef SM_CUDA_WORD

}  // namespace syncmeter::cuda
