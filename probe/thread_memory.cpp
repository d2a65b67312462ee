#include "probe/thread_memory.hpp"

#include <pthread.h>

#include "probe/kernel.hpp"
#include "probe/thread_key.hpp"

namespace syncmeter::probe {

__thread thread_memory* own_memory = nullptr;

namespace {

constinit thread_memory* unused = nullptr;
constinit int is_taken_from = 0;
constinit thread_key end_of_thread;

/// What a thread has left. One thread takes at a time: what comes first stays there but for what is
/// put before it. A signal handler of that thread meanwhile goes without.
thread_memory* take_unused() {
  constexpr unsigned most_tries = 1000;
  for (unsigned tries = 0; __atomic_exchange_n(&is_taken_from, 1, __ATOMIC_ACQUIRE) != 0; ++tries)
    if (tries == most_tries) return nullptr;
  thread_memory* first = __atomic_load_n(&unused, __ATOMIC_ACQUIRE);
  while (first != nullptr && !__atomic_compare_exchange_n(&unused, &first, first->next, false,
                                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  __atomic_store_n(&is_taken_from, 0, __ATOMIC_RELEASE);
  return first;
}

void put_back(thread_memory* left) {
  left->next = __atomic_load_n(&unused, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&unused, &left->next, left, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
}

// A destructor of a key: what other destructors need of it is taken anew, for which this is called
// again. Frames are written before they are read.
void leave_memory(void* memory) {
  own_memory = nullptr;
  auto* const left = static_cast<thread_memory*>(memory);
  left->timed = {};
  left->kokkos.open = 0;
  for (known_place& each : left->known) each = {};
  put_back(left);
}

// The thread that took when another one forked is not there.
void begin_child() { __atomic_store_n(&is_taken_from, 0, __ATOMIC_RELAXED); }

// Threads that begin before this keep theirs for good, and all where there is no key.
[[gnu::constructor(101)]] void start() {
  end_of_thread.make(leave_memory);
  if (own_memory != nullptr) end_of_thread.set(own_memory);
  ::pthread_atfork(nullptr, nullptr, begin_child);
}

}  // namespace

thread_memory* take_memory() {
  const no_cancellation postponed;
  thread_memory* found = take_unused();
  if (found == nullptr) found = static_cast<thread_memory*>(new_memory(sizeof(thread_memory)));
  if (found == nullptr) return nullptr;
  // A signal handler may have taken one meanwhile, and be in it.
  thread_memory* taken = nullptr;
  if (!__atomic_compare_exchange_n(&own_memory, &taken, found, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    put_back(found);
    return taken;
  }
  end_of_thread.set(found);
  return found;
}

}  // namespace syncmeter::probe
