#include "probe/times.hpp"

#include <sys/mman.h>
#include <time.h>

namespace syncmeter::probe {
namespace {

__thread region_part now_in;
__thread int this_thread = 0;
__thread std::uint64_t regions = 0, barriers_of_regions = 0;
__thread team_stamps* unused_stamps = nullptr;

std::uint64_t now() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(at.tv_nsec);
}

std::uint64_t since(std::uint64_t then, std::uint64_t at) { return at > then ? at - then : 0; }

void add_to(interval_sums& sums, std::uint64_t ns) {
  constexpr std::uint64_t long_wait = 1'000'000;
  sums.sum_ns += ns;
  if (ns > long_wait) sums.long_ns += ns;
  ++sums.buckets[bucket_of(ns)];
}

team_stamps* take_stamps() {
  team_stamps* stamps = unused_stamps;
  if (stamps != nullptr) {
    unused_stamps = stamps->outer;
    return stamps;
  }
  void* const memory = ::mmap(nullptr, sizeof(team_stamps), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<team_stamps*>(memory);
}

/// By the thread that called, when all have left the region.
void add_region(const region_frame& frame, std::uint64_t back) {
  const team_stamps& stamps = *frame.stamps;
  if (stamps.team < 1 || stamps.team > most_timed_threads) return;
  times_block* const times =
      times_of(kind::region, frame.site, stamps.team, stamps.team, timed_every().meetings);
  if (times == nullptr) return;
  std::uint64_t last = 0;
  for (unsigned i = 0; i < stamps.team; ++i)
    if (stamps.of[i].end > last) last = stamps.of[i].end;
  for (unsigned i = 0; i < stamps.team; ++i) {
    add_to(times->lateness, since(stamps.of[i].end, last));
    times->fork_ns += since(frame.called, stamps.of[i].begin);
    times->inside_ns += since(stamps.of[i].begin, stamps.of[i].end);
  }
  add_to(times->mechanism, since(last, back));
  ++times->timed;
}

void add_barrier(times_block* times, std::uint64_t arrived, std::uint64_t last,
                 std::uint64_t back) {
  if (times == nullptr) return;
  add_to(times->lateness, since(arrived, last));
  add_to(times->mechanism, since(last, back));
  ++times->timed;
}

}  // namespace

region_call::region_call(region_frame& frame) : frame_(frame) {
  frame.owner = &this_thread;
  const std::uint64_t every = timed_every().meetings;
  if (every == 0) return;
  frame.stamps = take_stamps();
  if (frame.stamps == nullptr) return;
  frame.stamps->team = 0;
  frame.stamps->first_barrier = barriers_of_regions;
  if (regions++ % every == 0) frame.called = now();
}

region_call::~region_call() {
  if (frame_.stamps == nullptr) return;
  if (frame_.called != 0) add_region(frame_, now());
  frame_.stamps->outer = unused_stamps;
  unused_stamps = frame_.stamps;
}

inside_region::inside_region(region_frame& frame) : frame_(frame), outer_(now_in) {
  now_in = {};
  if (frame.owner == &this_thread) {
    const unsigned team = team_size();
    if (frame.stamps != nullptr) frame.stamps->team = team;
    count(kind::region, frame.site, team);
  }
  if (frame.stamps == nullptr) return;
  const unsigned number = number_in_team();
  if (number >= most_timed_threads) return;
  now_in = {frame.stamps, number, 0};
  if (frame.called != 0) frame.stamps->of[number].begin = now();
}

inside_region::~inside_region() {
  if (now_in.stamps != nullptr) {
    if (frame_.called != 0) now_in.stamps->of[now_in.number].end = now();
    if (frame_.owner == &this_thread) barriers_of_regions += now_in.barriers;
  }
  now_in = outer_;
}

unseen_region::unseen_region() : outer_(now_in) { now_in = {}; }
unseen_region::~unseen_region() { now_in = outer_; }

team_barrier::team_barrier(kind, std::uint64_t site, unsigned team) : site_(site), team_(team) {
  team_stamps* const stamps = now_in.stamps;
  if (stamps == nullptr) return;
  const std::uint64_t barrier = stamps->first_barrier + now_in.barriers++;
  const std::uint64_t every = timed_every().meetings;
  if (every == 0 || barrier % every != 0) return;
  stamps_ = stamps;
  number_ = now_in.number;
  // Two in turn are enough: who is at the one after next has seen all leave the next one.
  slot_ = barrier / every % 2;
  __atomic_store_n(&stamps->of[number_].arrived[slot_], now(), __ATOMIC_RELEASE);
}

team_barrier::~team_barrier() {
  if (stamps_ == nullptr) return;
  const std::uint64_t back = now();
  const unsigned team = stamps_->team;
  // A region inside another whose team has one thread meets nobody; it is not the region of the
  // stamps.
  if (team < 2 || team > most_timed_threads || team != team_) return;
  std::uint64_t last = 0;
  for (unsigned i = 0; i < team; ++i) {
    const std::uint64_t at = __atomic_load_n(&stamps_->of[i].arrived[slot_], __ATOMIC_ACQUIRE);
    if (at > last) last = at;
  }
  add_barrier(times_of(kind::barrier, site_, team, team, timed_every().meetings),
              stamps_->of[number_].arrived[slot_], last, back);
}

namespace {

/// A barrier of POSIX that was made while the probe looked.
struct alignas(64) known_barrier {
  const void* address;
  std::uint64_t size;
  std::uint64_t arrivals;
  std::uint64_t last[4];  // stamps of timed episodes, in turn
};
constexpr std::uint64_t most_barriers = 1024;
constinit known_barrier known_barriers[most_barriers] = {};

/// Its place, or that where it may be put; nullptr where there is none.
known_barrier* place_of(const void* address, bool add) {
  const auto hash = reinterpret_cast<std::uint64_t>(address) * 0x9E3779B97F4A7C15U >> 32U;
  for (std::uint64_t tried = 0; tried < 16; ++tried) {
    known_barrier& at = known_barriers[(hash + tried) % most_barriers];
    const void* const there = __atomic_load_n(&at.address, __ATOMIC_ACQUIRE);
    if (there == address) return &at;
    const void* free = nullptr;
    if (there == nullptr && !add) return nullptr;
    if (there == nullptr && __atomic_compare_exchange_n(&at.address, &free, address, false,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return &at;
  }
  return nullptr;
}

}  // namespace

void note_barrier(const void* barrier, unsigned size) {
  known_barrier* const place = timed_every().meetings == 0 ? nullptr : place_of(barrier, true);
  if (place == nullptr) return;
  place->size = size;
  place->arrivals = 0;
}

posix_barrier::posix_barrier(const void* barrier, std::uint64_t site) : site_(site) {
  const std::uint64_t every = timed_every().meetings;
  known_barrier* const place = every == 0 ? nullptr : place_of(barrier, false);
  if (place == nullptr || place->size == 0) return;
  size_ = static_cast<unsigned>(place->size);
  const std::uint64_t episode =
      __atomic_fetch_add(&place->arrivals, 1, __ATOMIC_RELAXED) / place->size;
  if (episode % every != 0) return;
  last_ = &place->last[episode / every % 4];
  arrived_ = now();
  // What stands there of earlier episodes is less.
  std::uint64_t latest = __atomic_load_n(last_, __ATOMIC_RELAXED);
  while (latest < arrived_ && !__atomic_compare_exchange_n(last_, &latest, arrived_, true,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
}

posix_barrier::~posix_barrier() {
  if (last_ == nullptr) return;
  const std::uint64_t back = now();
  add_barrier(times_of(kind::barrier_wait, site_, 0, size_, timed_every().meetings), arrived_,
              __atomic_load_n(last_, __ATOMIC_ACQUIRE), back);
}

__thread timed_waits waits_of_thread;

namespace {

__thread std::uint64_t drawn = 0;
// The section that is timed, and what the wait at its beginning took.
__thread kind section_of{};
__thread unsigned section_team = 0;
__thread std::uint64_t section_site = 0, section_begun = 0, section_wait = 0;
// The chunk that is timed; 0: none.
__thread std::uint64_t chunk_site = 0, chunk_begun = 0, chunk_wait = 0;

/// How many calls from now the next one is timed: at random, as a fixed number may be that of a
/// loop.
std::uint64_t draw(std::uint64_t every) {
  if (drawn == 0) drawn = reinterpret_cast<std::uint64_t>(&drawn) | 1U;
  drawn ^= drawn << 13U;
  drawn ^= drawn >> 7U;
  drawn ^= drawn << 17U;
  return every == 1 ? 1 : 1 + drawn % (2 * every - 1);
}

}  // namespace

std::uint64_t begin_wait(kind what) {
  timed_waits& waits = waits_of_thread;
  // What waits for a signal gives its lock back meanwhile.
  if (what == kind::cond_wait) waits.locks_held = 0;
  const bool takes = waiting_of(what) == waiting::of_section;
  if (waits.locks_held != 0) {
    // Inside the timed section: its end is that of its own lock.
    if (takes) ++waits.locks_held;
    return 0;
  }
  if (waits.until_next == 0) waits.until_next = draw(timed_every().locks);
  if (--waits.until_next != 0) return 0;
  waits.until_next = draw(timed_every().locks);
  return now();
}

void end_wait(kind what, std::uint64_t site, unsigned row_team, std::uint64_t begun) {
  const std::uint64_t wait = since(begun, now());
  section_of = what;
  section_site = site;
  section_team = row_team;
  section_begun = begun;
  section_wait = wait;
  if (waiting_of(what) == waiting::of_section) waits_of_thread.locks_held = 1;
  else end_section();
}

/// All that is written down comes after the release.
void end_section() {
  const bool section = waiting_of(section_of) == waiting::of_section;
  const std::uint64_t back = section ? now() : 0;
  times_block* const times =
      times_of(section_of, section_site, section_team, 0, timed_every().locks);
  if (times == nullptr) return;
  add_to(times->mechanism, section_wait);
  if (section) add_to(times->lateness, since(section_begun, back));
  ++times->timed;
}

std::uint64_t begin_fetch() {
  if (chunk_begun != 0) {
    const std::uint64_t back = now();
    times_block* const times = times_of(kind::chunk, chunk_site, 0, 0, timed_every().locks);
    if (times != nullptr) {
      add_to(times->mechanism, chunk_wait);
      add_to(times->lateness, since(chunk_begun, back));
      ++times->timed;
    }
    chunk_begun = 0;
  }
  return begin_wait(kind::chunk);
}

void end_fetch(std::uint64_t site, std::uint64_t begun) {
  chunk_wait = since(begun, now());
  chunk_begun = begun;
  chunk_site = site;
}

}  // namespace syncmeter::probe
