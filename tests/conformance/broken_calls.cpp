// Preloaded into a worker: a reader-writer lock, and std::shared_mutex with it, locks nothing; a
// loop of OpenMP with a dynamic schedule loses a chunk now and then, and one of many tasks is done
// twice, by GCC's runtime and by LLVM's.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace {

// Whether the call that asks goes wrong: one of 50.
bool goes_wrong() {
  static std::atomic<unsigned> calls{0};
  return calls.fetch_add(1) % 50 == 49;
}

// The function of that name that the worker would have called.
template <class Function> Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The chunk of the first of two calls is lost.
template <class Function, class... Arguments>
auto next_chunk(Function* next, Arguments... arguments) {
  const auto found = next(arguments...);
  return found && goes_wrong() ? next(arguments...) : found;
}

// As far as it is needed.
struct llvm_task {
  void* shareds;
  std::int32_t (*routine)(std::int32_t thread, llvm_task* task);
};

}  // namespace

#define SM_REAL(NAME) static auto* const next = real(&NAME, #NAME)

extern "C" {
int pthread_rwlock_wrlock(pthread_rwlock_t*) noexcept { return 0; }
int pthread_rwlock_rdlock(pthread_rwlock_t*) noexcept { return 0; }
int pthread_rwlock_unlock(pthread_rwlock_t*) noexcept { return 0; }

bool GOMP_loop_nonmonotonic_dynamic_next(long* first, long* last) {
  SM_REAL(GOMP_loop_nonmonotonic_dynamic_next);
  return next_chunk(next, first, last);
}
void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long size,
               long alignment, bool deferred, unsigned flags, void** depend, int priority,
               void* detach) {
  SM_REAL(GOMP_task);
  for (int times = goes_wrong() ? 2 : 1; times > 0; --times)
    next(function, data, copy, size, alignment, deferred, flags, depend, priority, detach);
}

int __kmpc_dispatch_next_8(void* where, int thread, int* is_last, long* first, long* last,
                           long* step) {
  SM_REAL(__kmpc_dispatch_next_8);
  return next_chunk(next, where, thread, is_last, first, last, step);
}
int __kmpc_omp_task(void* where, int thread, llvm_task* task) {
  SM_REAL(__kmpc_omp_task);
  if (goes_wrong()) task->routine(thread, task);
  return next(where, thread, task);
}
}
