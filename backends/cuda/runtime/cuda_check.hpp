// Every CUDA call is checked: SM_CUDA throws with the call's text and place, its noexcept twin
// serves destructors. Owners for what the runtime hands out.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace syncmeter::cuda {

/// What a CUDA call said. Once `sticky`, every later call of this process fails too.
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

struct free_device {
  void operator()(void* p) const noexcept { SM_CUDA_NOEXCEPT(cudaFree(p)); }
};
struct free_pinned {
  void operator()(void* p) const noexcept { SM_CUDA_NOEXCEPT(cudaFreeHost(p)); }
};

/// Device memory that grows and never shrinks.
class device_buffer {
 public:
  /// At least `bytes` bytes; what was there is lost when it has to grow. Throws cuda_error, whose
  /// text says how much was asked for.
  void* fit(std::size_t bytes);
  [[nodiscard]] void* get() const { return memory_.get(); }

 private:
  std::unique_ptr<void, free_device> memory_;
  std::size_t bytes_ = 0;
};

/// Host memory that the device copies to without a detour.
class pinned_buffer {
 public:
  void* fit(std::size_t bytes);
  [[nodiscard]] void* get() const { return memory_.get(); }

 private:
  std::unique_ptr<void, free_pinned> memory_;
  std::size_t bytes_ = 0;
};

class event {
 public:
  event() { SM_CUDA(cudaEventCreate(&event_)); }
  ~event() { SM_CUDA_NOEXCEPT(cudaEventDestroy(event_)); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class stream {
 public:
  stream() { SM_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~stream() { SM_CUDA_NOEXCEPT(cudaStreamDestroy(stream_)); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Nodes and their order, before a graph that can be launched is made of them.
class graph_plan {
 public:
  graph_plan() { SM_CUDA(cudaGraphCreate(&graph_, 0)); }
  ~graph_plan() { SM_CUDA_NOEXCEPT(cudaGraphDestroy(graph_)); }
  graph_plan(const graph_plan&) = delete;
  graph_plan& operator=(const graph_plan&) = delete;
  [[nodiscard]] cudaGraph_t get() const { return graph_; }

 private:
  cudaGraph_t graph_ = nullptr;
};

}  // namespace syncmeter::cuda
