// A barrier that spins for a while before it sleeps, beside the one of the C library in the same
// pthread_barrier_t: which of both it is stands in bytes that the C library does not use.
#pragma once

#include <pthread.h>

namespace syncmeter::probe {

/// Makes a barrier that spins of one that the C library has made; nothing where all places for them
/// are taken.
void begin_spinning(pthread_barrier_t* barrier, unsigned size);
/// The barrier is the C library's, whatever its memory held before.
void begin_sleeping(pthread_barrier_t* barrier);
[[nodiscard]] bool is_spinning(const pthread_barrier_t* barrier);
/// As pthread_barrier_wait has it.
[[nodiscard]] int wait_spinning(pthread_barrier_t* barrier);
void end_spinning(pthread_barrier_t* barrier);

}  // namespace syncmeter::probe
