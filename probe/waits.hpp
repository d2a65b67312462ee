// Waits for locks and signals, of which one in so many is timed: until a thread has what it waits
// for, and until it gives it back.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "probe/count.hpp"
#include "probe/objects.hpp"

namespace syncmeter::probe {

enum class waiting { none, of_section, calls, launch, gpu, work, idle };
constexpr waiting waiting_of(kind what) {
  switch (what) {
#define SM_KIND(name, waits, lock)                                                                 \
  case kind::name:                                                                                 \
    return waiting::waits;
#include "record/site_kinds.def"
  }
  return waiting::none;
}

/// The calls of this thread that may wait.
struct timed_waits {
  std::uint64_t until_next = 0;  ///< 0: not drawn yet
  unsigned locks_held = 0;       ///< how often it has that of its timed section; 0: it is in none
  unsigned follows_wait = 0;     ///< 1: a timed wait for a signal, until the next wait

  [[nodiscard]] bool follows_releases() const { return (locks_held | follows_wait) != 0; }
};
extern __thread timed_waits waits_of_thread;

/// A call and what it began, in ns of the clock.
struct timed_section {
  kind what{};
  unsigned team = 0;
  std::uint64_t site = 0, object = 0;
  std::uint64_t condition = 0;   ///< of a wait for a signal: its number, which its row has
  std::uint64_t begun = 0;       ///< 0: not timed
  std::uint64_t returned = 0;    ///< of a wait for a signal, with the lock taken again
  std::uint64_t gives_back = 0;  ///< the call that releases the lock
  std::uint64_t next_fetch = 0;  ///< chunk: the call for the next chunk
  std::uint64_t signalled = 0;   ///< the last signal before it returned; 0: none
  bool is_in_vain = false;  ///< a wait for a signal, behind which the thread waits for the next
};

/// What a thread does with locks behind a timed wait for a signal, whose lock it has given back.
/// std::condition_variable_any has a lock of its own: the caller's is given back under it before a
/// wait, and taken again when it is given back behind the wait.
struct woken_thread {
  enum class lock_of_wait : std::uint8_t { given_back, taken, taken_as_outer_is_given_back };
  std::uint64_t site, condition, lock;
  std::uint64_t outer;  ///< the lock that is given back under that of the wait
  lock_of_wait state;
  unsigned releases;  ///< of any lock since
  bool is_signalled;
  bool has_done_more;  ///< than to take locks and wait again
};

/// What is timed of a thread, and what it held before it began to wait for a signal.
struct timed_sections {
  timed_section section, before_wait, chunk;
  woken_thread woken;
};

[[nodiscard]] std::uint64_t begin_wait(kind what, std::uint64_t object);
void end_wait(const timed_section& section);
/// Of a call that never waits, where others of its kind do: it is drawn as they are and takes no
/// time, so that the mean of a site that has both is that of all its calls; the median is of those
/// that wait.
void pass_wait(kind what, std::uint64_t site);
/// Of a call that was not to be timed, and has not got its lock.
void take_back_wait(kind what, std::uint64_t object);
/// Whether the release of this lock ends the timed section; then it ends now.
[[nodiscard]] bool leaves_section(const void* lock);
void end_section();

/// Around the call that takes a lock or waits: what comes after it delays the lock's release, so
/// that a look at the clock behind the one and before the other is all in between, and of few
/// calls. One behind the release alone would not do: whoever wakes another thread may lose its
/// processor to it there.
class lock_call {
 public:
  lock_call(kind what, std::uint64_t site, unsigned row_team, std::uint64_t object)
      : what_(what), site_(site), row_team_(row_team), object_(object) {
    if (timed_every().locks != 0) [[unlikely]]
      begun_ = begin_wait(what_, object_);
  }
  lock_call(const lock_call&) = delete;
  lock_call& operator=(const lock_call&) = delete;
  ~lock_call() {
    if (begun_ != 0) [[unlikely]]
      end_wait(
          {.what = what_, .team = row_team_, .site = site_, .object = object_, .begun = begun_});
    // So that the call before is none by a jump.
    asm volatile("");
  }

 private:
  kind what_;
  std::uint64_t site_;
  unsigned row_team_;
  std::uint64_t object_;
  std::uint64_t begun_ = 0;  // 0: not timed
};

[[nodiscard]] std::uint64_t begin_fetch();
void end_fetch(std::uint64_t site, std::uint64_t object, std::uint64_t begun);

/// Around the call that fetches a chunk of a loop. The chunk's time ends with the next such call of
/// its thread: there is one more than there are chunks.
class chunk_call {
 public:
  explicit chunk_call(std::uint64_t site) : site_(site) {
    if (timed_every().locks != 0) [[unlikely]]
      begun_ = begin_fetch();
  }
  chunk_call(const chunk_call&) = delete;
  chunk_call& operator=(const chunk_call&) = delete;
  /// The call has brought a chunk.
  void fetched(std::uint64_t object) {
    if (begun_ != 0) [[unlikely]]
      end_fetch(site_, object, begun_);
  }

 private:
  std::uint64_t site_;
  std::uint64_t begun_ = 0;  // 0: not timed
};

/// Around the call that releases a lock.
class unlock_call {
 public:
  explicit unlock_call(const void* lock) : lock_(lock) {
    if (waits_of_thread.follows_releases()) [[unlikely]]
      ends_ = leaves_section(lock);
  }
  unlock_call(const unlock_call&) = delete;
  unlock_call& operator=(const unlock_call&) = delete;
  ~unlock_call() {
    if (ends_) [[unlikely]]
      end_section();
    if (follows_owners) [[unlikely]]
      follow_release(lock_);
    asm volatile("");
  }

 private:
  const void* lock_;
  bool ends_ = false;
};

/// A condition on which a timed thread waits or has waited.
struct alignas(64) known_condition {
  std::uint64_t address;
  std::uint64_t waiters;      ///< that are timed
  std::uint64_t last_signal;  ///< while there was one
  const pthread_mutex_t* lock;
};

/// Around a wait for a signal: it releases its lock, and takes it again before it returns.
class condition_wait {
 public:
  condition_wait(const void* condition, const void* lock, call_frame wrapper);
  condition_wait(const condition_wait&) = delete;
  condition_wait& operator=(const condition_wait&) = delete;
  ~condition_wait();
  /// What the call returned: without a signal an error, as that the time is over.
  void end(int error) { has_ended_itself_ = error != 0; }

 private:
  std::uint64_t object_, condition_, site_;
  known_condition* place_ = nullptr;  // none: not timed
  std::uint64_t begun_ = 0;
  bool has_ended_itself_ = false;
};
/// Before the signal, which may be of C11: its locks are those of POSIX.
void note_signal(const void* condition, std::uint64_t site, bool to_all);

}  // namespace syncmeter::probe
