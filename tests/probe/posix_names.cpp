// Calls each function of the C library that the probe wraps, a number of times of its own, each
// from a function named after it; prints "NAME CALLS" for each, as counted here.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

// As programs that were linked before glibc 2.34 call it.
extern "C" int older_yield();
#if defined(__x86_64__)
asm(".symver older_yield, pthread_yield@GLIBC_2.2.5");
#else
asm(".symver older_yield, pthread_yield@GLIBC_2.17");
#endif

namespace {

int calls = 100;  // of the next name: all differ

timespec soon(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  at.tv_sec += 100;
  return at;
}
timespec past() { return {1, 0}; }
void* nothing(void*) { return nullptr; }
int nothing_c(void*) { return 0; }

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
pthread_barrier_t barrier;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
mtx_t mtx;
cnd_t cnd;
sem_t sem;
pthread_t thread;
thrd_t thrd;

// The call is never the last act of its function: a jump would return elsewhere.
#define CALL(name, before, call, after)                                                            \
  [[gnu::noinline]] void call_##name() {                                                           \
    ++calls;                                                                                       \
    std::printf(#name " %d\n", calls);                                                             \
    for (int i = 0; i < calls; ++i) {                                                              \
      before;                                                                                      \
      call;                                                                                        \
      after;                                                                                       \
    }                                                                                              \
    asm volatile("");                                                                              \
  }
#define TAKEN(name, ...) CALL(name, , (void)name(__VA_ARGS__), pthread_mutex_unlock(&mutex))
#define READ(name, ...) CALL(name, , (void)name(__VA_ARGS__), pthread_rwlock_unlock(&rwlock))

const timespec mono = soon(CLOCK_MONOTONIC), real = soon(CLOCK_REALTIME), gone = past();

TAKEN(pthread_mutex_lock, &mutex)
TAKEN(pthread_mutex_trylock, &mutex)
TAKEN(pthread_mutex_timedlock, &mutex, &real)
TAKEN(pthread_mutex_clocklock, &mutex, CLOCK_MONOTONIC, &mono)
CALL(mtx_lock, , mtx_lock(&mtx), mtx_unlock(&mtx))
CALL(mtx_trylock, , mtx_trylock(&mtx), mtx_unlock(&mtx))
CALL(mtx_timedlock, , mtx_timedlock(&mtx, &real), mtx_unlock(&mtx))
READ(pthread_rwlock_rdlock, &rwlock)
READ(pthread_rwlock_tryrdlock, &rwlock)
READ(pthread_rwlock_timedrdlock, &rwlock, &real)
READ(pthread_rwlock_clockrdlock, &rwlock, CLOCK_MONOTONIC, &mono)
READ(pthread_rwlock_wrlock, &rwlock)
READ(pthread_rwlock_trywrlock, &rwlock)
READ(pthread_rwlock_timedwrlock, &rwlock, &real)
READ(pthread_rwlock_clockwrlock, &rwlock, CLOCK_MONOTONIC, &mono)
CALL(pthread_spin_lock, , pthread_spin_lock(&spin), pthread_spin_unlock(&spin))
CALL(pthread_spin_trylock, , pthread_spin_trylock(&spin), pthread_spin_unlock(&spin))
CALL(pthread_barrier_wait, , pthread_barrier_wait(&barrier), )
CALL(pthread_cond_signal, , pthread_cond_signal(&cond), )
CALL(pthread_cond_broadcast, , pthread_cond_broadcast(&cond), )
CALL(pthread_cond_timedwait, , pthread_cond_timedwait(&cond, &mutex, &gone), )
CALL(pthread_cond_clockwait, , pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &gone), )
CALL(cnd_signal, , cnd_signal(&cnd), )
CALL(cnd_broadcast, , cnd_broadcast(&cnd), )
CALL(cnd_timedwait, , cnd_timedwait(&cnd, &mtx, &gone), )
CALL(sem_post, , sem_post(&sem), )
CALL(sem_wait, sem_post(&sem), sem_wait(&sem), )
CALL(sem_trywait, , sem_trywait(&sem), )
CALL(sem_timedwait, , sem_timedwait(&sem, &real), )
CALL(sem_clockwait, , sem_clockwait(&sem, CLOCK_MONOTONIC, &mono), )
CALL(syscall, , syscall(SYS_futex, &calls, FUTEX_WAKE, 1, nullptr, nullptr, 0), )
CALL(sched_yield, , sched_yield(), )
CALL(thrd_yield, , thrd_yield(), )
CALL(pthread_yield, , older_yield(), )
CALL(pthread_create, , pthread_create(&thread, nullptr, nothing, nullptr), pthread_detach(thread))
CALL(thrd_create, , thrd_create(&thrd, nothing_c, nullptr), thrd_detach(thrd))

