// The library that `syncmeter advise --try` preloads in place of the probe: other locks for the
// mutexes of POSIX threads, or another barrier. Recursive, error-checking, robust, priority and
// process-shared mutexes, and those of C11, are left as they are.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "probe/kernel.hpp"
#include "probe/real_function.hpp"
#include "probe/swapped_barriers.hpp"
#include "probe/swapped_locks.hpp"
#include "probe/swaps.hpp"

#if !defined(MADV_WIPEONFORK)
#define MADV_WIPEONFORK 18
#endif

using namespace syncmeter::probe;

/// Of the C library from 2.32 on.
extern "C" [[gnu::weak]] char __libc_single_threaded;

namespace {

using mutex_function = real_function<int(pthread_mutex_t*)>;
constinit mutex_function real_lock{"pthread_mutex_lock"}, real_trylock{"pthread_mutex_trylock"},
    real_unlock{"pthread_mutex_unlock"};

static_assert(sizeof(pthread_mutex_t::__data.__list) == sizeof(lock_words));

struct lock_functions {
  void (*take)(lock_words&);
  bool (*try_take)(lock_words&);
  bool (*is_taken)(lock_words&);
  void (*give_back)(lock_words&);
};
template <class Lock> constexpr lock_functions functions_of() {
  return {.take = [](lock_words& lock) { Lock::take(lock); },
          .try_take = [](lock_words& lock) { return Lock::try_take(lock); },
          .is_taken = [](lock_words& lock) { return Lock::is_taken(lock); },
          .give_back = [](lock_words& lock) { Lock::give_back(lock); }};
}
constexpr lock_functions ttas = functions_of<ttas_lock>(), ticket = functions_of<ticket_lock>(),
                         mcs = functions_of<mcs_lock>();

/// What is swapped. A child of fork has none of the threads that may have waited for a lock, or had
/// it: its memory here is 0, so that the mutexes themselves, which are held as well, are all that
/// it takes. Where there was one thread alone, as in a daemon that begins, the child has all that
/// its parent had.
struct swapped {
  const lock_functions* locks;  ///< none: the mutex alone
  bool adaptive, barriers;
};
constinit swapped nothing{};
constinit swapped* of_process = nullptr;
constinit swapped at_fork{};
constinit bool was_alone = false;

constinit swap_kind wanted = swap_kind::none;
constinit swap_counts* calls = nullptr;

void swap_nothing() {
  if (of_process != nullptr) *of_process = {};
}

void keep_for_child() {
  was_alone = &__libc_single_threaded != nullptr && __libc_single_threaded != 0;
  if (of_process != nullptr) at_fork = *of_process;
}
void swap_in_child() {
  if (was_alone && of_process != nullptr && of_process != &nothing) *of_process = at_fork;
}

void begin_counts() {
  const char* const path = ::getenv(counts_variable);
  const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const memory =
      ::mmap(nullptr, sizeof(swap_counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) calls = static_cast<swap_counts*>(memory);
  ::close(file);
}

void count_call(bool is_swapped) {
  if (calls != nullptr)
    __atomic_fetch_add(is_swapped ? &calls->swapped : &calls->left, 1, __ATOMIC_RELAXED);
}

/// At the first call, before which no mutex was taken here.
const swapped& begin_swaps() {
  wanted = swap_of_name(::getenv(swap_variable));
  begin_counts();
  swapped* made = &nothing;
  if (wanted != swap_kind::none) {
    constexpr std::size_t page = 4096;
    if (void* const memory = new_memory(page); memory != nullptr) {
      made = static_cast<swapped*>(memory);
      if (::madvise(memory, page, MADV_WIPEONFORK) != 0)
        (void)::pthread_atfork(nullptr, nullptr, &swap_nothing);
      (void)::pthread_atfork(&keep_for_child, nullptr, &swap_in_child);
      *made = {.locks = wanted == swap_kind::ttas     ? &ttas
                        : wanted == swap_kind::ticket ? &ticket
                        : wanted == swap_kind::mcs    ? &mcs
                                                      : nullptr,
               .adaptive = wanted == swap_kind::adaptive,
               .barriers = wanted == swap_kind::barrier};
    }
  }
  // Another thread may have made one, too; nobody has read the other.
  swapped* before = nullptr;
  if (__atomic_compare_exchange_n(&of_process, &before, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return *made;
  return *before;
}

const swapped& what_is_swapped() {
  swapped* const found = __atomic_load_n(&of_process, __ATOMIC_ACQUIRE);
  return found != nullptr ? *found : begin_swaps();
}

[[gnu::constructor(101)]] void begin() { (void)what_is_swapped(); }

/// Of the default type or an adaptive one, and of this process alone.
bool is_plain(const pthread_mutex_t* mutex) {
  constexpr int type_and_protocol = 0xff;
  const int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & type_and_protocol;
  return kind == PTHREAD_MUTEX_TIMED_NP || kind == PTHREAD_MUTEX_ADAPTIVE_NP;
}

/// The lock around this mutex; none where it is left as it is.
const lock_functions* lock_around(const pthread_mutex_t* mutex) {
  const lock_functions* const locks = what_is_swapped().locks;
  return locks != nullptr && is_plain(mutex) ? locks : nullptr;
}

void count_mutex_call(const pthread_mutex_t* mutex) {
  const swapped& swaps = what_is_swapped();
  if (calls != nullptr && wanted != swap_kind::barrier)
    count_call((swaps.locks != nullptr || swaps.adaptive) && is_plain(mutex));
}

lock_words& words_of(pthread_mutex_t* mutex) {
  void* const list = &mutex->__data.__list;
  return *static_cast<lock_words*>(list);
}

/// The mutex itself behind its lock: free, but for what does not come here and a wait for a signal
/// that is about to begin or has just ended.
int or_give_back(const lock_functions& lock, pthread_mutex_t* mutex, int result) {
  if (result != 0) lock.give_back(words_of(mutex));
  return result;
}

/// Makes it one that spins before it sleeps, which it is from its next lock on: both types are
/// taken and given back in the same way.
void make_adaptive(pthread_mutex_t* mutex) {
  int& kind = mutex->__data.__kind;
  if (is_plain(mutex))
    __atomic_store_n(&kind, __atomic_load_n(&kind, __ATOMIC_RELAXED) | PTHREAD_MUTEX_ADAPTIVE_NP,
                     __ATOMIC_RELAXED);
}

bool is_past(clockid_t clock, const timespec& until) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec);
}

/// A queue cannot be left: whoever has no time to wait tries until it gets the lock, and is not
/// served in turn.
template <class Real>
int lock_until(const lock_functions& lock, pthread_mutex_t* mutex, clockid_t clock,
               const timespec* until, Real real) {
  spin_wait wait;
  while (!lock.try_take(words_of(mutex))) {
    constexpr long second_ns = 1'000'000'000;
    if (until->tv_nsec < 0 || until->tv_nsec >= second_ns) return EINVAL;
    if (is_past(clock, *until)) return ETIMEDOUT;
    constexpr unsigned between_looks = 16;
    wait.pause(between_looks);
  }
  return or_give_back(lock, mutex, real());
}

struct lock_to_take {
  const lock_functions* lock;
  pthread_mutex_t* mutex;
};
/// Behind a wait for a signal, which has taken the mutex alone: first the lock, then the mutex, as
/// everywhere.
void take_in_order(void* which) {
  const auto& [lock, mutex] = *static_cast<const lock_to_take*>(which);
  real_unlock.get()(mutex);
  lock->take(words_of(mutex));
  real_lock.get()(mutex);
}

template <class Wait> int wait_for_signal(pthread_mutex_t* mutex, Wait wait) {
  const lock_functions* const lock = lock_around(mutex);
  if (lock == nullptr || !lock->is_taken(words_of(mutex))) return wait();
  lock->give_back(words_of(mutex));
  lock_to_take again{.lock = lock, .mutex = mutex};
  int result = 0;
  // A thread that is cancelled here gives the mutex back in a handler of the program's.
  pthread_cleanup_push(&take_in_order, &again);
  result = wait();
  pthread_cleanup_pop(1);
  return result;
}

}  // namespace

SM_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  const swapped& swaps = what_is_swapped();
  count_mutex_call(mutex);
  if (swaps.adaptive) make_adaptive(mutex);
  const lock_functions* const lock = lock_around(mutex);
  if (lock == nullptr) return real_lock.get()(mutex);
  lock->take(words_of(mutex));
  return or_give_back(*lock, mutex, real_lock.get()(mutex));
}

