// Stands before libgomp or libomp in a worker that preloads it, as a runtime with a defect does,
// once in each process. SPOIL_RUNTIME is "iteration": an iteration of a dynamic loop is given to no
// thread; or "task": a task is done twice.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

namespace {

bool to_be_spoiled(const char* what) {
  static std::atomic<bool> done{false};
  const char* const named = std::getenv("SPOIL_RUNTIME");
  return named != nullptr && std::strcmp(named, what) == 0 && !done.exchange(true);
}

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using chunk_call = bool(long* begin, long* end);
using task_body = void(void* data);
using task_call = void(task_body* body, void* data, void (*copy)(void*, void*), long size,
                       long align, bool deferred, unsigned flags, void** depend, int priority,
                       void* event);

// A task of libomp as far as its callers know it.
struct task_of_libomp {
  void* shared;
  int (*body)(int thread, task_of_libomp* task);
};
using dispatch_call = int(void* where, int thread, int* last, std::int64_t* lower,
                          std::int64_t* upper, std::int64_t* stride);
using omp_task_call = int(void* where, int thread, task_of_libomp* task);

}  // namespace

extern "C" {

chunk_call GOMP_loop_nonmonotonic_dynamic_next;
bool GOMP_loop_nonmonotonic_dynamic_next(long* begin, long* end) {
  static auto* const take = next<chunk_call>("GOMP_loop_nonmonotonic_dynamic_next");
  const bool taken = take(begin, end);
  return taken && to_be_spoiled("iteration") ? take(begin, end) : taken;
}

task_call GOMP_task;
void GOMP_task(task_body* body, void* data, void (*copy)(void*, void*), long size, long align,
               bool deferred, unsigned flags, void** depend, int priority, void* event) {
  static auto* const add = next<task_call>("GOMP_task");
  if (to_be_spoiled("task")) body(data);
  add(body, data, copy, size, align, deferred, flags, depend, priority, event);
}

dispatch_call __kmpc_dispatch_next_8;
int __kmpc_dispatch_next_8(void* where, int thread, int* last, std::int64_t* lower,
                           std::int64_t* upper, std::int64_t* stride) {
  static auto* const take = next<dispatch_call>("__kmpc_dispatch_next_8");
  const int taken = take(where, thread, last, lower, upper, stride);
  if (taken == 0 || !to_be_spoiled("iteration")) return taken;
  if (*lower == *upper) return take(where, thread, last, lower, upper, stride);
  ++*lower;  // a lone thread has the whole loop at once
  return taken;
}

omp_task_call __kmpc_omp_task;
int __kmpc_omp_task(void* where, int thread, task_of_libomp* task) {
  static auto* const add = next<omp_task_call>("__kmpc_omp_task");
  if (to_be_spoiled("task")) task->body(thread, task);
  return add(where, thread, task);
}
}
