// What is called with a value of a thread when that thread ends.
#pragma once

#include <pthread.h>

namespace syncmeter::probe {

/// A key of the C library, made while threads may be at work already. Setting its value allocates
/// nothing: that may be in a signal handler, or within the program's own allocator.
class thread_key {
 public:
  void make(void (*at_end)(void*)) {
    constexpr pthread_key_t without_allocation = 32;  // glibc allocates for values of more keys
    pthread_key_t made = 0;
    if (::pthread_key_create(&made, at_end) != 0) return;
    if (made < without_allocation) __atomic_store_n(&next_, made + 1, __ATOMIC_RELEASE);
    else ::pthread_key_delete(made);
  }
  /// Nothing where there is no key.
  void set(const void* value) {
    if (const pthread_key_t next = __atomic_load_n(&next_, __ATOMIC_ACQUIRE); next != 0)
      ::pthread_setspecific(next - 1, value);
  }

 private:
  pthread_key_t next_ = 0;  ///< the key and 1: one word says both which and whether there is one
};

}  // namespace syncmeter::probe
