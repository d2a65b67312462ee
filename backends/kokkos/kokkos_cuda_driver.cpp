// CUDA driver functions that Kokkos calls, looked up at the call. The worker builds and starts
// without a driver and reports missing functions.
#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace {

template <class Function> Function* of_driver(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void* const found = driver == nullptr ? nullptr : dlsym(driver, name);
  if (found == nullptr)
    throw std::runtime_error(std::string{"the CUDA driver (libcuda.so.1) has no "} + name);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

// Signatures equal cuda.h, whose macros may rename the functions. Handles are pointers.
extern "C" {
int cuStreamGetCtx(void* stream, void** context) {
  return of_driver<int(void*, void**)>("cuStreamGetCtx")(stream, context);
}
int cuCtxPushCurrent_v2(void* context) {
  return of_driver<int(void*)>("cuCtxPushCurrent_v2")(context);
}
int cuCtxGetDevice(int* device) { return of_driver<int(int*)>("cuCtxGetDevice")(device); }
}
