// Preloaded into a worker: a reader-writer lock, and std::shared_mutex with it, locks nothing.
#include <pthread.h>

extern "C" {
int pthread_rwlock_wrlock(pthread_rwlock_t*) noexcept { return 0; }
int pthread_rwlock_rdlock(pthread_rwlock_t*) noexcept { return 0; }
int pthread_rwlock_unlock(pthread_rwlock_t*) noexcept { return 0; }
}
