// Channels (core/host/channel_ring.hpp): ways of POSIX threads to wait for each other, asleep or
// awake. Each channel holds the shared state besides the receiver's word.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <cstdint>

namespace syncmeter::posix {

using word = std::uint64_t;

// Awake: repeated loads, with a different step between loads.
struct awake {
  void send(word& box, word token);
};
struct spinning : awake {  // no step
  word receive(word& box, word token);
};
struct pausing : awake {  // the core's spin-loop instruction
  word receive(word& box, word token);
};
struct backing_off : awake {  // 1, 2, 4, ... 1024 pauses
  word receive(word& box, word token);
};
struct yielding : awake {  // sched_yield
  word receive(word& box, word token);
};

// Asleep. Constructors throw std::runtime_error with the call's reason.
struct futex_wait {  // futex(2) on the word, with a wake for every token
  word receive(word& box, word token);
  void send(word& box, word token);
};

class condition {  // pthread_cond_wait with a mutex, pthread_cond_signal
 public:
  condition();
  ~condition();
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;
  word receive(word& box, word token);
  void send(word& box, word token);

 private:
  pthread_mutex_t mutex_;
  pthread_cond_t came_;
};

class semaphore {  // sem_wait, sem_post
 public:
  semaphore();
  ~semaphore();
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  word receive(word& box, word token);
  void send(word& box, word token);

 private:
  sem_t count_;
};

class event {  // read and write of an eventfd
 public:
  event();
  ~event();
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  word receive(word& box, word token);
  void send(word& box, word token);

 private:
  int fd_;
};

class pipe_end {  // read and write of the token
 public:
  pipe_end();
  ~pipe_end();
  pipe_end(const pipe_end&) = delete;
  pipe_end& operator=(const pipe_end&) = delete;
  word receive(word& box, word token);
  void send(word& box, word token);

 private:
  int from_, to_;
};

}  // namespace syncmeter::posix
