#include "probe/times.hpp"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "probe/kernel.hpp"
#include "probe/run_delay.hpp"

namespace syncmeter::probe {
namespace {

__thread int this_thread = 0;
__thread std::uint64_t regions = 0, barriers_of_regions = 0;
__thread team_stamps* unused_stamps = nullptr;

team_stamps* take_stamps() {
  team_stamps* stamps = unused_stamps;
  if (stamps != nullptr) {
    unused_stamps = stamps->outer;
    return stamps;
  }
  return static_cast<team_stamps*>(new_memory(sizeof(team_stamps)));
}

/// By the thread that called, when all have left the region.
void add_region(const region_frame& frame, std::uint64_t called, std::uint64_t back) {
  const team_stamps& stamps = *frame.stamps;
  if (stamps.team < 1 || stamps.team > most_timed_threads) return;
  times_block* const times = times_of(kind::region, frame.site, stamps.team, stamps.team,
                                      timed_every().meetings, frame.label);
  if (times == nullptr) return;
  std::uint64_t last = 0;
  for (unsigned i = 0; i < stamps.team; ++i)
    if (stamps.of[i].end > last) last = stamps.of[i].end;
  for (unsigned i = 0; i < stamps.team; ++i) {
    add_to(times->until_last, since(stamps.of[i].end, last));
    times->fork_ns += since(called, stamps.of[i].begin);
    times->inside_ns += since(stamps.of[i].begin, stamps.of[i].end);
    bool same = false;
    for (unsigned other = 0; other < stamps.team; ++other)
      same |= other != i && stamps.of[other].region_processor == stamps.of[i].region_processor;
    times->same_processor += same ? 1 : 0;
  }
  add_to(times->after_last, since(last, back));
  ++times->timed;
}

/// The region before the next one that is timed may have other stamps, or fewer threads.
void forget_processors(team_stamps& stamps) {
  for (unsigned i = 0; i < stamps.team && i < most_timed_threads; ++i)
    stamps.of[i].region_processor = 0;
}

void add_barrier(times_block* times, std::uint64_t arrived, std::uint64_t last, std::uint64_t back,
                 bool same_processor) {
  if (times == nullptr) return;
  times->same_processor += same_processor ? 1 : 0;
  add_to(times->until_last, since(arrived, last));
  add_to(times->after_last, since(last, back));
  ++times->timed;
}

}  // namespace

__thread unsigned regions_called = 0;
__thread region_part region_of_thread;
constinit timing timing_of_process;

void read_timing() {
  timing& every = timing_of_process;
  const char* text = ::getenv(times_variable);
  for (std::uint64_t* number : {&every.meetings, &every.locks}) {
    if (text == nullptr) break;
    std::uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; ++text)
      value = value * 10 + static_cast<std::uint64_t>(*text - '0');
    *number = value;
    if (*text == ',') ++text;
  }
  every.is_read = true;
}

std::uint64_t now() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(at.tv_nsec);
}

void add_to(interval_sums& sums, std::uint64_t ns) {
  constexpr std::uint64_t long_wait = 1'000'000;
  sums.sum_ns += ns;
  if (ns > long_wait) sums.long_ns += ns;
  ++sums.buckets[bucket_of(ns)];
}

region_call::region_call(region_frame& frame, std::uint64_t site) : frame_(frame) {
  ++regions_called;
  keep(frame.site, site);
  keep(frame.label, std::uint64_t{region_of_thread.label});
  keep(frame.owner, &this_thread);
  const std::uint64_t every = timed_every().meetings;
  keep(frame.stamps, every == 0 ? nullptr : take_stamps());
  if (frame.stamps != nullptr) {
    frame.stamps->team = 0;
    frame.stamps->first_barrier = barriers_of_regions;
    // This thread is its number 0. Where the region is cancelled, it may come to no barrier.
    for (std::uint64_t& of_barrier : frame.stamps->of[0].site) keep(of_barrier, std::uint64_t{0});
  }
  if (frame.stamps == nullptr) return;
  const std::uint64_t number = regions++ % every;
  turn_ = {.is_timed = number == 0, .looks_at_processor = number + 1 == every};
  if (turn_.is_timed) called_ = now();
}

region_call::~region_call() {
  --regions_called;
  if (frame_.stamps == nullptr) return;
  if (called_ != 0) {
    add_region(frame_, called_, now());
    forget_processors(*frame_.stamps);
  }
  frame_.stamps->outer = unused_stamps;
  unused_stamps = frame_.stamps;
}

inside_region::inside_region(region_frame& frame, region_turn turn)
    : frame_(frame), is_timed_(turn.is_timed), outer_(region_of_thread) {
  region_of_thread = {};
  region_of_thread.keeps_team = true;
  region_of_thread.is_inside = true;
  region_of_thread.code = frame.code;
  region_of_thread.label = static_cast<std::uint32_t>(frame.label);
  if (frame.owner == &this_thread) {
    const unsigned team = team_size();
    if (frame.stamps != nullptr) frame.stamps->team = team;
    count(kind::region, frame.site, team, 1, frame.label);
  }
  if (frame.stamps == nullptr) return;
  const unsigned number = number_in_team();
  if (number >= most_timed_threads) return;
  region_of_thread.stamps = frame.stamps;
  region_of_thread.number = number;
  thread_stamps& own = frame.stamps->of[number];
  if (turn.is_timed) {
    own.begin = now();
    note_meeting(own.begin);
  }
  if (turn.looks_at_processor || (turn.is_timed && own.region_processor == 0))
    own.region_processor = ::sched_getcpu() + 1;
}