SM_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  count_mutex_call(mutex);
  const lock_functions* const lock = lock_around(mutex);
  if (lock == nullptr) return real_trylock.get()(mutex);
  if (!lock->try_take(words_of(mutex))) return EBUSY;
  return or_give_back(*lock, mutex, real_trylock.get()(mutex));
}

SM_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  static constinit real_function<int(pthread_mutex_t*, const timespec*)> real{
      "pthread_mutex_timedlock"};
  const lock_functions* const lock = lock_around(mutex);
  const auto real_call = [&] { return real.get()(mutex, until); };
  return lock == nullptr ? real_call() : lock_until(*lock, mutex, CLOCK_REALTIME, until, real_call);
}

SM_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) {
  static constinit real_function<int(pthread_mutex_t*, clockid_t, const timespec*)> real{
      "pthread_mutex_clocklock"};
  const lock_functions* const lock = lock_around(mutex);
  const auto real_call = [&] { return real.get()(mutex, clock, until); };
  const bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
  return lock == nullptr || !known ? real_call()
                                   : lock_until(*lock, mutex, clock, until, real_call);
}

/// The mutex first: who waits for the lock may destroy both as soon as it has it.
SM_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  const lock_functions* const lock = lock_around(mutex);
  // Not taken: by code that does not come here.
  const bool gives_back = lock != nullptr && lock->is_taken(words_of(mutex));
  const int result = real_unlock.get()(mutex);
  if (gives_back) lock->give_back(words_of(mutex));
  return result;
}

