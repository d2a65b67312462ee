#include "backends/posix/posix_channels.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "backends/posix/posix_locks.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter::posix {
namespace {

[[noreturn]] void refuse(const char* call) {
  throw std::runtime_error(fmt::format("{}: {}", call, std::strerror(errno)));
}

bool has_come(word& box, word token) {
  return std::atomic_ref{box}.load(std::memory_order_acquire) == token;
}
void put(word& box, word token) { std::atomic_ref{box}.store(token, std::memory_order_release); }

/// Waits for `token`, with `between` after each unsuccessful read.
template <class Between> word wait_awake(word& box, word token, Between between) {
  while (!has_come(box, token)) between();
  return token;
}

// Returns the low 32 bits, because a futex has 32 bits and successive tokens differ there.
std::uint32_t* changing_half(word& box) {
  return reinterpret_cast<std::uint32_t*>(&box) + (std::endian::native == std::endian::big ? 1 : 0);
}

constexpr int whose = lanes_are_processes ? 0 : FUTEX_PRIVATE_FLAG;

// A pipe or eventfd transfers 8 bytes at once or not at all, so only interruptions need a retry.
bool interrupted(ssize_t done) { return done < 0 && errno == EINTR; }
word read_word(int fd) {
  word got = ~word{0};
  while (interrupted(::read(fd, &got, sizeof got))) {
  }
  return got;
}
void write_word(int fd, word value) {
  while (interrupted(::write(fd, &value, sizeof value))) {
  }
}

}  // namespace

word spinning::receive(word& box, word token) {
  return wait_awake(box, token, [] {});
}
void awake::send(word& box, word token) { put(box, token); }

word pausing::receive(word& box, word token) { return wait_awake(box, token, &spin_pause); }

word backing_off::receive(word& box, word token) {
  unsigned pauses = 1;
  return wait_awake(box, token, [&] {
    for (unsigned i = 0; i < pauses; ++i) spin_pause();
    pauses = std::min(2 * pauses, 1024U);
  });
}

word yielding::receive(word& box, word token) { return wait_awake(box, token, &::sched_yield); }

word futex_wait::receive(word& box, word token) {
  for (;;) {
    const word found = std::atomic_ref{box}.load(std::memory_order_acquire);
    if (found == token) return found;
    // The call returns at once if the word has changed.
    ::syscall(SYS_futex, changing_half(box), FUTEX_WAIT | whose, static_cast<std::uint32_t>(found),
              nullptr, nullptr, 0);
  }
}
void futex_wait::send(word& box, word token) {
  put(box, token);
  ::syscall(SYS_futex, changing_half(box), FUTEX_WAKE | whose, 1, nullptr, nullptr, 0);
}

condition::condition() {
  make(mutex_, mutex_kind::normal);
  make(came_);
}
condition::~condition() {
  pthread_cond_destroy(&came_);
  pthread_mutex_destroy(&mutex_);
}
word condition::receive(word& box, word token) {
  pthread_mutex_lock(&mutex_);
  while (box != token) pthread_cond_wait(&came_, &mutex_);
  const word came = box;
  pthread_mutex_unlock(&mutex_);
  return came;
}
void condition::send(word& box, word token) {
  pthread_mutex_lock(&mutex_);
  box = token;
  pthread_mutex_unlock(&mutex_);
  pthread_cond_signal(&came_);
}

semaphore::semaphore() {
  if (::sem_init(&count_, lanes_are_processes ? 1 : 0, 0) != 0) refuse("sem_init");
}
semaphore::~semaphore() { ::sem_destroy(&count_); }
word semaphore::receive(word& box, word) {
  while (::sem_wait(&count_) != 0 && errno == EINTR) {
  }
  return std::atomic_ref{box}.load(std::memory_order_relaxed);
}
void semaphore::send(word& box, word token) {
  std::atomic_ref{box}.store(token, std::memory_order_relaxed);
  ::sem_post(&count_);
}

event::event() : fd_{::eventfd(0, EFD_CLOEXEC)} {
  if (fd_ < 0) refuse("eventfd");
}
event::~event() { ::close(fd_); }
word event::receive(word& box, word) {
  (void)read_word(fd_);
  return std::atomic_ref{box}.load(std::memory_order_acquire);
}
void event::send(word& box, word token) {
  put(box, token);
  write_word(fd_, 1);
}

pipe_end::pipe_end() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) refuse("pipe");
  from_ = ends[0];
  to_ = ends[1];
}
pipe_end::~pipe_end() {
  ::close(from_);
  ::close(to_);
}
word pipe_end::receive(word&, word) { return read_word(from_); }
void pipe_end::send(word&, word token) { write_word(to_, token); }

}  // namespace syncmeter::posix
