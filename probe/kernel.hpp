// The kernel itself: the C library's wrappers of its calls are what programs replace, and some of
// them are cancellation points.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace syncmeter::probe {

/// Returns the result of the call, or the negative error number. Keeps errno.
template <class... Words> long kernel(long call, Words... words) {
  const int error = errno;
  const long result = ::syscall(call, words...);
  const long answer = result == -1 ? -errno : result;
  errno = error;
  return answer;
}

/// Returns mapped memory, or nullptr after an error.
inline void* map_memory(std::size_t bytes, int protection, int flags, int file,
                        std::size_t offset) {
  constexpr long most_errors = 4095;  // the kernel's MAX_ERRNO
  const long mapped = kernel(SYS_mmap, nullptr, bytes, protection, flags, file, offset);
  return mapped < 0 && mapped >= -most_errors ? nullptr : reinterpret_cast<void*>(mapped);
}

/// Memory that is all 0; nullptr where there is none.
inline void* new_memory(std::size_t bytes) {
  return map_memory(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/// Postpones cancellation, which would leave a lock held for ever: the loader's, or a lock in the
/// probe. The state alone does not: a signal that pthread_cancel sent before the state changed ends
/// the thread in glibc 2.36 if the type is asynchronous.
class no_cancellation {
 public:
  no_cancellation() {
    ::pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_before_);
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_before_);
  }
  no_cancellation(const no_cancellation&) = delete;
  no_cancellation& operator=(const no_cancellation&) = delete;
  ~no_cancellation() {
    ::pthread_setcancelstate(state_before_, nullptr);
    ::pthread_setcanceltype(type_before_, nullptr);
  }

 private:
  int type_before_ = PTHREAD_CANCEL_DEFERRED;
  int state_before_ = PTHREAD_CANCEL_ENABLE;
};

/// Holds a lock, an int that is 0 where nobody does; a thread that waits lets others run.
class yielding_lock {
 public:
  explicit yielding_lock(int& lock) : lock_(lock) {
    while (__atomic_exchange_n(&lock_, 1, __ATOMIC_ACQUIRE) != 0) kernel(SYS_sched_yield);
  }
  yielding_lock(const yielding_lock&) = delete;
  yielding_lock& operator=(const yielding_lock&) = delete;
  ~yielding_lock() { __atomic_store_n(&lock_, 0, __ATOMIC_RELEASE); }

 private:
  no_cancellation postponed_;
  int& lock_;
};

}  // namespace syncmeter::probe
