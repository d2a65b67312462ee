#include "probe/swapped_barriers.hpp"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "probe/swapped_locks.hpp"

namespace syncmeter::probe {
namespace {

/// Outside of the barrier, whose memory may be gone while the last threads still look whether they
/// may go on. Rounds are never counted anew, so that a thread which comes late finds its own over.
struct barrier_place {
  alignas(128) std::uint32_t arrived;
  alignas(128) std::uint32_t round;
  std::uint32_t sleepers;
  std::uint32_t size, taken;
  bool is_crowded;  ///< more threads than processing units
};
constinit barrier_place places[1024] = {};

/// The C library uses 20 bytes of the 32.
struct barrier_words {
  unsigned char of_c_library[24];
  std::uint32_t place, mark;
};
static_assert(sizeof(barrier_words) == sizeof(pthread_barrier_t));
constexpr std::uint32_t spinning_mark = 0x5a11ba22;

barrier_words& words_of(pthread_barrier_t* barrier) {
  return *reinterpret_cast<barrier_words*>(barrier);
}
barrier_place& place_of(pthread_barrier_t* barrier) { return places[words_of(barrier).place]; }

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Whether it is over soon. The thread that is waited for may be behind this one on its processing
/// unit, so that it yields from time to time; where others take it instead, for long, it is time to
/// sleep: who is woken comes back sooner than who yields.
bool spins_until_over(const barrier_place& place, std::uint32_t round, bool crowded) {
  constexpr std::uint64_t longest_ns = 100'000;
  const unsigned looks = crowded ? 1 : 64;
  const std::uint64_t end_ns = now_ns() + longest_ns;
  do {
    spin_wait wait;
    for (unsigned i = 0; i < looks; ++i) {
      if (__atomic_load_n(&place.round, __ATOMIC_ACQUIRE) != round) return true;
      wait.pause();
    }
    ::syscall(SYS_sched_yield);
  } while (now_ns() < end_ns);
  return false;
}

/// Until the round is over, which its last thread says.
void sleep_until_over(barrier_place& place, std::uint32_t round) {
  __atomic_fetch_add(&place.sleepers, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&place.round, __ATOMIC_SEQ_CST) == round)
    ::syscall(SYS_futex, &place.round, FUTEX_WAIT_PRIVATE, round, nullptr, nullptr, 0);
  __atomic_fetch_sub(&place.sleepers, 1, __ATOMIC_SEQ_CST);
}

unsigned processing_units() {
  cpu_set_t allowed;
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0
             ? static_cast<unsigned>(CPU_COUNT(&allowed))
             : 0;
}

}  // namespace

void begin_spinning(pthread_barrier_t* barrier, unsigned size) {
  begin_sleeping(barrier);
  for (std::uint32_t i = 0; i < sizeof places / sizeof *places; ++i) {
    barrier_place& place = places[i];
    if (__atomic_exchange_n(&place.taken, 1, __ATOMIC_ACQUIRE) != 0) continue;
    place.size = size;
    place.is_crowded = size > processing_units();
    words_of(barrier).place = i;
    words_of(barrier).mark = spinning_mark;
    return;
  }
}

void begin_sleeping(pthread_barrier_t* barrier) { words_of(barrier).mark = 0; }

bool is_spinning(const pthread_barrier_t* barrier) {
  return reinterpret_cast<const barrier_words*>(barrier)->mark == spinning_mark;
}

int wait_spinning(pthread_barrier_t* barrier) {
  barrier_place& place = place_of(barrier);
  // It goes on when this thread has arrived, at the earliest.
  const std::uint32_t round = __atomic_load_n(&place.round, __ATOMIC_RELAXED);
  const bool crowded = place.is_crowded;
  if (__atomic_add_fetch(&place.arrived, 1, __ATOMIC_ACQ_REL) == place.size) {
    __atomic_store_n(&place.arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&place.round, round + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&place.sleepers, __ATOMIC_SEQ_CST) != 0)
      ::syscall(SYS_futex, &place.round, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  if (!spins_until_over(place, round, crowded)) sleep_until_over(place, round);
  return 0;
}

void end_spinning(pthread_barrier_t* barrier) {
  barrier_place& place = place_of(barrier);
  begin_sleeping(barrier);
  __atomic_store_n(&place.taken, 0, __ATOMIC_RELEASE);
}

}  // namespace syncmeter::probe
