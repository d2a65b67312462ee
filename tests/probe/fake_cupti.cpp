// In CUPTI's place, and in that of CUDA's driver: hands on what a program without a GPU says that
// it calls. Its functions of CUPTI are those that the probe looks for.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace {

constexpr int success = 0, invalid = 1;
struct function_name {
  std::uint32_t domain, number;
  const char* name;
};
constexpr function_name functions[] = {
    {1, 307, "cuLaunchKernel"},
    {1, 8, "cuMemcpyHtoD_v2"},
    {1, 20, "cuMemFree_v2"},
    {2, 211, "cudaLaunchKernel_v7000"},
    {2, 165, "cudaDeviceSynchronize_v3020"},
    {2, 131, "cudaStreamSynchronize_v3020"},
    {2, 31, "cudaMemcpy_v3020"},
    {2, 41, "cudaMemcpyAsync_v3020"},
    {2, 311, "cudaGraphLaunch_v10000"},
    {2, 22, "cudaFree_v3020"},
};

using callback = void (*)(void*, std::uint32_t, std::uint32_t, const void*);
callback subscribed = nullptr;
bool enabled[3][1024] = {};

/// How many callbacks were made, written at the end to the file that FAKE_CUPTI_CALLBACKS names.
struct callback_count {
  std::uint64_t made = 0;
  ~callback_count() {
    const char* const path = std::getenv("FAKE_CUPTI_CALLBACKS");
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    std::fprintf(file, "%llu", static_cast<unsigned long long>(made));
    std::fclose(file);
  }
} callbacks;

/// The GPU: 500 ns, or FAKE_CUPTI_IDLE_NS, without work before each kernel or graph, which takes 2
/// or 30 us. With FAKE_CUPTI_COPIES a copy of 1 us that is of no call is between these two.
std::uint64_t idle_ns() {
  const char* const text = std::getenv("FAKE_CUPTI_IDLE_NS");
  return text == nullptr ? 500 : std::strtoull(text, nullptr, 10);
}
struct record {
  unsigned char bytes[160] = {};
};
constexpr std::uint32_t copy = 1, kernel = 10, graph = 51;
std::mutex records_lock;
std::vector<record> records;
std::uint64_t gpu_clock = 1'000'000;
bool records_enabled[64] = {};

template <class Number> void put(record& to, std::size_t offset, Number number) {
  std::memcpy(to.bytes + offset, &number, sizeof number);
}
void copy_on_gpu(std::uint64_t start, std::uint64_t end) {
  constexpr std::uint32_t of_no_call = 0xffffffff;
  record made;
  put(made, 0, copy);
  put(made, 16, start);
  put(made, 24, end);
  put(made, 44, of_no_call);
  records.push_back(made);
}
/// The driver's own launches are of another kernel than the runtime's.
void work_on_gpu(std::uint32_t type, std::uint32_t domain, std::uint32_t correlation) {
  if (!records_enabled[type]) return;
  const std::lock_guard held(records_lock);
  static const std::uint64_t idle = idle_ns();
  static const std::uint64_t copy_ns = std::getenv("FAKE_CUPTI_COPIES") == nullptr ? 0 : 1000;
  const std::uint64_t start = gpu_clock + idle + copy_ns;
  if (copy_ns > 0) copy_on_gpu(gpu_clock + idle, start);
  gpu_clock = start + (type == kernel ? 2'000 : 30'000);
  record made;
  put(made, 0, type);
  put(made, type == kernel ? 16 : 8, start);
  put(made, type == kernel ? 24 : 16, gpu_clock);
  put(made, type == kernel ? 92 : 4, correlation);
  if (type == kernel) {
    for (std::uint32_t side = 0; side < 3; ++side) {
      put(made, 52 + 4 * side, side == 0 ? 132U : 1U);
      put(made, 64 + 4 * side, side == 0 ? 128 * domain : 1U);
    }
    put(made, 104, domain == 1 ? "_Z4copyPf" : "_Z4stepPf");
  }
  records.push_back(made);
}

