#include "probe/waits.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "probe/thread_memory.hpp"
#include "probe/times.hpp"

namespace syncmeter::probe {

__thread timed_waits waits_of_thread;

namespace {

__thread std::uint64_t drawn = 0;
constinit known_condition conditions[1024] = {};

/// nullptr: no memory for them, and nothing is timed.
timed_sections* sections_of_thread() {
  thread_memory* const memory = memory_of_thread();
  return memory == nullptr ? nullptr : &memory->timed;
}

/// How many calls from now the next one is timed: at random, as a fixed number may be that of a
/// loop.
std::uint64_t draw(std::uint64_t every) {
  if (drawn == 0) drawn = reinterpret_cast<std::uint64_t>(&drawn) | 1U;
  drawn ^= drawn << 13U;
  drawn ^= drawn >> 7U;
  drawn ^= drawn << 17U;
  return every == 1 ? 1 : 1 + drawn % (2 * every - 1);
}

/// Of a wait, which may end without a signal, at its time or for no reason.
bool is_signalled(const timed_section& of) {
  return of.signalled > of.begun && of.signalled < of.returned;
}

void write_down(const timed_section& of) {
  times_block* const times = of.begun == 0
                                 ? nullptr
                                 : times_of(of.what, of.site, of.team, 0, timed_every().locks,
                                            of.what == kind::cond_wait ? of.condition : of.object);
  if (times == nullptr) return;
  ++times->timed;
  if (of.what != kind::cond_wait) {
    add_to(times->call, since(of.begun, of.returned));
    if (of.what == kind::chunk) add_to(times->work, since(of.returned, of.next_fetch));
    else if (of.gives_back != 0) add_to(times->held, since(of.returned, of.gives_back));
    return;
  }
  const std::uint64_t last = is_signalled(of) ? of.signalled : of.returned;
  if (of.is_in_vain) ++times->in_vain;
  add_to(times->until_signal, since(of.begun, last));
  add_to(times->after_signal, since(last, of.returned));
  add_to(times->held, since(of.returned, of.gives_back));
}

/// Whether a call is for the lock of the timed section, in which this thread is.
bool is_of_section(kind what, std::uint64_t object) {
  const timed_sections* const own = sections_of_thread();
  return waiting_of(what) == waiting::of_section && own != nullptr && object == own->section.object;
}

using lock_of_wait = woken_thread::lock_of_wait;

void follow_woken(const timed_section& of, timed_sections& own) {
  own.woken = {.site = of.site,
               .condition = of.condition,
               .lock = of.object,
               .outer = 0,
               .state = lock_of_wait::given_back,
               .releases = 0,
               .is_signalled = is_signalled(of),
               .has_done_more = false};
  waits_of_thread.follows_wait = 1;
}

/// Who gives back many locks is not followed to the next wait: it does not wait often, and may
/// never wait again.
void note_release(std::uint64_t lock, woken_thread& by) {
  constexpr unsigned most_releases = 64;
  if (++by.releases > most_releases) waits_of_thread.follows_wait = 0;
  const bool is_outer = by.state == lock_of_wait::taken && lock != by.lock;
  by.has_done_more |= !is_outer;
  if (is_outer) by.outer = lock;
  if (is_outer) by.state = lock_of_wait::taken_as_outer_is_given_back;
  else if (lock == by.lock) by.state = lock_of_wait::given_back;
}

/// The thread waits for this condition: for that of its wait before, as it may be.
void end_woken(std::uint64_t condition) {
  waits_of_thread.follows_wait = 0;
  const timed_sections* const own = sections_of_thread();
  if (own == nullptr) return;
  const woken_thread& woken = own->woken;
  if (condition != woken.condition || woken.state != lock_of_wait::taken_as_outer_is_given_back)
    return;
  times_block* const times =
      times_of(kind::cond_wait, woken.site, 0, 0, timed_every().locks, condition);
  if (times == nullptr) return;
  ++times->with_own_lock;
  if (woken.is_signalled && !woken.has_done_more) ++times->in_vain;
  note_outer_lock(condition, woken.outer);
}

}  // namespace

std::uint64_t begin_wait(kind what, std::uint64_t object) {
  timed_waits& waits = waits_of_thread;
  if (waits.follows_wait != 0) [[unlikely]] {
    // At the end of a thread it may have none any more.
    timed_sections* const own = sections_of_thread();
    if (own != nullptr && waiting_of(what) == waiting::of_section && object == own->woken.lock)
      own->woken.state = lock_of_wait::taken;
  }
  if (waits.locks_held != 0) {
    // Inside the timed section, which ends with its own lock: a thread may have that several times,
    // and give others back before it or after.
    if (is_of_section(what, object)) ++waits.locks_held;
    return 0;
  }
  if (waits.until_next == 0) waits.until_next = draw(timed_every().locks);
  if (--waits.until_next != 0) return 0;
  waits.until_next = draw(timed_every().locks);
  if (sections_of_thread() == nullptr) return 0;
  const std::uint64_t begun = now();
  follow_owners_at(begun);
  return begun;
}

void end_wait(const timed_section& begun) {
  const std::uint64_t returned = now();
  timed_section ended = begun;
  ended.returned = returned;
  // What is no section may end inside one, as a kernel of Kokkos does.
  if (waiting_of(begun.what) != waiting::of_section) return write_down(ended);
  sections_of_thread()->section = ended;
  waits_of_thread.locks_held = 1;
}

void pass_wait(kind what, std::uint64_t site) {
  if (begin_wait(what, 0) == 0) return;
  if (times_block* const times = times_of(what, site, 0, 0, timed_every().locks)) ++times->timed;
}

void take_back_wait(kind what, std::uint64_t object) {
  if (waits_of_thread.locks_held != 0 && is_of_section(what, object)) --waits_of_thread.locks_held;
}

bool leaves_section(const void* lock) {
  timed_waits& waits = waits_of_thread;
  timed_sections* const own = sections_of_thread();
  if (own == nullptr) return false;
  const std::uint64_t object = number_of_lock(lock);
  if (waits.follows_wait != 0) note_release(object, own->woken);
  if (waits.locks_held == 0 || object != own->section.object || --waits.locks_held != 0)
    return false;
  if (own->section.begun != 0) own->section.gives_back = now();
  return true;
}

/// All that is written down comes after the release, but for the section before a wait that ended
/// in vain, for which the next wait makes room while the lock is held.
void end_section() {
  timed_sections& own = *sections_of_thread();
  write_down(own.before_wait);
  own.before_wait.begun = 0;
  write_down(own.section);
  if (own.section.what == kind::cond_wait && own.section.begun != 0) follow_woken(own.section, own);
}

std::uint64_t begin_fetch() {
  timed_sections* const own = sections_of_thread();
  if (own != nullptr && own->chunk.begun != 0) {
    own->chunk.next_fetch = now();
    write_down(own->chunk);
    own->chunk.begun = 0;
  }
  return begin_wait(kind::chunk, 0);
}

void end_fetch(std::uint64_t site, std::uint64_t object, std::uint64_t begun) {
  sections_of_thread()->chunk = {
      .what = kind::chunk, .site = site, .object = object, .begun = begun, .returned = now()};
}

condition_wait::condition_wait(const void* condition, const void* lock, call_frame wrapper)
    : object_(number_of_lock(lock)), condition_(number_of_condition(condition, object_)),
      site_(count_call(kind::cond_wait, wrapper, true, condition_)) {
  if (timed_every().locks == 0) return;
  timed_waits& waits = waits_of_thread;
  if (waits.follows_wait != 0) end_woken(condition_);
  // The lock is given back here: what was timed of it ends.
  timed_sections* const own = waits.locks_held == 0 ? nullptr : sections_of_thread();
  if (own != nullptr && own->section.object == object_) {
    timed_section& section = own->section;
    if (section.begun != 0) section.gives_back = now();
    // Woken, and with the lock since: there was nothing for this thread.
    section.is_in_vain = section.begun != 0 && section.what == kind::cond_wait &&
                         section.condition == condition_ && is_signalled(section);
    write_down(own->before_wait);
    own->before_wait = section;
    waits.locks_held = 0;
    section.begun = 0;
  }
  begun_ = begin_wait(kind::cond_wait, object_);
  place_ = begun_ == 0 ? nullptr : place_of(conditions, condition, true);
  if (place_ != nullptr) {
    place_->lock = static_cast<const pthread_mutex_t*>(lock);
    __atomic_fetch_add(&place_->waiters, 1, __ATOMIC_RELEASE);
  }
  if (follows_owners) follow_release(lock);
}

condition_wait::~condition_wait() {
  if (place_ != nullptr) {
    // Those that came may have woken others.
    const std::uint64_t last_signal =
        has_ended_itself_ ? 0 : __atomic_load_n(&place_->last_signal, __ATOMIC_ACQUIRE);
    end_wait({.what = kind::cond_wait,
              .site = site_,
              .object = object_,
              .condition = condition_,
              .begun = begun_,
              .signalled = last_signal});
    __atomic_fetch_sub(&place_->waiters, 1, __ATOMIC_RELAXED);
  }
  if (own_memory != nullptr && own_memory->timed.before_wait.begun != 0)
    waits_of_thread.locks_held = 1;
}

void note_signal(const void* condition, std::uint64_t site, bool to_all) {
  if (timed_every().locks == 0) return;
  known_condition* const place = place_of(conditions, condition, false);
  if (place == nullptr || __atomic_load_n(&place->waiters, __ATOMIC_ACQUIRE) == 0) return;
  const int owner = __atomic_load_n(&place->lock->__data.__owner, __ATOMIC_RELAXED);
  __atomic_store_n(&place->last_signal, now(), __ATOMIC_RELEASE);
  // A row of its own, in which nothing is counted.
  const std::uint64_t number = number_of_lock(condition);
  count(kind::signal, site, 0, 0, number);
  times_block* const times = times_of(kind::signal, site, 0, 0, timed_every().locks, number);
  if (times == nullptr) return;
  ++times->timed;
  if (to_all) ++times->to_all;
  if (owner == ::syscall(SYS_gettid)) ++times->under_lock;
}

}  // namespace syncmeter::probe
