#include "core/host/process_board.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include "core/host/gate.hpp"

namespace syncmeter {

void shared_word::wake_all() {
  ::syscall(SYS_futex, &word_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void shared_word::wait_while(std::uint32_t old, unsigned spins, void (*between_looks)()) {
  constexpr timespec for_now{.tv_sec = 0, .tv_nsec = 1'000'000};
  const timespec* const limit = between_looks != nullptr ? &for_now : nullptr;
  for (unsigned spin = 0; load() == old; ++spin) {
    if (between_looks != nullptr) between_looks();
    if (spin < spins) spin_pause();
    else ::syscall(SYS_futex, &word_, FUTEX_WAIT, old, limit, nullptr, 0);
  }
}

void process_board::begin(unsigned others, lane_body next, bench* on) {
  body = next;
  rig = on;
  problem.fill('\0');
  running.store(others);
  regions.add(1);
  regions.wake_all();
}

void process_board::throw_problem() const {
  if (problem.front() != '\0') throw std::runtime_error(problem.data());
}

bool process_board::next_region(std::uint32_t past, unsigned spins) {
  regions.wait_while(past, spins);
  return body != nullptr;
}

void process_board::run_body(unsigned lane) {
  try {
    body(*rig, lane);
  } catch (const std::exception& e) {
    std::strncpy(problem.data(), e.what(), problem.size() - 1);
  }
}

void process_board::end_region() {
  if (running.add(-1U) == 1) running.wake_all();
}

}  // namespace syncmeter
