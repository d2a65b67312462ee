// What programs call of the C library: POSIX threads, those of C11, semaphores, and futexes by the
// call that every other language makes.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

#include "probe/count.hpp"

namespace syncmeter::probe {
namespace {

constexpr std::size_t count_offset = 2 * sizeof(unsigned);
unsigned expected_at(const pthread_barrier_t& barrier) {
  unsigned value = 0;
  ::memcpy(&value, reinterpret_cast<const char*>(&barrier) + count_offset, sizeof value);
  return value;
}

/// How many threads a barrier waits for, where this C library keeps that where glibc does; else 0.
unsigned size_of(const pthread_barrier_t& barrier) {
  static constinit int known = 0;  // 1 yes, -1 no
  if (known == 0) [[unlikely]] {
    constexpr unsigned planted = 12345;
    pthread_barrier_t tried;
    ::memset(&tried, 0, sizeof tried);
    const bool made = ::pthread_barrier_init(&tried, nullptr, planted) == 0;
    known = made && expected_at(tried) == planted ? 1 : -1;
    // It waits for nobody: destroying it does nothing in glibc, which alone is understood here.
  }
  return known > 0 ? expected_at(barrier) : 0;
}

}  // namespace
}  // namespace syncmeter::probe

using namespace syncmeter::probe;

#define SM_POSIX(name, what, result_type, parameters, arguments)                                   \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    count(kind::what, SM_SITE, 0);                                                                 \
    return real.get() arguments;                                                                   \
  }
#define SM_POSIX_TRY(name, what, result_type, parameters, arguments, got)                          \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    const result_type result = real.get() arguments;                                               \
    if (got) count(kind::what, SM_SITE, 0);                                                        \
    return result;                                                                                 \
  }
#define SM_OPENMP(...)
#define SM_OPENMP_TRY(...)
#define SM_LOOP_REGION(...)
#define SM_BY_HAND(...)
#include "probe/wrapped.def"

SM_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  static constinit real_function<int(pthread_barrier_t*)> real{"pthread_barrier_wait"};
  count(kind::barrier_wait, SM_SITE, size_of(*barrier));
  return real.get()(barrier);
}

/// The last act is a jump, as the call may return on another stack (clone): the file is compiled
/// with optimization for this.
SM_EXPORT long syscall(long number, long a, long b, long c, long d, long e, long f) {
  static constinit real_function<long(long, long, long, long, long, long, long)> real{"syscall"};
  if (number == SYS_futex) count(kind::futex, SM_SITE, 0);
  return real.get()(number, a, b, c, d, e, f);
}
