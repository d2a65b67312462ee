// In the Compute Sanitizer's place, and in that of CUDA's driver and of a GPU: its functions are
// those that the probe looks for, its GPU's memory is the program's, and a kernel counts as patches
// do.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "probe/device_counts.hpp"
#include "probe/sanitizer.hpp"

namespace {

namespace probe = syncmeter::probe;
namespace api = probe::sanitizer;

api::callback subscribed = nullptr;
bool enabled[16] = {};
bool is_loaded = false, is_patched = false;
unsigned patched_instructions = 0;
const void* data_of_launch = nullptr;
std::mutex gpu;
thread_local unsigned depth = 0;
int context, module;

constexpr std::uint64_t code_begins = 0x7000, code_bytes = 0x200, cells_begin = 0x9000;

probe::counted_instruction& instruction_of(const probe::kernel_counts& of, std::uint64_t offset,
                                           probe::counted_event event) {
  const std::uint64_t number = probe::number_of_pair(code_begins + offset, of.kernel);
  for (std::uint64_t at = number;; ++at) {
    probe::counted_instruction& found = of.counts->instructions[at % probe::most_instructions];
    if (found.number == 0) found = {number, code_begins + offset, of.kernel, event, 0, 0, 0, 0};
    if (found.number == number) return found;
  }
}

void update(const probe::kernel_counts& of, std::uint64_t offset, unsigned cell, unsigned threads) {
  probe::counted_instruction& by = instruction_of(of, offset, probe::counted_event::update);
  by.threads += threads;
  ++by.warps;
  ++by.parts;
  const auto place = static_cast<std::uint32_t>(&by - of.counts->instructions);
  const std::uint64_t address = cells_begin + 4 * cell;
  const std::uint64_t number = probe::number_of_pair(address, place + 1);
  for (std::uint64_t at = number;; ++at) {
    probe::counted_cell& found = of.counts->cells[at & of.counts->cell_mask];
    if (found.number == 0) found = {number, address, 0, place, 0};
    if (found.number != number) continue;
    found.updates += threads;
    ++found.warps;
    return;
  }
}

/// Eight threads update each of four cells, and one the first of them once more; 64 meet.
void run_kernel() {
  const auto* const of = static_cast<const probe::kernel_counts*>(data_of_launch);
  if (of == nullptr) return;
  for (unsigned cell = 0; cell < 4; ++cell) update(*of, 0x40, cell, 8);
  update(*of, 0x60, 0, 1);
  probe::counted_instruction& barrier = instruction_of(*of, 0x80, probe::counted_event::barrier);
  barrier.threads += 64;
  barrier.parts += std::uint64_t{1} << 32U;
}

api::launch_data launch_of(const void* kernel, const char* name) {
  return {&context,   nullptr,   nullptr, &module, const_cast<void*>(kernel), name, {2, 3, 1},
          {32, 2, 1}, {1, 1, 1}, 1,       nullptr};
}

void tell(std::uint32_t domain, std::uint32_t what, const void* data) {
  if (subscribed != nullptr && enabled[domain]) subscribed(nullptr, domain, what, data);
}

void load_module() {
  if (is_loaded) return;
  is_loaded = true;
  const api::module_data loaded{&context, &module};
  tell(api::resources, api::module_loaded, &loaded);
}

void launch(const void* kernel) {
  const std::lock_guard held(gpu);
  load_module();
  char name[64];
  std::snprintf(name, sizeof name, "kernel_%d", *static_cast<const int*>(kernel));
  const api::launch_data data = launch_of(kernel, name);
  data_of_launch = nullptr;
  tell(api::launches, api::launch_begins, &data);
  if (is_patched) run_kernel();
}

void launch_graph() {
  const std::lock_guard held(gpu);
  load_module();
  static const int kernel = 0;
  for (const int type : {api::kernel_node, 1}) {
    const api::node_launch_data node{nullptr, 1, nullptr, type,
                                     launch_of(&kernel, "kernel_of_graph")};
    data_of_launch = nullptr;
    tell(api::graphs, api::node_launch_begins, &node);
    if (is_patched) run_kernel();
  }
}

}  // namespace

struct call_of_cuda {
  int site;
  const char* function_name;
  const void* parameters;
  const void* return_value;
  const char* kernel_name;
  void* context;
};

extern "C" {

int sanitizerSubscribe(void** subscriber, api::callback function, void*) {
  if (std::getenv("FAKE_SANITIZER_FAILS") != nullptr)
    return std::atoi(std::getenv("FAKE_SANITIZER_FAILS"));
  subscribed = function;
  *subscriber = &subscribed;
  return api::success;
}
int sanitizerEnableDomain(std::uint32_t enable, void*, std::uint32_t domain) {
  enabled[domain] = enable != 0;
  return api::success;
}
int sanitizerAddPatchesFromFile(const char* file, void*) {
  return std::strcmp(file, "/patches") == 0 ? api::success : 1;
}
int sanitizerPatchInstructions(int, void* of, const char* function) {
  if (of == &module && std::strncmp(function, "sm_", 3) == 0) ++patched_instructions;
  return api::success;
}
int sanitizerPatchModule(void* of) {
  is_patched = of == &module && patched_instructions == 6;
  return api::success;
}
int sanitizerUnpatchModule(void* of) {
  if (of == &module) is_patched = false;
  return api::success;
}
/// Its kernels take a while.
int sanitizerStreamSynchronize(void*) {
  if (const char* const log = std::getenv("FAKE_SANITIZER_WAITS")) {
    std::FILE* const file = std::fopen(log, "a");
    std::fputc('w', file);
    std::fclose(file);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return std::getenv("FAKE_SANITIZER_WAIT_FAILS") == nullptr ? api::success : 1;
}
int sanitizerGetFunctionPcAndSize(void*, const char* name, std::uint64_t* address,
                                  std::uint64_t* bytes) {
  if (std::strncmp(name, "kernel_", 7) != 0) return 1;
  *address = code_begins;
  *bytes = code_bytes;
  return api::success;
}
int sanitizerSetLaunchCallbackData(void*, void*, void*, const void* data) {
  data_of_launch = data;
  return api::success;
}
int sanitizerAlloc(void*, void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return *memory == nullptr ? 1 : api::success;
}
int sanitizerMemset(void* memory, int value, std::size_t bytes, void*) {
  std::memset(memory, value, bytes);
  return api::success;
}
int sanitizerMemcpyHostToDeviceAsync(void* to, void* from, std::size_t bytes, void*) {
  std::memcpy(to, from, bytes);
  return api::success;
}
int sanitizerMemcpyDeviceToHost(void* to, void* from, std::size_t bytes, void*) {
  std::memcpy(to, from, bytes);
  return api::success;
}

/// What a function of CUDA does at its begin and at its end.
void fake_callback(std::uint32_t domain, std::uint32_t number, int site, const char* name,
                   const void* parameters) {
  const call_of_cuda call{site, name, parameters, nullptr, nullptr, nullptr};
  if (site == 1 && --depth == 0 && std::strstr(name, "GraphLaunch") != nullptr) launch_graph();
  tell(domain, number, &call);
  if (site == 0) ++depth;
}

/// A function of the driver that a program calls itself.
int cuLaunchKernel(const void* kernel) {
  const void* const parameters[] = {kernel};
  fake_callback(1, 307, 0, "cuLaunchKernel", parameters);
  launch(kernel);
  fake_callback(1, 307, 1, "cuLaunchKernel", parameters);
  return api::success;
}
}