inside_region::~inside_region() {
  if (region_of_thread.stamps != nullptr) {
    if (is_timed_) region_of_thread.stamps->of[region_of_thread.number].end = now();
    if (frame_.owner == &this_thread) barriers_of_regions += region_of_thread.barriers;
  }
  // Tasks that are left run behind the function, while the threads wait for each other at its end.
  if (!outer_.is_inside) outer_.code = region_of_thread.code;
  region_of_thread = outer_;
}

unseen_region::unseen_region() : outer_(region_of_thread) { region_of_thread = {}; }
unseen_region::~unseen_region() { region_of_thread = outer_; }

place_in_team ask_for_place() {
  const place_in_team place{team_size(), number_in_team()};
  if (region_of_thread.keeps_team) {
    region_of_thread.team = place.team;
    region_of_thread.number = place.number;
  }
  return place;
}

void team_barrier::arrive() {
  team_stamps* const stamps = region_of_thread.stamps;
  const std::uint64_t barrier = stamps->first_barrier + region_of_thread.barriers++;
  const std::uint64_t every = timed_every().meetings;
  if (every == 0 || barrier % every != 0) return;
  stamps_ = stamps;
  number_ = region_of_thread.number;
  // Two in turn are enough: who is at the one after next has seen all leave the next one.
  slot_ = barrier / every % 2;
  __atomic_store_n(&stamps->of[number_].site[slot_], site_, __ATOMIC_RELAXED);
  __atomic_store_n(&stamps->of[number_].processor[slot_], ::sched_getcpu(), __ATOMIC_RELAXED);
  __atomic_store_n(&stamps->of[number_].arrived[slot_], now(), __ATOMIC_RELEASE);
}

void team_barrier::leave() const {
  const std::uint64_t back = now();
  note_meeting(back);
  const unsigned team = stamps_->team;
  // A region inside another whose team has one thread meets nobody; it is not the region of the
  // stamps.
  if (team < 2 || team > most_timed_threads || team != team_) return;
  const int own = stamps_->of[number_].processor[slot_];
  bool same = false;
  std::uint64_t last = 0;
  for (unsigned i = 0; i < team; ++i) {
    const int processor = __atomic_load_n(&stamps_->of[i].processor[slot_], __ATOMIC_RELAXED);
    same |= i != number_ && processor == own;
    const std::uint64_t at = __atomic_load_n(&stamps_->of[i].arrived[slot_], __ATOMIC_ACQUIRE);
    if (at > last) last = at;
  }
  times_block* const times =
      times_of(kind::barrier, site_, team, team, timed_every().meetings, label_);
  if (times == nullptr) return;
  add_barrier(times, stamps_->of[number_].arrived[slot_], last, back, same);
  const std::uint64_t first = __atomic_load_n(&stamps_->of[0].site[slot_], __ATOMIC_RELAXED);
  if (first != 0 && first != site_) times->met_at = first;
}

namespace {

/// A barrier of POSIX that was made while the probe looked.
struct alignas(64) known_barrier {
  std::uint64_t address;
  std::uint64_t size;
  std::uint64_t arrivals;
  // Of timed episodes, in turn.
  std::uint64_t last[4];        // stamps
  std::uint64_t processors[4];  // a bit for each on which a thread has arrived
};
constexpr std::uint64_t most_barriers = 1024;
constinit known_barrier known_barriers[most_barriers] = {};

}  // namespace

void note_barrier(const void* barrier, unsigned size) {
  known_barrier* const place =
      timed_every().meetings == 0 ? nullptr : place_of(known_barriers, barrier, true);
  if (place == nullptr) return;
  place->size = size;
  place->arrivals = 0;
}

posix_barrier::posix_barrier(const void* barrier, std::uint64_t site) : site_(site) {
  const std::uint64_t every = timed_every().meetings;
  known_barrier* const place = every == 0 ? nullptr : place_of(known_barriers, barrier, false);
  if (place == nullptr || place->size == 0) return;
  size_ = static_cast<unsigned>(place->size);
  const std::uint64_t arrival = __atomic_fetch_add(&place->arrivals, 1, __ATOMIC_RELAXED);
  const std::uint64_t episode = arrival / place->size;
  if (episode % every != 0) return;
  const std::uint64_t slot = episode / every % 4;
  last_ = &place->last[slot];
  // The first to arrive makes room for the episode after this one, at which nobody is yet.
  if (arrival % place->size == 0)
    __atomic_store_n(&place->processors[(slot + 1) % 4], 0, __ATOMIC_RELAXED);
  const std::uint64_t processor = std::uint64_t{1}
                                  << (static_cast<unsigned>(::sched_getcpu()) % 64U);
  same_processor_ =
      (__atomic_fetch_or(&place->processors[slot], processor, __ATOMIC_RELAXED) & processor) != 0;
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
  note_meeting(back);
  add_barrier(times_of(kind::barrier_wait, site_, 0, size_, timed_every().meetings), arrived_,
              __atomic_load_n(last_, __ATOMIC_ACQUIRE), back, same_processor_);
}

}  // namespace syncmeter::probe
