#include "probe/cuda_counts.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "probe/count.hpp"
#include "probe/cuda.hpp"
#include "probe/cuda_tables.hpp"
#include "probe/device_counts.hpp"
#include "probe/kernel.hpp"
#include "probe/sanitizer.hpp"
#include "probe/times.hpp"

namespace syncmeter::probe {
namespace {

/// What is used of the library.
struct library_functions {
  sanitizer::add_patches_function add_patches = nullptr;
  sanitizer::patch_instructions_function patch_instructions = nullptr;
  sanitizer::patch_module_function patch_module = nullptr, unpatch_module = nullptr;
  sanitizer::function_place_function function_place = nullptr;
  sanitizer::set_launch_data_function set_launch_data = nullptr;
  sanitizer::alloc_function alloc = nullptr;
  sanitizer::set_function set = nullptr;
  sanitizer::copy_function to_device = nullptr, to_host = nullptr;
  sanitizer::stream_handle_function stream_handle = nullptr;
  sanitizer::synchronize_function synchronize = nullptr;
};
constinit library_functions of_library{};

constexpr std::uint64_t most_cells = std::uint64_t{1} << 21U;

constinit launched_kernel* kernels = nullptr;
constinit std::uint32_t kernel_count = 0;
/// By the monotonic clock; 0: nothing was launched yet. Set with the lock held, looked at without.
constinit std::uint64_t counting_ends_ns = 0;
/// Streams that record what is launched there instead of doing it, as far as is known.
constinit std::int32_t captures = 0;

/// The GPU's memory of a context.
struct counting_context {
  void* context;
  tables_on_gpu tables;  // counts nullptr: no room, or the patches cannot be loaded
};
constinit counting_context contexts[16] = {};
constinit long process = 0;
constinit int lock_of_contexts = 0;

void* stream_of(void* context) {
  void* stream = nullptr;
  if (of_library.stream_handle != nullptr) of_library.stream_handle(context, nullptr, &stream);
  return stream;
}

std::uint64_t time_to_count_ns() {
  constexpr std::uint64_t usual_ms = 10'000;
  const char* const text = ::getenv(patches_ms_variable);
  const std::uint64_t ms = text == nullptr ? 0 : ::strtoull(text, nullptr, 10);
  return (ms == 0 ? usual_ms : ms) * 1'000'000;
}

bool is_time_over() {
  const std::uint64_t ends_ns = __atomic_load_n(&counting_ends_ns, __ATOMIC_RELAXED);
  return ends_ns != 0 && now() >= ends_ns;
}

/// Makes the tables of a context. The patches' file is loaded into each.
bool make_tables(counting_context& of) {
  if (of_library.add_patches(::getenv(patches_variable), of.context) != sanitizer::success) {
    write_problem_of_cuda(
        "the Compute Sanitizer does not load the patches for this GPU into the program");
    return false;
  }
  void* memory = nullptr;
  void* cells = nullptr;
  std::uint64_t count = most_cells;
  const auto has_cells = [&] {
    return of_library.alloc(of.context, &cells, count * sizeof(counted_cell)) == sanitizer::success;
  };
  while (count > 1024 && !has_cells()) count /= 2;
  if (cells == nullptr ||
      of_library.alloc(of.context, &memory, sizeof(device_counts)) != sanitizer::success) {
    write_problem_of_cuda("the GPU's memory has no room to count what kernels update");
    return false;
  }
  auto* const made = new_elements<device_counts>(1);
  if (made == nullptr) return false;
  auto* const counts = static_cast<device_counts*>(memory);
  made->cells = static_cast<counted_cell*>(cells);
  made->cell_mask = count - 1;
  // A kernel that was launched in time counts to its end, where that is not as long again.
  made->for_ns = 2 * time_to_count_ns();
  for (std::uint32_t i = 0; i < most_kernels; ++i) made->kernels[i] = {counts, i, 0};
  void* const stream = stream_of(of.context);
  const bool done =
      of_library.set(cells, 0, count * sizeof(counted_cell), stream) == sanitizer::success &&
      of_library.to_device(counts, made, sizeof *made, stream) == sanitizer::success;
  ::munmap(made, sizeof *made);
  of.tables = {done ? counts : nullptr, static_cast<counted_cell*>(cells), count};
  return done;
}

/// With the lock held; nullptr where there are too many, or it has no tables.
counting_context* tables_of(void* context) {
  for (counting_context& each : contexts) {
    if (each.context == context) return each.tables.counts == nullptr ? nullptr : &each;
    if (each.context != nullptr) continue;
    each.context = context;
    return make_tables(each) ? &each : nullptr;
  }
  return nullptr;
}

void patch(const sanitizer::module_data& loaded) {
  const yielding_lock held(lock_of_contexts);
  if (is_time_over() || tables_of(loaded.context) == nullptr) return;
  struct patch_of {
    int what;
    const char* function;
  };
  for (const patch_of each : {patch_of{sanitizer::global_access, "sm_global_access"},
                              patch_of{sanitizer::shared_access, "sm_shared_access"},
                              patch_of{sanitizer::remote_shared_access, "sm_shared_access"},
                              patch_of{sanitizer::barrier, "sm_barrier"},
                              patch_of{sanitizer::cluster_wait, "sm_cluster_wait"},
                              patch_of{sanitizer::barrier_object, "sm_barrier_object"}})
    of_library.patch_instructions(each.what, loaded.module, each.function);
  if (of_library.patch_module(loaded.module) != sanitizer::success)
    write_problem_of_cuda("the Compute Sanitizer does not patch a module of the program");
}

void forget(const sanitizer::module_data& unloaded) {
  const yielding_lock held(lock_of_contexts);
  for (std::uint32_t i = 0; i < kernel_count; ++i)
    if (kernels[i].module == unloaded.module) kernels[i].function = nullptr;
}

/// With the lock held; nullptr where there are too many.
launched_kernel* kernel_of(const sanitizer::launch_data& launch, std::uint64_t site, kind what) {
  const auto kind_of_site = static_cast<std::uint32_t>(what);
  for (std::uint32_t i = 0; i < kernel_count; ++i)
    if (kernels[i].function == launch.function && kernels[i].site == site &&
        kernels[i].kind == kind_of_site)
      return &kernels[i];
  if (kernel_count == most_kernels) return nullptr;
  launched_kernel& made = kernels[kernel_count++];
  made.function = launch.function;
  made.module = launch.module;
  made.site = site;
  made.kind = kind_of_site;
  if (launch.name != nullptr) ::strncpy(made.name, launch.name, sizeof made.name - 1);
  std::uint64_t bytes = 0;
  if (of_library.function_place != nullptr &&
      of_library.function_place(launch.module, made.name, &made.begins, &bytes) ==
          sanitizer::success)
    made.ends = made.begins + bytes;
  return &made;
}

/// With the lock held, from when the time to count is over: patches take time even where they count
/// nothing.
void unpatch_module_of(const launched_kernel& kernel) {
  if (of_library.unpatch_module == nullptr) return;
  for (std::uint32_t i = 0; i < kernel_count; ++i)
    if (&kernels[i] != &kernel && kernels[i].module == kernel.module && kernels[i].is_cut_off)
      return;
  of_library.unpatch_module(kernel.module);
}

/// Whoever launches is never so far ahead of the GPU that the time to count is over long before
/// patches of what is still to come can be taken out: by 16 kernels of a stream at most, and by one
/// where these are long. Nobody waits while something is captured, which that would end, nor any
/// more where it failed.
void wait_for_launched(const sanitizer::launch_data& launch) {
  constexpr std::uint32_t most_ahead = 16;
  constexpr std::uint64_t long_ns = 10'000'000;
  constinit static std::uint32_t launched = 0, waits_after = 1;
  const std::uint32_t before = __atomic_load_n(&waits_after, __ATOMIC_RELAXED);
  if (of_library.synchronize == nullptr || before == 0 || is_time_over() ||
      __atomic_load_n(&captures, __ATOMIC_RELAXED) > 0 ||
      __atomic_add_fetch(&launched, 1, __ATOMIC_RELAXED) % before != 0)
    return;
  const std::uint64_t begin = now();
  const bool done = of_library.synchronize(launch.stream_handle) == sanitizer::success;
  const std::uint32_t after = since(begin, now()) > long_ns ? 1 : std::min(2 * before, most_ahead);
  __atomic_store_n(&waits_after, done ? after : 0, __ATOMIC_RELAXED);
}

void count_launch(const sanitizer::launch_data& launch, kind what) {
  const yielding_lock held(lock_of_contexts);
  const counting_context* const in = tables_of(launch.context);
  if (in == nullptr) return;
  launched_kernel* const kernel = kernel_of(launch, site_of_reported_call(), what);
  if (kernel == nullptr) return;
  const auto volume = [](const std::uint32_t(&size)[3]) {
    return std::uint64_t{size[0]} * size[1] * size[2];
  };
  if (counting_ends_ns == 0)
    __atomic_store_n(&counting_ends_ns, now() + time_to_count_ns(), __ATOMIC_RELAXED);
  if (is_time_over() && !kernel->is_cut_off) {
    unpatch_module_of(*kernel);
    kernel->is_cut_off = true;
  }
  const std::uint64_t blocks = volume(launch.grid);
  ++kernel->launches;
  kernel->blocks += blocks;
  kernel->threads = volume(launch.block);
  if (!kernel->is_cut_off) {
    ++kernel->counted_launches;
    kernel->counted_blocks += blocks;
  }
  of_library.set_launch_data(launch.launch, launch.function, launch.stream_handle,
                             kernel->is_cut_off ? nullptr
                                                : &in->tables.counts->kernels[kernel - kernels]);
}

void write_counts(counting_context& of) {
  if (of.tables.counts == nullptr) return;
  if (!write_kernels(of.tables, {kernels, kernel_count}, of_library.to_host, stream_of(of.context)))
    write_problem_of_cuda("what kernels updated cannot be read from the GPU");
  of.tables.counts = nullptr;
}

// A child of fork has no GPU.
void finish() {
  if (kernel(SYS_getpid) != process) return;
  const yielding_lock held(lock_of_contexts);
  for (counting_context& each : contexts) write_counts(each);
}

void end_context(const void* context) {
  const yielding_lock held(lock_of_contexts);
  for (counting_context& each : contexts) {
    if (each.context != context) continue;
    write_counts(each);
    // The next one may lie there, too.
    each.context = &each;
  }
}

/// Kinds of functions by their numbers, as far as they have been called; 0: not yet, else 1 more.
constexpr std::uint32_t most_functions = 2048;
std::uint16_t kinds[2][most_functions];
/// Beside those that are counted.
constexpr std::uint8_t begins_capture = not_counted - 1, ends_capture = not_counted - 2;

std::uint8_t kind_by_name(const char* name) {
  if (::strstr(name, "StreamBeginCapture") != nullptr) return begins_capture;
  return ::strstr(name, "StreamEndCapture") != nullptr ? ends_capture : kind_of_function(name);
}

/// From before the first call until behind the last one; a begin that failed counts as none.
void note_capture(std::uint8_t what, const cupti::callback_data& call) {
  if (call.site == cupti::enters) {
    if (what == begins_capture) __atomic_add_fetch(&captures, 1, __ATOMIC_RELAXED);
    return;
  }
  const auto* const answer = static_cast<const int*>(call.return_value);
  const bool has_failed = answer != nullptr && *answer != 0;
  if ((what == ends_capture || has_failed) && __atomic_load_n(&captures, __ATOMIC_RELAXED) > 0)
    __atomic_sub_fetch(&captures, 1, __ATOMIC_RELAXED);
}

void on_function(bool of_runtime, std::uint32_t function, const cupti::callback_data& call,
                 const void* frame) {
  if (function >= most_functions) return;
  std::uint16_t& known = kinds[of_runtime ? 1 : 0][function];
  std::uint16_t kind_and_one = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (kind_and_one == 0) {
    kind_and_one = static_cast<std::uint16_t>(kind_by_name(call.function_name) + 1);
    __atomic_store_n(&known, kind_and_one, __ATOMIC_RELAXED);
  }
  const auto what = static_cast<std::uint8_t>(kind_and_one - 1);
  if (what == begins_capture || what == ends_capture) note_capture(what, call);
  else if (what != not_counted) count_reported_call({of_runtime, function, what, &call, 0}, frame);
}

void on_event(void*, std::uint32_t domain, std::uint32_t what, const void* data) {
  if (domain == sanitizer::driver_api || domain == sanitizer::runtime_api) {
    on_function(domain == sanitizer::runtime_api, what,
                *static_cast<const cupti::callback_data*>(data), __builtin_frame_address(0));
  } else if (domain == sanitizer::resources) {
    if (what == sanitizer::module_loaded) patch(*static_cast<const sanitizer::module_data*>(data));
    if (what == sanitizer::module_unloads)
      forget(*static_cast<const sanitizer::module_data*>(data));
    if (what == sanitizer::context_ends)
      end_context(static_cast<const sanitizer::module_data*>(data)->context);
  } else if (domain == sanitizer::launches && what == sanitizer::launch_begins) {
    const auto& launch = *static_cast<const sanitizer::launch_data*>(data);
    wait_for_launched(launch);
    count_launch(launch, kind::kernel_launch);
  } else if (domain == sanitizer::graphs && what == sanitizer::node_launch_begins) {
    const auto& node = *static_cast<const sanitizer::node_launch_data*>(data);
    if (node.type == sanitizer::kernel_node) count_launch(node.kernel, kind::graph_launch);
  }
}

template <class Function> bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

const char* why_not_subscribed(sanitizer::result error) {
  switch (error) {
  case sanitizer::too_many_subscribers:
    return "another tool uses the Compute Sanitizer, which serves one at a time";
  case sanitizer::not_initialized:
    return "the libsanitizer-public.so that was found does not work with this driver";
  default:
    return "the Compute Sanitizer cannot be attached to the program";
  }
}

}  // namespace

bool is_patched_run() {
  const char* const file = ::getenv(patches_variable);
  return file != nullptr && *file != 0;
}

bool patch_kernels(const char*& problem) {
  void* const library = load_library(
      "SYNCMETER_SANITIZER",
      {"libsanitizer-public.so", "/usr/local/cuda/compute-sanitizer/libsanitizer-public.so",
       "/usr/local/cuda/extras/compute-sanitizer/libsanitizer-public.so",
       "/opt/cuda/extras/compute-sanitizer/libsanitizer-public.so"});
  if (library == nullptr) {
    problem = "no libsanitizer-public.so was found, which comes with the CUDA Toolkit and with "
              "nvidia-cuda-sanitizer-api of PyPI; SYNCMETER_SANITIZER=PATH names one";
    return false;
  }
  sanitizer::subscribe_function subscribe = nullptr;
  sanitizer::enable_domain_function enable = nullptr;
  library_functions& found = of_library;
  if (!find(library, "sanitizerSubscribe", subscribe) ||
      !find(library, "sanitizerEnableDomain", enable) ||
      !find(library, "sanitizerAddPatchesFromFile", found.add_patches) ||
      !find(library, "sanitizerPatchInstructions", found.patch_instructions) ||
      !find(library, "sanitizerPatchModule", found.patch_module) ||
      !find(library, "sanitizerSetLaunchCallbackData", found.set_launch_data) ||
      !find(library, "sanitizerAlloc", found.alloc) ||
      !find(library, "sanitizerMemset", found.set) ||
      !find(library, "sanitizerMemcpyHostToDeviceAsync", found.to_device) ||
      !find(library, "sanitizerMemcpyDeviceToHost", found.to_host)) {
    problem = "the libsanitizer-public.so that was found lacks functions of the patching API";
    return false;
  }
  static_cast<void>(find(library, "sanitizerGetFunctionPcAndSize", found.function_place));
  static_cast<void>(find(library, "sanitizerGetStreamHandle", found.stream_handle));
  static_cast<void>(find(library, "sanitizerUnpatchModule", found.unpatch_module));
  static_cast<void>(find(library, "sanitizerStreamSynchronize", found.synchronize));
  kernels = new_elements<launched_kernel>(most_kernels);
  if (kernels == nullptr) {
    problem = "the program has no memory for that";
    return false;
  }
  sanitizer::subscriber own = nullptr;
  if (const sanitizer::result error = subscribe(&own, on_event, nullptr);
      error != sanitizer::success) {
    problem = why_not_subscribed(error);
    return false;
  }
  for (const std::uint32_t domain : {sanitizer::driver_api, sanitizer::runtime_api,
                                     sanitizer::resources, sanitizer::launches, sanitizer::graphs})
    enable(1, own, domain);
  process = kernel(SYS_getpid);
  ::atexit(finish);
  return true;
}

}  // namespace syncmeter::probe
