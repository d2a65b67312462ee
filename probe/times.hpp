// When the threads of a team reach the end of a region or a barrier, and when they leave it: the
// stamps of the second pass, and what becomes of them.
#pragma once

#include <cstdint>

#include "probe/count.hpp"

namespace syncmeter::probe {

/// Teams of more threads are counted, and not timed.
inline constexpr unsigned most_timed_threads = 256;

/// One thread's stamps of a region, in ns of the monotonic clock; read by others when all have met.
struct alignas(64) thread_stamps {
  std::uint64_t begin, end;
  std::uint64_t arrived[2];  ///< at timed barriers inside the region, in turn
};

/// Those of a team: kept by the thread that calls regions, one for each level of nesting.
struct team_stamps {
  team_stamps* outer;           ///< of the same thread, not in use
  std::uint64_t first_barrier;  ///< how many the thread's regions had before
  unsigned team;
  thread_stamps of[most_timed_threads];
};

/// A region on its way to the threads of the team: on the stack of the thread that called it, which
/// returns when all have left the region.
struct region_frame {
  std::uint64_t site;
  int* owner = nullptr;           ///< of the thread that called
  team_stamps* stamps = nullptr;  ///< where nothing is timed: none
  std::uint64_t called = 0;       ///< 0: this region is one of those left out
};

/// Around the call of the runtime, by the thread that calls.
class region_call {
 public:
  explicit region_call(region_frame& frame);
  region_call(const region_call&) = delete;
  region_call& operator=(const region_call&) = delete;
  ~region_call();

 private:
  region_frame& frame_;
};

/// Where a thread is: in whose region, as which thread of the team, and before which barrier.
struct region_part {
  team_stamps* stamps = nullptr;
  unsigned number = 0;
  std::uint64_t barriers = 0;
};

/// Around the region's body, in each thread of the team. The region is counted here, by the thread
/// that called: it alone knows its site, and here alone the size of the team is known.
class inside_region {
 public:
  explicit inside_region(region_frame& frame);
  inside_region(const inside_region&) = delete;
  inside_region& operator=(const inside_region&) = delete;
  ~inside_region();

 private:
  region_frame& frame_;
  region_part outer_;
};

/// Around a region that cannot be entered through a function of ours.
class unseen_region {
 public:
  unseen_region();
  unseen_region(const unseen_region&) = delete;
  unseen_region& operator=(const unseen_region&) = delete;
  ~unseen_region();

 private:
  region_part outer_;
};

/// Around a barrier inside a region.
class team_barrier {
 public:
  team_barrier(kind what, std::uint64_t site, unsigned team);
  team_barrier(const team_barrier&) = delete;
  team_barrier& operator=(const team_barrier&) = delete;
  ~team_barrier();

 private:
  std::uint64_t site_;
  team_stamps* stamps_ = nullptr;  // none: this barrier is not timed
  unsigned team_, number_ = 0, slot_ = 0;
};

/// A barrier of POSIX, by its address.
void note_barrier(const void* barrier, unsigned size);
class posix_barrier {
 public:
  posix_barrier(const void* barrier, std::uint64_t site);
  posix_barrier(const posix_barrier&) = delete;
  posix_barrier& operator=(const posix_barrier&) = delete;
  ~posix_barrier();

 private:
  std::uint64_t site_;
  std::uint64_t* last_ = nullptr;  // of those that meet; none: it is not timed
  std::uint64_t arrived_ = 0;
  unsigned size_ = 0;
};

/// What is timed of a call that is no barrier: all may wait, and some begin a section that ends
/// with the release of the lock.
enum class waiting { none, alone, of_section };
constexpr waiting waiting_of(kind what) {
  switch (what) {
  case kind::critical:
  case kind::omp_lock:
  case kind::mutex_lock:
  case kind::rwlock_read:
  case kind::rwlock_write:
  case kind::spin_lock:
    return waiting::of_section;
  case kind::ordered:
  case kind::chunk:
  case kind::cond_wait:
  case kind::sem_wait:
  case kind::taskwait:
  case kind::join:
    return waiting::alone;
  default:
    return waiting::none;
  }
}

/// The calls of this thread that may wait, of which one in so many is timed.
struct timed_waits {
  std::uint64_t until_next = 0;  ///< 0: not drawn yet
  unsigned locks_held = 0;       ///< since the timed section began; 0: in none
};
extern __thread timed_waits waits_of_thread;
[[nodiscard]] std::uint64_t begin_wait(kind what);
void end_wait(kind what, std::uint64_t site, unsigned row_team, std::uint64_t begun);
void end_section();

/// Around the call that takes a lock or waits: what comes after it delays the lock's release, so
/// that one look at the clock is all in between, and of few calls.
class lock_call {
 public:
  lock_call(kind what, std::uint64_t site, unsigned row_team)
      : what_(what), site_(site), row_team_(row_team) {
    if (timed_every().locks != 0) [[unlikely]]
      begun_ = begin_wait(what_);
  }
  lock_call(const lock_call&) = delete;
  lock_call& operator=(const lock_call&) = delete;
  ~lock_call() {
    if (begun_ != 0) [[unlikely]]
      end_wait(what_, site_, row_team_, begun_);
    // So that the call before is none by a jump.
    asm volatile("");
  }

 private:
  kind what_;
  std::uint64_t site_;
  unsigned row_team_;
  std::uint64_t begun_ = 0;  // 0: not timed
};

[[nodiscard]] std::uint64_t begin_fetch();
void end_fetch(std::uint64_t site, std::uint64_t begun);

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
  void fetched() {
    if (begun_ != 0) [[unlikely]]
      end_fetch(site_, begun_);
  }

 private:
  std::uint64_t site_;
  std::uint64_t begun_ = 0;  // 0: not timed
};

/// Around the call that releases a lock.
struct unlock_call {
  unlock_call() = default;
  unlock_call(const unlock_call&) = delete;
  unlock_call& operator=(const unlock_call&) = delete;
  ~unlock_call() {
    if (waits_of_thread.locks_held != 0 && --waits_of_thread.locks_held == 0) [[unlikely]]
      end_section();
    asm volatile("");
  }
};

}  // namespace syncmeter::probe
