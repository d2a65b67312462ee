// Checks every CUDA call: SM_CUDA throws with the call's text and place, and its noexcept twin
// serves destructors. Also owners for the runtime's handles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace syncmeter::cuda {

/// The result of a failed CUDA call. After a sticky error, every later call in this process fails
/// too.
struct cuda_error : std::runtime_error {
  cuda_error(cudaError_t code, const char* call, const char* file, int line);
  cudaError_t code;
};

/// Returns true for errors after which this process has lost its context for good.
[[nodiscard]] bool is_sticky(cudaError_t code);

/// Throws on an error, and clears it from the runtime. Otherwise the next kernel's check would find
/// the old error, and a correct point would fail.
inline void require_success(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw cuda_error(code, call, file, line);
}

#define SM_CUDA(call) ::syncmeter::cuda::require_success(call, #call, __FILE__, __LINE__)
// Destructors cannot throw. The error appears again at the next checked call.
#define SM_CUDA_NOEXCEPT(call) static_cast<void>(call)

template <auto Destroy> struct destroy_by {
  template <class Object> void operator()(Object* p) const noexcept {
    SM_CUDA_NOEXCEPT(Destroy(p));
  }
};
/// Owns the object behind a runtime handle.
template <class Handle, auto Destroy>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, destroy_by<Destroy>>;

/// Device memory that grows and never shrinks.
class device_buffer {
 public:
  /// Returns at least `bytes` bytes. Growing loses the old contents. Throws cuda_error with the
  /// requested size.
  void* fit(std::size_t bytes);
  [[nodiscard]] void* get() const { return memory_.get(); }

 private:
  owner<void*, &cudaFree> memory_;
  std::size_t bytes_ = 0;
};

/// Host memory for direct copies from the device.
class pinned_buffer {
 public:
  void* fit(std::size_t bytes);
  [[nodiscard]] void* get() const { return memory_.get(); }

 private:
  owner<void*, &cudaFreeHost> memory_;
  std::size_t bytes_ = 0;
};

class event : public owner<cudaEvent_t, &cudaEventDestroy> {
 public:
  /// `flags`: cudaEventDisableTiming for an event that only orders streams and wakes the host.
  explicit event(unsigned flags = cudaEventDefault) {
    cudaEvent_t made = nullptr;
    SM_CUDA(cudaEventCreateWithFlags(&made, flags));
    reset(made);
  }
};

/// Returns the time between two events, after the second event.
[[nodiscard]] inline double ns_between(const event& begin, const event& end) {
  float ms = 0;
  SM_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
  return static_cast<double>(ms) * 1e6;
}

class stream : public owner<cudaStream_t, &cudaStreamDestroy> {
 public:
  stream() {
    cudaStream_t made = nullptr;
    SM_CUDA(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    reset(made);
  }
};

}  // namespace syncmeter::cuda
