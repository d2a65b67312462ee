// What programs call of the C library: POSIX threads, those of C11, semaphores, and futexes by the
// call that every other language makes.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

#include "probe/count.hpp"
#include "probe/times.hpp"

using namespace syncmeter::probe;

#define SM_POSIX(name, what, result_type, parameters, arguments)                                   \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    count(kind::what, SM_SITE, 0);                                                                 \
    if constexpr (waiting_of(kind::what) != waiting::none) {                                       \
      const lock_call around(kind::what, SM_SITE, 0);                                              \
      return real.get() arguments;                                                                 \
    }                                                                                              \
    return real.get() arguments;                                                                   \
  }
#define SM_POSIX_TRY(name, what, result_type, parameters, arguments, got)                          \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    const result_type result = real.get() arguments;                                               \
    if (got) count(kind::what, SM_SITE, 0);                                                        \
    return result;                                                                                 \
  }
#define SM_POSIX_END(name, result_type, parameters, arguments)                                     \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    const unlock_call around;                                                                      \
    return real.get() arguments;                                                                   \
  }
#define SM_OPENMP_END(...)
#define SM_OPENMP(...)
#define SM_OPENMP_TRY(...)
#define SM_LOOP_REGION(...)
#define SM_BY_HAND(...)
#include "probe/wrapped.def"

/// Counted by the thread that the C library singles out of those that met.
SM_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  static constinit real_function<int(pthread_barrier_t*)> real{"pthread_barrier_wait"};
  const std::uint64_t site = SM_SITE;
  count(kind::barrier_wait, site, 0, false);
  const posix_barrier around(barrier, site);
  const int result = real.get()(barrier);
  if (result == PTHREAD_BARRIER_SERIAL_THREAD) count(kind::barrier_wait, site, 0);
  return result;
}

SM_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier,
                                   const pthread_barrierattr_t* attributes, unsigned size) {
  static constinit real_function<int(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned)>
      real{"pthread_barrier_init"};
  note_barrier(barrier, size);
  return real.get()(barrier, attributes, size);
}

/// The last act is a jump, as the call may return on another stack (clone): the file is compiled
/// with optimization for this.
SM_EXPORT long syscall(long number, long a, long b, long c, long d, long e, long f) {
  static constinit real_function<long(long, long, long, long, long, long, long)> real{"syscall"};
  if (number == SYS_futex) count(kind::futex, SM_SITE, 0);
  return real.get()(number, a, b, c, d, e, f);
}
