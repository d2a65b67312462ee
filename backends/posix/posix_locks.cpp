#include "backends/posix/posix_locks.hpp"

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace syncmeter::posix {
namespace {

constexpr int sharing = lanes_are_processes ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;

void require(int error, const char* call) {
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", call, std::strerror(error)));
}

int kind_of(mutex_kind kind) {
  if (kind == mutex_kind::adaptive) return PTHREAD_MUTEX_ADAPTIVE_NP;
  return kind == mutex_kind::error_checking ? PTHREAD_MUTEX_ERRORCHECK : PTHREAD_MUTEX_DEFAULT;
}

struct mutex_attributes {
  mutex_attributes() { require(pthread_mutexattr_init(&native), "pthread_mutexattr_init"); }
  ~mutex_attributes() { pthread_mutexattr_destroy(&native); }
  mutex_attributes(const mutex_attributes&) = delete;
  mutex_attributes& operator=(const mutex_attributes&) = delete;
  pthread_mutexattr_t native;
};

struct rwlock_attributes {
  rwlock_attributes() { require(pthread_rwlockattr_init(&native), "pthread_rwlockattr_init"); }
  ~rwlock_attributes() { pthread_rwlockattr_destroy(&native); }
  rwlock_attributes(const rwlock_attributes&) = delete;
  rwlock_attributes& operator=(const rwlock_attributes&) = delete;
  pthread_rwlockattr_t native;
};

}  // namespace

void make(pthread_mutex_t& lock, mutex_kind kind) {
  mutex_attributes how;
  require(pthread_mutexattr_setpshared(&how.native, sharing), "pthread_mutexattr_setpshared");
  require(pthread_mutexattr_settype(&how.native, kind_of(kind)), "pthread_mutexattr_settype");
  if (kind == mutex_kind::robust) {
    require(pthread_mutexattr_setrobust(&how.native, PTHREAD_MUTEX_ROBUST),
            "pthread_mutexattr_setrobust");
  }
  if (kind == mutex_kind::inheriting) {
    require(pthread_mutexattr_setprotocol(&how.native, PTHREAD_PRIO_INHERIT),
            "pthread_mutexattr_setprotocol");
  }
  require(pthread_mutex_init(&lock, &how.native), "pthread_mutex_init");
}

void make(pthread_rwlock_t& lock, rwlock_kind kind) {
  rwlock_attributes how;
  const int prefers = kind == rwlock_kind::prefer_writer
                          ? int{PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP}
                          : int{PTHREAD_RWLOCK_PREFER_READER_NP};
  require(pthread_rwlockattr_setpshared(&how.native, sharing), "pthread_rwlockattr_setpshared");
  require(pthread_rwlockattr_setkind_np(&how.native, prefers), "pthread_rwlockattr_setkind_np");
  require(pthread_rwlock_init(&lock, &how.native), "pthread_rwlock_init");
}

void make(pthread_spinlock_t& lock) {
  require(pthread_spin_init(&lock, sharing), "pthread_spin_init");
}

void make(pthread_barrier_t& barrier, unsigned lanes) {
  pthread_barrierattr_t how;
  require(pthread_barrierattr_init(&how), "pthread_barrierattr_init");
  pthread_barrierattr_setpshared(&how, sharing);
  const int error = pthread_barrier_init(&barrier, &how, lanes);
  pthread_barrierattr_destroy(&how);
  require(error, "pthread_barrier_init");
}

void make(pthread_cond_t& condition) {
  pthread_condattr_t how;
  require(pthread_condattr_init(&how), "pthread_condattr_init");
  pthread_condattr_setpshared(&how, sharing);
  const int error = pthread_cond_init(&condition, &how);
  pthread_condattr_destroy(&how);
  require(error, "pthread_cond_init");
}

}  // namespace syncmeter::posix
