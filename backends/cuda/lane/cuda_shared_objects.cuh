// Objects that threads of a block meet at or hand on in its shared memory: libcu++'s and mbarriers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda/ptx>

#include "core/op.hpp"

// Waits that suspend the thread, and transaction counts, came with compute capability 9.0. Where an
// op needs the counts, the rig refuses it on older devices.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SM_HAS_TRANSACTIONS 1
#else
#define SM_HAS_TRANSACTIONS 0
#endif

namespace syncmeter::cuda {

/// Where an object is made later.
template <class Object> struct room_for {
  alignas(Object) std::byte bytes[sizeof(Object)];
  [[nodiscard]] SM_FN Object& object() { return *reinterpret_cast<Object*>(bytes); }
};

/// Whether the mbarrier's phase of this parity has ended, after a while where the thread can be
/// suspended.
[[nodiscard]] SM_FN bool has_ended(std::uint64_t* mbarrier, unsigned parity) {
#if SM_HAS_TRANSACTIONS
  return ::cuda::ptx::mbarrier_try_wait_parity(mbarrier, parity);
#else
  return ::cuda::ptx::mbarrier_test_wait_parity(mbarrier, parity);
#endif
}

}  // namespace syncmeter::cuda