SM_EXPORT int pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  static constinit real_function<int(pthread_cond_t*, pthread_mutex_t*)> real{"pthread_cond_wait"};
  return wait_for_signal(mutex, [&] { return real.get()(cond, mutex); });
}

SM_EXPORT int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                                     const timespec* until) {
  static constinit real_function<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real{
      "pthread_cond_timedwait"};
  return wait_for_signal(mutex, [&] { return real.get()(cond, mutex, until); });
}

SM_EXPORT int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                                     const timespec* until) {
  static constinit real_function<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>
      real{"pthread_cond_clockwait"};
  return wait_for_signal(mutex, [&] { return real.get()(cond, mutex, clock, until); });
}

SM_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier,
                                   const pthread_barrierattr_t* attributes, unsigned size) {
  static constinit real_function<int(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned)>
      real{"pthread_barrier_init"};
  const int result = real.get()(barrier, attributes, size);
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) (void)::pthread_barrierattr_getpshared(attributes, &shared);
  if (result != 0) return result;
  if (what_is_swapped().barriers && shared == PTHREAD_PROCESS_PRIVATE)
    begin_spinning(barrier, size);
  else begin_sleeping(barrier);
  return 0;
}

SM_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  static constinit real_function<int(pthread_barrier_t*)> real{"pthread_barrier_wait"};
  if (wanted == swap_kind::barrier) count_call(is_spinning(barrier));
  return is_spinning(barrier) ? wait_spinning(barrier) : real.get()(barrier);
}

SM_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  static constinit real_function<int(pthread_barrier_t*)> real{"pthread_barrier_destroy"};
  if (is_spinning(barrier)) end_spinning(barrier);
  return real.get()(barrier);
}
