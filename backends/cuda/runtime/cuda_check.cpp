#include "backends/cuda/runtime/cuda_check.hpp"

#include <string_view>

#include <fmt/format.h>

namespace syncmeter::cuda {
namespace {

// Returns the path without the build machine's folders.
std::string_view file_name(std::string_view path) {
  const auto at = path.rfind("backends/");
  return at == std::string_view::npos ? path : path.substr(at);
}

}  // namespace

cuda_error::cuda_error(cudaError_t error, const char* call, const char* file, int line)
    : std::runtime_error{fmt::format("{} ({}): {}, at {}:{}", cudaGetErrorName(error),
                                     cudaGetErrorString(error), call, file_name(file), line)},
      code{error} {}

bool is_sticky(cudaError_t code) {
  switch (code) {
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchFailure:
  case cudaErrorLaunchTimeout:
  case cudaErrorMisalignedAddress:
  case cudaErrorIllegalInstruction:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorHardwareStackError:
  case cudaErrorAssert:
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
  case cudaErrorContained:
    return true;
  default:
    return false;
  }
}

void* device_buffer::fit(std::size_t bytes) {
  if (bytes <= bytes_) return memory_.get();
  memory_.reset();  // frees first: both might not fit
  bytes_ = 0;
  void* fresh = nullptr;
  const cudaError_t code = cudaMalloc(&fresh, bytes);
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // not sticky: the next launch must not report it
    throw cuda_error(code, fmt::format("cudaMalloc of {} bytes", bytes).c_str(), __FILE__,
                     __LINE__);
  }
  memory_.reset(fresh);
  bytes_ = bytes;
  return fresh;
}

void* pinned_buffer::fit(std::size_t bytes) {
  if (bytes <= bytes_) return memory_.get();
  void* fresh = nullptr;
  SM_CUDA(cudaMallocHost(&fresh, bytes));
  memory_.reset(fresh);
  bytes_ = bytes;
  return fresh;
}

}  // namespace syncmeter::cuda
