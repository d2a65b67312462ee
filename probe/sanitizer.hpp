// The few declarations of the Compute Sanitizer's API that the probe uses, as its documentation has
// them (callback, patching and memory API), in CUDA 12 and 13: none of its headers is needed, and
// the library is looked for when a program starts CUDA. tests/probe holds them to its headers where
// there are some.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncmeter::probe::sanitizer {

using result = int;
inline constexpr result success = 0, too_many_subscribers = 10, not_initialized = 13;

/// Of callbacks: functions as CUPTI numbers them, whose data begin as CUPTI's do.
inline constexpr std::uint32_t driver_api = 1, runtime_api = 2, resources = 3, launches = 5,
                               graphs = 10;
inline constexpr std::uint32_t context_ends = 4, module_loaded = 9, module_unloads = 10,
                               launch_begins = 1, node_launch_begins = 4;

/// Versions of these differ in what follows.
struct module_data {
  void* context;
  void* module;
};
struct launch_data {
  void* context;
  void* stream;
  void* stream_handle;
  void* module;
  void* function;
  const char* name;
  std::uint32_t grid[3], block[3], cluster[3];
  std::uint64_t grid_number;
  void* launch;
};
struct node_launch_data {
  void* graph;
  std::uint32_t number;
  void* node;
  int type;  ///< of the node
  launch_data kernel;
};
inline constexpr int kernel_node = 0;

/// What patches stand before.
inline constexpr int global_access = 3, shared_access = 4, barrier = 6, barrier_object = 13,
                     remote_shared_access = 17, cluster_wait = 22;

using subscriber = void*;
using callback = void (*)(void* argument, std::uint32_t domain, std::uint32_t what,
                          const void* data);
using subscribe_function = result (*)(subscriber*, callback, void*);
using enable_domain_function = result (*)(std::uint32_t, subscriber, std::uint32_t);
using add_patches_function = result (*)(const char* file, void* context);
using patch_instructions_function = result (*)(int what, void* module, const char* function);
using patch_module_function = result (*)(void* module);
using function_place_function = result (*)(void* module, const char* function,
                                           std::uint64_t* address, std::uint64_t* bytes);
using set_launch_data_function = result (*)(void* launch, void* function, void* stream,
                                            const void* data);
using alloc_function = result (*)(void* context, void** memory, std::size_t bytes);
using set_function = result (*)(void* memory, int value, std::size_t bytes, void* stream);
using copy_function = result (*)(void* to, void* from, std::size_t bytes, void* stream);
using synchronize_function = result (*)(void* stream_handle);
using stream_handle_function = result (*)(void* context, void* stream, void** handle);

}  // namespace syncmeter::probe::sanitizer