int turn = 0;
int waits = 0;
/// Counts its own calls: nobody knows how often a wait returns.
[[gnu::noinline]] void call_pthread_cond_wait() {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 50; ++i) {
    turn = 1;
    pthread_cond_broadcast(&cond);
    while (turn == 1) {
      ++waits;
      pthread_cond_wait(&cond, &mutex);
    }
  }
  pthread_mutex_unlock(&mutex);
  std::printf("pthread_cond_wait %d\n", waits);
}
void* answer_wait(void*) {
  pthread_mutex_lock(&mutex);
  for (int left = 50; left > 0; --left) {
    while (turn == 0) {
      timespec until = soon(CLOCK_REALTIME);
      pthread_cond_timedwait(&cond, &mutex, &until);
    }
    turn = 0;
    pthread_cond_broadcast(&cond);
  }
  pthread_mutex_unlock(&mutex);
  return nullptr;
}
[[gnu::noinline]] void call_cnd_wait() {
  int times = 0;
  mtx_lock(&mtx);
  while (turn < 50) {
    ++times;
    cnd_wait(&cnd, &mtx);
  }
  mtx_unlock(&mtx);
  std::printf("cnd_wait %d\n", times);
}
int answer_cnd(void*) {
  for (int i = 0; i < 50; ++i) {
    mtx_lock(&mtx);
    ++turn;
    cnd_signal(&cnd);
    mtx_unlock(&mtx);
  }
  return 0;
}

#define JOIN(name, ...)                                                                            \
  CALL(name, pthread_create(&thread, nullptr, nothing, nullptr), (void)name(__VA_ARGS__), )
JOIN(pthread_join, thread, nullptr)
JOIN(pthread_timedjoin_np, thread, nullptr, &real)
JOIN(pthread_clockjoin_np, thread, nullptr, CLOCK_MONOTONIC, &mono)
CALL(thrd_join, thrd_create(&thrd, nothing_c, nullptr), thrd_join(thrd, nullptr), )
[[gnu::noinline]] void call_pthread_tryjoin_np() {
  std::printf("pthread_tryjoin_np 20\n");
  for (int i = 0; i < 20; ++i) {
    pthread_create(&thread, nullptr, nothing, nullptr);
    while (pthread_tryjoin_np(thread, nullptr) != 0) usleep(10);
  }
}

}  // namespace

int main() {
  pthread_spin_init(&spin, 0);
  pthread_barrier_init(&barrier, nullptr, 1);
  sem_init(&sem, 0, 100000);
  mtx_init(&mtx, mtx_timed);
  cnd_init(&cnd);
  call_pthread_mutex_lock();
  call_pthread_mutex_trylock();
  call_pthread_mutex_timedlock();
  call_pthread_mutex_clocklock();
  call_mtx_lock();
  call_mtx_trylock();
  call_mtx_timedlock();
  call_pthread_rwlock_rdlock();
  call_pthread_rwlock_tryrdlock();
  call_pthread_rwlock_timedrdlock();
  call_pthread_rwlock_clockrdlock();
  call_pthread_rwlock_wrlock();
  call_pthread_rwlock_trywrlock();
  call_pthread_rwlock_timedwrlock();
  call_pthread_rwlock_clockwrlock();
  call_pthread_spin_lock();
  call_pthread_spin_trylock();
  call_pthread_barrier_wait();
  call_pthread_cond_signal();
  call_pthread_cond_broadcast();
  pthread_mutex_lock(&mutex);
  call_pthread_cond_timedwait();
  call_pthread_cond_clockwait();
  pthread_mutex_unlock(&mutex);
  call_cnd_signal();
  call_cnd_broadcast();
  mtx_lock(&mtx);
  call_cnd_timedwait();
  mtx_unlock(&mtx);
  call_sem_post();
  call_sem_wait();
  call_sem_trywait();
  call_sem_timedwait();
  call_sem_clockwait();
  call_syscall();
  call_sched_yield();
  call_thrd_yield();
  call_pthread_yield();
  call_pthread_create();
  call_thrd_create();
  pthread_t other;
  pthread_create(&other, nullptr, answer_wait, nullptr);
  call_pthread_cond_wait();
  pthread_join(other, nullptr);
  thrd_t other_c;
  turn = 0;
  mtx_lock(&mtx);
  thrd_create(&other_c, answer_cnd, nullptr);
  mtx_unlock(&mtx);
  call_cnd_wait();
  thrd_join(other_c, nullptr);
  call_pthread_join();
  call_pthread_timedjoin_np();
  call_pthread_clockjoin_np();
  call_thrd_join();
  call_pthread_tryjoin_np();
}
