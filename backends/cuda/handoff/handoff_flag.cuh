// One word of global memory by which lanes hand on, in every way that CUDA has to write it: PTX's
// scoped accesses, libcu++, and volatile with and without a fence.
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "core/axes.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

// The text of an instruction has to be literal: order, scope and width are chosen by macro.
#define SM_FLAG_SCOPES(DO, ORDER, ...)                                                             \
  if constexpr (F.scope == scope::block) {                                                         \
    DO(ORDER ".cta", __VA_ARGS__)                                                                  \
  } else if constexpr (F.scope == scope::cluster) {                                                \
    DO(ORDER ".cluster", __VA_ARGS__)                                                              \
  } else if constexpr (F.scope == scope::system) {                                                 \
    DO(ORDER ".sys", __VA_ARGS__)                                                                  \
  } else {                                                                                         \
    DO(ORDER ".gpu", __VA_ARGS__)                                                                  \
  }
#define SM_FLAG_LOAD(WHICH, TYPE, C)                                                               \
  asm volatile("ld." WHICH ".global." TYPE " %0, [%1];" : "=" C(value) : "l"(at) : "memory");
#define SM_FLAG_STORE(WHICH, TYPE, C)                                                              \
  asm volatile("st." WHICH ".global." TYPE " [%0], %1;" ::"l"(at), C(value) : "memory");

/// A flag that is waited for and set in the form F; W is a 32-bit or a 64-bit unsigned integer.
template <form F, class W> class flag {
  static constexpr bool ordered = F.order != order::relaxed;
  static constexpr auto reach = F.scope == scope::block    ? ::cuda::thread_scope_block
                                : F.scope == scope::system ? ::cuda::thread_scope_system
                                                           : ::cuda::thread_scope_device;

 public:
  /// Acquires, where the form has an order and its loads have it.
  SM_FN static W load(W* where) {
    if constexpr (F.flavour == flavour::volatile_access) {
      return *const_cast<volatile W*>(where);
    } else if constexpr (F.flavour == flavour::atomic_ref) {
      return ::cuda::atomic_ref<W, reach>{*where}.load(ordered ? ::cuda::std::memory_order_acquire
                                                               : ::cuda::std::memory_order_relaxed);
    } else {
      W value;
      const auto at = __cvta_generic_to_global(where);
      if constexpr (sizeof(W) == 8) {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "acquire", "u64", "l")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "relaxed", "u64", "l")
        }
      } else {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "acquire", "u32", "r")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_LOAD, "relaxed", "u32", "r")
        }
      }
      return value;
    }
  }

  /// What stands behind the load that saw what was waited for.
  SM_FN static void after_load() {
    if constexpr (F.flavour == flavour::volatile_access && ordered) fence();
  }

  /// Releases, where the form has an order.
  SM_FN static void store(W* where, W value) {
    if constexpr (F.flavour == flavour::volatile_access) {
      if constexpr (ordered) fence();
      *const_cast<volatile W*>(where) = value;
    } else if constexpr (F.flavour == flavour::atomic_ref) {
      ::cuda::atomic_ref<W, reach>{*where}.store(
          value, ordered ? ::cuda::std::memory_order_release : ::cuda::std::memory_order_relaxed);
    } else {
      const auto at = __cvta_generic_to_global(where);
      if constexpr (sizeof(W) == 8) {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "release", "u64", "l")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "relaxed", "u64", "l")
        }
      } else {
        if constexpr (ordered) {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "release", "u32", "r")
        } else {
          SM_FLAG_SCOPES(SM_FLAG_STORE, "relaxed", "u32", "r")
        }
      }
    }
  }

 private:
  SM_FN static void fence() {
    if constexpr (F.scope == scope::block) __threadfence_block();
    else if constexpr (F.scope == scope::system) __threadfence_system();
    else __threadfence();
  }
};

#undef SM_FLAG_STORE
#undef SM_FLAG_LOAD
#undef SM_FLAG_SCOPES

/// Data that a flag stands for: weak accesses, as a program's own are. Only the flag's order keeps
/// a load from being served by a line that L1 had before.
SM_FN unsigned load_data(const unsigned* from) {
  unsigned value;
  asm volatile("ld.weak.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return value;
}
SM_FN void store_data(unsigned* to, unsigned value) {
  asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value)
               : "memory");
}

/// The multiprocessor that this thread runs on.
SM_FN unsigned multiprocessor() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

}  // namespace syncmeter::cuda
