#include "backends/cuda/runtime/nccl.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include <fmt/format.h>

#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

// The few functions and values used, declared as in the library's documentation (NCCL API).
using communicator = void*;
constexpr int int32_type = 2, sum = 0, success = 0;

struct library {
  int (*init_all)(communicator*, int, const int*) = nullptr;
  int (*destroy)(communicator) = nullptr;
  int (*abort)(communicator) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, communicator,
                    cudaStream_t) = nullptr;
  int (*get_version)(int*) = nullptr;
  const char* (*error_text)(int) = nullptr;

  library() {
    ::setenv("NCCL_NVLS_ENABLE", "0", 1);
    void* const found = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (found == nullptr) return;
    const auto find = [found](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(found, name));
      return function != nullptr;
    };
    ready = find(init_all, "ncclCommInitAll") && find(destroy, "ncclCommDestroy") &&
            find(abort, "ncclCommAbort") && find(group_start, "ncclGroupStart") &&
            find(group_end, "ncclGroupEnd") && find(all_reduce, "ncclAllReduce") &&
            find(get_version, "ncclGetVersion") && find(error_text, "ncclGetErrorString");
  }
  bool ready = false;
};

const library& nccl() {
  static const library found;
  return found;
}

}  // namespace

nccl_group::nccl_group(const std::vector<int>& devices) {
  if (!nccl().ready)
    throw point_refused(
        "NCCL (libnccl.so.2) was not found; install it or add its folder to LD_LIBRARY_PATH");
  std::vector<communicator> made(devices.size());
  const int code = nccl().init_all(made.data(), static_cast<int>(devices.size()), devices.data());
  if (code != success) {
    throw point_refused(fmt::format("NCCL could not create communicators for {} devices: {}",
                                    devices.size(), nccl().error_text(code)));
  }
  communicators_ = std::move(made);
}

nccl_group::~nccl_group() {
  for (void* const each : communicators_) nccl().destroy(each);
}

bool nccl_group::all_reduce(const std::vector<void*>& from, const std::vector<void*>& to,
                            const std::vector<cudaStream_t>& streams) {
  bool queued = nccl().group_start() == success;
  for (std::size_t i = 0; i < communicators_.size(); ++i) {
    queued = nccl().all_reduce(from[i], to[i], 1, int32_type, sum, communicators_[i], streams[i]) ==
                 success &&
             queued;
  }
  return nccl().group_end() == success && queued;
}

void nccl_group::abort() {
  for (void* const each : communicators_) nccl().abort(each);
  communicators_.clear();
}

std::string nccl_group::version() const {
  int number = 0;
  if (nccl().get_version(&number) != success) return "?";
  return fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100, number % 100);
}

}  // namespace syncmeter::cuda