thread_local unsigned depth = 0;
thread_local std::uint32_t correlation_of_thread = 0;
std::uint32_t correlations = 0;

void (*request_buffer)(std::uint8_t**, std::size_t*, std::size_t*);
void (*complete_buffer)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

}  // namespace

struct call_of_cuda {
  int site;
  const char* function_name;
  const void* parameters;
  void* return_value;
  const char* kernel_name;
  void* context;
  std::uint32_t context_number;
  std::uint64_t* of_subscriber;
  std::uint32_t correlation;
};

extern "C" {

int cuptiSubscribe(void** subscriber, callback function, void*) {
  if (subscribed != nullptr || std::getenv("FAKE_CUPTI_IS_TAKEN") != nullptr) return 39;
  subscribed = function;
  *subscriber = &subscribed;
  return success;
}
int cuptiEnableCallback(std::uint32_t enable, void*, std::uint32_t domain, std::uint32_t number) {
  enabled[domain][number] = enable != 0;
  return success;
}
/// Fails, or ends the program, where FAKE_CUPTI_FINALIZE says so.
int cuptiFinalize() {
  const char* const how = std::getenv("FAKE_CUPTI_FINALIZE");
  if (how == nullptr) return success;
  if (std::strcmp(how, "abort") == 0) std::abort();
  return invalid;
}
int cuptiGetCallbackName(std::uint32_t domain, std::uint32_t number, const char** name) {
  for (const function_name& each : functions)
    if (each.domain == domain && each.number == number) {
      *name = each.name;
      return success;
    }
  return invalid;
}

int cuptiActivityRegisterCallbacks(decltype(request_buffer) request,
                                   decltype(complete_buffer) complete) {
  request_buffer = request;
  complete_buffer = complete;
  return success;
}
int cuptiActivityEnable(std::uint32_t type) {
  records_enabled[type] = true;
  return success;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes, void** at) {
  auto* const next = *at == nullptr ? buffer : static_cast<std::uint8_t*>(*at) + sizeof(record);
  if (next + sizeof(record) > buffer + bytes) return invalid;
  *at = next;
  return success;
}
/// The latest come first.
int cuptiActivityFlushAll(std::uint32_t) {
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0, most = 0;
  request_buffer(&buffer, &bytes, &most);
  const std::size_t used = records.size() * sizeof(record);
  if (buffer == nullptr || used > bytes) std::abort();
  std::size_t at = used;
  for (const record& each : records)
    std::memcpy(buffer + (at -= sizeof(record)), each.bytes, sizeof(record));
  complete_buffer(nullptr, 0, buffer, bytes, used);
  return success;
}

/// What a function of CUDA does at its begin and at its end.
void fake_callback(std::uint32_t domain, std::uint32_t number, int site, const char* name,
                   const void* parameters) {
  if (site == 0 && depth++ == 0)
    correlation_of_thread = __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
  const call_of_cuda call{site, name,    parameters,           nullptr, nullptr, nullptr,
                          0,    nullptr, correlation_of_thread};
  if (site == 1 && --depth == 0) {
    if (std::strstr(name, "LaunchKernel") != nullptr)
      work_on_gpu(kernel, domain, correlation_of_thread);
    if (std::strstr(name, "GraphLaunch") != nullptr)
      work_on_gpu(graph, domain, correlation_of_thread);
  }
  if (subscribed == nullptr || !enabled[domain][number]) return;
  __atomic_add_fetch(&callbacks.made, 1, __ATOMIC_RELAXED);
  subscribed(nullptr, domain, number, &call);
}

/// A function of the driver that a program calls itself.
int cuLaunchKernel(const void* kernel) {
  const void* const parameters[] = {kernel};
  fake_callback(1, 307, 0, "cuLaunchKernel", parameters);
  fake_callback(1, 307, 1, "cuLaunchKernel", parameters);
  return success;
}
}
