// Calls functions of CUDA as a program by nvcc does whose runtime is linked statically: the
// runtime's functions are the program's own, and a kernel is called by its stub. FAKE_CUPTI names
// the library that stands in for the driver, and FAKE_STORAGE a folder of libraries that are loaded
// before the probe, as far as there is room for them.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

namespace {

using callback_function = void (*)(std::uint32_t, std::uint32_t, int, const char*, const void*);
callback_function callback;
int (*launch_by_driver)(const void*);

/// As the driver does when a program starts CUDA: some runs end before that.
void start_driver() {
  const char* const end = std::getenv("FAKE_CUPTI_FINALIZE");
  if (end != nullptr && std::strcmp(end, "early") == 0 && std::getenv("SYNCMETER_CUDA_SPAN"))
    _exit(3);
  void* const driver = dlopen(std::getenv("FAKE_CUPTI"), RTLD_NOW);
  callback = reinterpret_cast<callback_function>(dlsym(driver, "fake_callback"));
  launch_by_driver = reinterpret_cast<int (*)(const void*)>(dlsym(driver, "cuLaunchKernel"));
  if (const char* const others = std::getenv("FAKE_STORAGE"))
    for (const auto& other : std::filesystem::directory_iterator(others))
      dlopen(other.path().c_str(), RTLD_NOW);
  // A library that it cannot load it leaves out, and says nothing.
  const char* const injected = std::getenv("CUDA_INJECTION64_PATH");
  void* const library = injected == nullptr ? nullptr : dlopen(injected, RTLD_NOW);
  if (library == nullptr) return;
  reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
}

}  // namespace

extern "C" {
[[gnu::noinline]] int cudaLaunchKernel(const void* kernel) {
  const void* const parameters[] = {kernel};
  callback(2, 211, 0, "cudaLaunchKernel", parameters);
  launch_by_driver(kernel);
  callback(2, 211, 1, "cudaLaunchKernel", parameters);
  return 0;
}
[[gnu::noinline]] int __cudaLaunchKernel(const void* kernel) { return cudaLaunchKernel(kernel); }
[[gnu::noinline]] int cudaDeviceSynchronize() {
  callback(2, 165, 0, "cudaDeviceSynchronize", nullptr);
  callback(2, 165, 1, "cudaDeviceSynchronize", nullptr);
  return 0;
}
[[gnu::noinline]] int cudaStreamSynchronize() {
  callback(2, 131, 0, "cudaStreamSynchronize", nullptr);
  usleep(100);
  callback(2, 131, 1, "cudaStreamSynchronize", nullptr);
  return 0;
}
[[gnu::noinline]] int cudaMemcpy(void* to, const void* from, std::size_t bytes, int direction) {
  const struct {
    void* to;
    const void* from;
    std::size_t bytes;
    int direction;
  } parameters{to, from, bytes, direction};
  callback(2, 31, 0, "cudaMemcpy", &parameters);
  callback(1, 8, 0, "cuMemcpyHtoD_v2", nullptr);
  callback(1, 8, 1, "cuMemcpyHtoD_v2", nullptr);
  callback(2, 31, 1, "cudaMemcpy", &parameters);
  return 0;
}
[[gnu::noinline]] int cudaMemcpyAsync() {
  callback(2, 41, 0, "cudaMemcpyAsync", nullptr);
  callback(2, 41, 1, "cudaMemcpyAsync", nullptr);
  return 0;
}
[[gnu::noinline]] int cudaGraphLaunch() {
  callback(2, 311, 0, "cudaGraphLaunch", nullptr);
  callback(2, 311, 1, "cudaGraphLaunch", nullptr);
  return 0;
}
}

namespace {

const int handles[2] = {};

}  // namespace

// As nvcc names the stubs of the kernels add(int*) and scale(int*).
void stub_of_add(int*) __asm__("_Z22__device_stub__Z3addPiPi");
void stub_of_scale(int*) __asm__("_Z24__device_stub__Z5scalePiPi");
[[gnu::noinline]] void stub_of_add(int*) {
  __cudaLaunchKernel(&handles[0]);
  asm volatile("");
}
[[gnu::noinline]] void stub_of_scale(int* what) {
  volatile char frame[200];
  frame[what == nullptr ? 0 : 1] = 1;
  __cudaLaunchKernel(&handles[1]);
  asm volatile("");
}
[[gnu::noinline]] void add(int* what) { stub_of_add(what); }
[[gnu::noinline]] void scale(int* what) { stub_of_scale(what); }

[[gnu::noinline]] void launch_both(int times) {
  for (int i = 0; i < times; ++i) {
    add(nullptr);
    scale(nullptr);
    cudaDeviceSynchronize();
  }
}
[[gnu::noinline]] void launch_one(int times) {
  for (int i = 0; i < times; ++i) add(nullptr);
  cudaStreamSynchronize();
  asm volatile("");
}
[[gnu::noinline]] void launch_deeper(int times) {
  volatile char frame[300];
  frame[0] = 0;
  launch_one(times);
  asm volatile("");
}
/// By no stub, so that the callback is at another distance.
[[gnu::noinline]] void launch_without_stub(int times) {
  for (int i = 0; i < times; ++i) cudaLaunchKernel(&handles[0]);
}
[[gnu::noinline]] void copy(int times) {
  constexpr int to_device = 1, on_device = 3;
  for (int i = 0; i < times; ++i) {
    cudaMemcpy(nullptr, nullptr, 4, to_device);
    cudaMemcpy(nullptr, nullptr, 4, on_device);
    cudaMemcpyAsync();
  }
}
[[gnu::noinline]] void launch_graphs(int times) {
  for (int i = 0; i < times; ++i) cudaGraphLaunch();
}
[[gnu::noinline]] void launch_as_driver(int times) {
  for (int i = 0; i < times; ++i) launch_by_driver(&handles[0]);
}

int main(int argc, char** argv) {
  start_driver();
  if (argc > 1 && std::strcmp(argv[1], "alone") == 0) {
    launch_both(1500);
    return 0;
  }
  std::thread other(launch_both, 500);
  launch_both(1000);
  other.join();
  launch_one(10);
  launch_without_stub(60);
  launch_deeper(20);
  copy(30);
  launch_graphs(40);
  launch_as_driver(50);
  if (argc > 1 && std::strcmp(argv[1], "_exit") == 0) _exit(3);
  if (argc > 1 && std::strcmp(argv[1], "fork") == 0) {
    if (fork() != 0) wait(nullptr);
    return 0;
  }
  if (argc > 1) std::abort();
}
