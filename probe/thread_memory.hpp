// What a thread keeps beside its tables. In thread-local storage there would be no room for it
// where CUDA's driver loads the probe: for all libraries that are loaded into a running program,
// glibc has 1,664 bytes of it together.
#pragma once

#include "probe/callers.hpp"
#include "probe/kokkos.hpp"
#include "probe/times.hpp"
#include "probe/waits.hpp"

namespace syncmeter::probe {

struct thread_memory {
  known_place known[32];
  kept_frames<gomp_frame> of_gomp;
  kept_frames<kmpc_frame> of_kmpc;
  timed_sections timed;
  kokkos_calls kokkos;
  thread_memory* next;  ///< that a thread has left, too
};

extern __thread thread_memory* own_memory;
[[nodiscard]] thread_memory* take_memory();
/// Of the calling thread, from its first call on; what threads have left is used again. nullptr
/// where there is none. May be called from a signal handler.
[[nodiscard]] inline thread_memory* memory_of_thread() {
  return own_memory != nullptr ? own_memory : take_memory();
}

}  // namespace syncmeter::probe
