// Every CUDA call is checked: SM_CUDA throws with the call's text and place, its noexcept twin
// serves destructors. Owners for what the runtime hands out.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace syncmeter::cuda {

/// What a CUDA call returned. Once it is sticky, every later call of this process fails too.
struct cuda_error : std::runtime_error {
  cuda_error(cudaError_t code, const char* call, const char* file, int line);
  cudaError_t code;
};

/// True for errors after which the context of this process is lost for good.
[[nodiscard]] bool is_sticky(cudaError_t code);

/// The runtime keeps the last error until it is asked for: what is thrown here is taken out of it,
/// or the next kernel's check would find it, and a point that is right would fail for one that is
/// not.
inline void require_success(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw cuda_error(code, call, file, line);
}

#define SM_CUDA(call) ::syncmeter::cuda::require_success(call, #call, __FILE__, __LINE__)
// In destructors nobody could catch; the error shows up again at the next checked call.
#define SM_CUDA_NOEXCEPT(call) static_cast<void>(call)

template <auto Destroy> struct destroy_by {
  template <class Object> void operator()(Object* p) const noexcept {
    SM_CUDA_NOEXCEPT(Destroy(p));
  }
};
/// Owns what a handle of the runtime stands for.
template <class Handle, auto Destroy>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, destroy_by<Destroy>>;

/// Device memory that grows and never shrinks.
class device_buffer {
 public:
  /// At least `bytes` bytes; what was there is lost when it has to grow. Throws cuda_error, whose
  /// text says how much was asked for.
  void* fit(std::size_t bytes);
  [[nodiscard]] void* get() const { return memory_.get(); }

 private:
  owner<void*, &cudaFree> memory_;
  std::size_t bytes_ = 0;
};

/// Host memory that the device copies to without a detour.
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
  /// `flags`: cudaEventDisableTiming for one that only orders streams and wakes the host.
  explicit event(unsigned flags = cudaEventDefault) {
    cudaEvent_t made = nullptr;
    SM_CUDA(cudaEventCreateWithFlags(&made, flags));
    reset(made);
  }
};

/// Once the second one is over.
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
