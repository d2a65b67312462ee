// What programs call of CUDA. The driver loads the library that CUDA_INJECTION64_PATH names, which
// is this one, when a program starts CUDA, wherever its runtime is linked; from then on CUPTI
// reports each call. Without CUPTI the file says why nothing of CUDA is counted. In a run whose
// kernels are patched the Compute Sanitizer reports the calls.
#include "probe/cuda.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "probe/count.hpp"
#include "probe/cuda_callers.hpp"
#include "probe/cuda_counts.hpp"
#include "probe/cuda_device.hpp"
#include "probe/cuda_span.hpp"
#include "probe/cupti.hpp"
#include "probe/waits.hpp"

namespace syncmeter::probe {
namespace {

struct counted_function {
  const char* name;
  kind what;
};
constexpr counted_function counted_functions[] = {
#define SM_CUDA(name, kind_of_call) {#name, kind::kind_of_call},
#include "probe/cuda_functions.def"
};

/// Functions of the runtime and of the driver that are counted, by their numbers.
constexpr std::uint32_t most_functions = 2048;
std::uint8_t kinds[2][most_functions];

/// Whether CUPTI's name is this function's: behind it may stand a version, and which stream is the
/// default one, as in cudaMemcpy_ptds_v7000.
bool is_named(const char* full, const char* name) {
  const std::size_t length = ::strlen(name);
  if (::strncmp(full, name, length) != 0) return false;
  const char* rest = full + length;
  for (const char* const stream : {"_ptsz", "_ptds"})
    if (::strncmp(rest, stream, 5) == 0) rest += 5;
  if (::strncmp(rest, "_v", 2) == 0) {
    rest += 2;
    while (*rest >= '0' && *rest <= '9') ++rest;
  }
  for (const char* const stream : {"_ptsz", "_ptds"})
    if (::strcmp(rest, stream) == 0) return true;
  return *rest == 0;
}

/// The call of this thread that is being made: what CUDA's runtime calls of the driver is the
/// runtime's.
struct call_of_thread {
  unsigned depth = 0;
  kind what{};
  std::uint64_t site = 0;
  std::uint64_t begun = 0;  // 0: not timed
};
__thread call_of_thread now_in;

/// The host does not wait for a copy from the GPU to itself.
bool stays_on_device(const cupti::callback_data& call) {
  struct memcpy_parameters {
    void* to;
    const void* from;
    std::size_t bytes;
    int direction;
  };
  constexpr int device_to_device = 3;
  return ::strcmp(call.function_name, "cudaMemcpy") == 0 && call.parameters != nullptr &&
         static_cast<const memcpy_parameters*>(call.parameters)->direction == device_to_device;
}

void on_call(void*, std::uint32_t domain, std::uint32_t function,
             const cupti::callback_data* call) {
  if (domain != cupti::driver_api && domain != cupti::runtime_api) return;
  if (function >= most_functions) return;
  const bool of_runtime = domain == cupti::runtime_api;
  const std::uint8_t what = kinds[of_runtime ? 1 : 0][function];
  if (what == not_counted) return;
  count_reported_call({of_runtime, function, what, call, call->correlation},
                      __builtin_frame_address(0));
}

constinit cupti::subscriber own = nullptr;
constinit cupti::enable_callback_function enable_callback = nullptr;

void enable_counted(bool enabled) {
  for (const std::uint32_t domain : {cupti::driver_api, cupti::runtime_api})
    for (std::uint32_t function = 1; function < most_functions; ++function)
      if (kinds[domain == cupti::runtime_api ? 1 : 0][function] != not_counted)
        enable_callback(enabled ? 1 : 0, own, domain, function);
}

constinit cupti::finalize_function finalize = nullptr;
/// Whether all calls are enabled, and what stands above can be read by any thread.
constinit bool is_subscribed = false;

/// Of all calls the first one: those after it are as without CUPTI, which goes when that returns,
/// as its documentation has tools do. Where it stays calls take up to a tenth longer, and the run
/// has no span.
void on_first_call(void*, std::uint32_t, std::uint32_t, const cupti::callback_data* call) {
  if (stays_on_device(*call)) return;
  if (call->site == cupti::enters) {
    note_call_in_span();
    return;
  }
  // Else the thread that subscribes would enable again what is disabled here.
  if (!__atomic_load_n(&is_subscribed, __ATOMIC_ACQUIRE)) return;
  static constinit bool is_over = false;
  if (__atomic_exchange_n(&is_over, true, __ATOMIC_ACQ_REL)) return;
  enable_counted(false);
  if (finalize != nullptr && finalize() == cupti::success) return;
  drop_span();
  write_problem_of_cuda(finalize == nullptr
                            ? "the libcupti.so that was found lacks cuptiFinalize"
                            : "cuptiFinalize of the libcupti.so that was found failed");
}

/// Subscribes to the calls; else why not, which `problem` then has.
bool subscribe(void* library, const char*& problem) {
  const auto subscribe_to =
      reinterpret_cast<cupti::subscribe_function>(::dlsym(library, "cuptiSubscribe"));
  enable_callback =
      reinterpret_cast<cupti::enable_callback_function>(::dlsym(library, "cuptiEnableCallback"));
  const auto name_of =
      reinterpret_cast<cupti::callback_name_function>(::dlsym(library, "cuptiGetCallbackName"));
  if (subscribe_to == nullptr || enable_callback == nullptr || name_of == nullptr) {
    problem = "the libcupti.so that was found lacks functions of CUPTI";
    return false;
  }
  finalize = reinterpret_cast<cupti::finalize_function>(::dlsym(library, "cuptiFinalize"));
  ::memset(kinds, not_counted, sizeof kinds);
  if (const cupti::result error =
          subscribe_to(&own, is_span_run() ? on_first_call : on_call, nullptr);
      error != cupti::success) {
    problem = error == cupti::multiple_subscribers
                  ? "another tool or the program itself uses CUPTI, which serves one at a time"
                  : "the libcupti.so that was found does not work with this driver";
    return false;
  }
  for (const std::uint32_t domain : {cupti::driver_api, cupti::runtime_api})
    for (std::uint32_t function = 1; function < most_functions; ++function) {
      const char* name = nullptr;
      if (name_of(domain, function, &name) != cupti::success || name == nullptr) continue;
      kinds[domain == cupti::runtime_api ? 1 : 0][function] = kind_of_function(name);
    }
  enable_counted(true);
  __atomic_store_n(&is_subscribed, true, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

void* load_library(const char* variable, std::initializer_list<const char*> names) {
  const char* const named = ::getenv(variable);
  if (named != nullptr && *named != 0) return ::dlopen(named, RTLD_NOW | RTLD_LOCAL);
  for (const char* const name : names)
    if (void* const found = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); found != nullptr) return found;
  return nullptr;
}

std::uint8_t kind_of_function(const char* name) {
  for (const counted_function& each : counted_functions)
    if (is_named(name, each.name)) return static_cast<std::uint8_t>(each.what);
  return not_counted;
}

void count_reported_call(const reported_call& call, const void* frame) {
  call_of_thread& mine = now_in;
  if (call.data->site != cupti::enters) {
    if (--mine.depth != 0 || mine.begun == 0) return;
    end_wait({.what = mine.what, .site = mine.site, .begun = mine.begun});
    mine.begun = 0;
    return;
  }
  if (mine.depth++ != 0) return;
  mine.site = 0;
  if (stays_on_device(*call.data)) return;
  mine.what = static_cast<kind>(call.what);
  // Of a launch the kernel comes first.
  const std::uint64_t first_parameter =
      mine.what == kind::kernel_launch && call.data->parameters != nullptr
          ? *static_cast<const std::uint64_t*>(call.data->parameters)
          : 0;
  const std::uint64_t domain = call.of_runtime ? cupti::runtime_api : cupti::driver_api;
  mine.site = caller_of_cuda(
      {.of_runtime = call.of_runtime,
       .function = first_parameter ^ std::uint64_t{call.function} << 48U ^ domain << 60U},
      frame);
  count(mine.what, mine.site, 0);
  note_device_call(call.correlation, mine.what, mine.site);
  mine.begun = timed_every().locks == 0 ? 0 : begin_wait(mine.what, 0);
}

std::uint64_t site_of_reported_call() { return now_in.depth == 0 ? 0 : now_in.site; }

}  // namespace syncmeter::probe

using namespace syncmeter::probe;

/// Called by CUDA's driver, once it has loaded this library; 1: all is well.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  static constinit bool is_called = false;
  if (__atomic_exchange_n(&is_called, true, __ATOMIC_ACQ_REL)) return 1;
  if (is_patched_run()) {
    const char* problem = nullptr;
    if (!patch_kernels(problem)) write_problem_of_cuda(problem);
    return 1;
  }
  void* const library =
      load_library("SYNCMETER_CUPTI", {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                       "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                       "/usr/local/cuda/lib64/libcupti.so",
                                       "/opt/cuda/extras/CUPTI/lib64/libcupti.so"});
  const char* problem =
      "no libcupti.so was found, which comes with the CUDA Toolkit and with nvidia-cuda-cupti of "
      "PyPI; SYNCMETER_CUPTI=PATH names one";
  if (library == nullptr || !subscribe(library, problem)) write_problem_of_cuda(problem);
  else if (is_span_run()) write_span_at_end();
  else start_device_times(library);
  return 1;
}
