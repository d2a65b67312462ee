// The kernel itself: the C library's wrappers of its calls are what programs replace, and some of
// them are cancellation points.
#pragma once

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace syncmeter::probe {

template <class... Words> long kernel(long call, Words... words) {
  const int error = errno;
  const long result = ::syscall(call, words...);
  errno = error;
  return result;
}

/// Memory that is all 0; nullptr where there is none.
inline void* new_memory(std::size_t bytes) {
  void* const memory = reinterpret_cast<void*>(kernel(
      SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L));
  return memory == MAP_FAILED ? nullptr : memory;
}

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
  int& lock_;
};

}  // namespace syncmeter::probe
