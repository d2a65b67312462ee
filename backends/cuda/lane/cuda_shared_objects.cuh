// Objects for synchronization or handoffs in a block's shared memory: libcu++'s, and mbarriers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda/ptx>

#include "core/op.hpp"

// Suspending waits and transaction counts need compute capability 9.0. The rig refuses ops with
// transaction counts on older devices.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SM_HAS_TRANSACTIONS 1
#else
#define SM_HAS_TRANSACTIONS 0
#endif

namespace syncmeter::cuda {

/// Memory for an object made later.
template <class Object> struct room_for {
  alignas(Object) std::byte bytes[sizeof(Object)];
  [[nodiscard]] SM_FN Object& object() { return *reinterpret_cast<Object*>(bytes); }
};

/// Returns true if the mbarrier's phase of this parity has ended. May suspend the thread for a
/// while first.
[[nodiscard]] SM_FN bool has_ended(std::uint64_t* mbarrier, unsigned parity) {
#if SM_HAS_TRANSACTIONS
  return ::cuda::ptx::mbarrier_try_wait_parity(mbarrier, parity);
#else
  return ::cuda::ptx::mbarrier_test_wait_parity(mbarrier, parity);
#endif
}

}  // namespace syncmeter::cuda
