// POSIX locks, one for each cell: made with the attributes of a kind, and acquired by the call in
// user programs.
#pragma once

#include <pthread.h>

#include "core/op.hpp"

#ifndef SM_LANES_ARE_PROCESSES
#define SM_LANES_ARE_PROCESSES false  // true in posix-shared (worker.cmake)
#endif

namespace syncmeter::posix {

/// Whether lanes are processes. All objects are then PTHREAD_PROCESS_SHARED.
inline constexpr bool lanes_are_processes = SM_LANES_ARE_PROCESSES;

enum class mutex_kind : std::uint8_t { normal, adaptive, error_checking, robust, inheriting };
enum class rwlock_kind : std::uint8_t { prefer_reader, prefer_writer };

// Throw std::runtime_error with the call's reason if the system lacks the kind.
void make(pthread_mutex_t& lock, mutex_kind kind);
void make(pthread_rwlock_t& lock, rwlock_kind kind);
void make(pthread_spinlock_t& lock);
void make(pthread_barrier_t& barrier, unsigned lanes);
void make(pthread_cond_t& condition);

/// A lock on separate lines, which prevents coupling by adjacent-line prefetch.
template <mutex_kind Kind> class alignas(128) mutex {
 public:
  mutex() { make(lock_, Kind); }
  ~mutex() { pthread_mutex_destroy(&lock_); }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  SM_FN void lock() { pthread_mutex_lock(&lock_); }
  SM_FN void unlock() { pthread_mutex_unlock(&lock_); }

 private:
  pthread_mutex_t lock_;
};

class alignas(128) spin_lock {
 public:
  spin_lock() { make(lock_); }
  ~spin_lock() { pthread_spin_destroy(&lock_); }
  spin_lock(const spin_lock&) = delete;
  spin_lock& operator=(const spin_lock&) = delete;

  SM_FN void lock() { pthread_spin_lock(&lock_); }
  SM_FN void unlock() { pthread_spin_unlock(&lock_); }

 private:
  pthread_spinlock_t lock_;
};

template <rwlock_kind Kind> class alignas(128) rwlock {
 public:
  rwlock() { make(lock_, Kind); }
  ~rwlock() { pthread_rwlock_destroy(&lock_); }
  rwlock(const rwlock&) = delete;
  rwlock& operator=(const rwlock&) = delete;

  SM_FN void lock() { pthread_rwlock_wrlock(&lock_); }
  SM_FN void lock_shared() { pthread_rwlock_rdlock(&lock_); }
  SM_FN void unlock() { pthread_rwlock_unlock(&lock_); }
  SM_FN void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
};

}  // namespace syncmeter::posix
