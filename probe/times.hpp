// When the threads of a team reach the end of a region or a barrier, and when they leave it: the
// stamps of the second pass, and what becomes of them.
#pragma once

#include <cstdint>

#include "probe/count.hpp"

namespace syncmeter::probe {

/// Teams of more threads are counted, and not timed.
inline constexpr unsigned most_timed_threads = 256;

/// By the monotonic clock.
[[nodiscard]] std::uint64_t now();
/// 0 where it is not later.
[[nodiscard]] inline std::uint64_t since(std::uint64_t then, std::uint64_t at) {
  return at > then ? at - then : 0;
}
void add_to(interval_sums& sums, std::uint64_t ns);

/// One thread's stamps of a region, in ns of the monotonic clock; read by others when all have met.
struct alignas(64) thread_stamps {
  std::uint64_t begin, end;
  std::uint64_t arrived[2];  ///< at timed barriers inside the region, in turn
  std::uint64_t site[2];     ///< that it called these from
  int processor[2];
  int region_processor;  ///< and 1: 0 is none since the last region that was timed
};

/// Those of a team: kept by the thread that calls regions, one for each level of nesting.
struct team_stamps {
  team_stamps* outer;           ///< of the same thread, not in use
  std::uint64_t first_barrier;  ///< how many the thread's regions had before
  unsigned team;
  thread_stamps of[most_timed_threads];
};

/// A region on its way to the threads of the team, kept by the thread that calls regions, which
/// returns when all have left the region.
struct region_frame {
  std::uint64_t site;
  std::uint64_t code;   ///< of the program's function that each thread calls
  std::uint64_t label;  ///< as of a region_part
  int* owner;           ///< of the thread that called
  team_stamps* stamps;  ///< where nothing is timed: none
};

using gomp_body = void(void*);
struct alignas(64) gomp_frame : region_frame {
  gomp_body* body;
  void* data;
};
/// By LLVM's runtime: a function and the words that it is called with.
struct alignas(64) kmpc_frame : region_frame {
  static constexpr int few_words = 16;
  void* body;
  int words;
  void** word;
  void* first_words[few_words];
};

/// What threads do in a region, in two bits that the address of an aligned frame leaves.
struct region_turn {
  bool is_timed = false;
  /// In the one before a region that is timed: what is written there takes no line from another
  /// cache then, and to look at the clock is all that a timed region takes longer.
  bool looks_at_processor = false;
};

/// A frame on its way through the runtime, with the region's turn in the address: what stands in
/// the frame itself and changes from region to region is fetched anew by each thread.
template <class Frame> [[nodiscard]] Frame* with_turn(Frame& frame, region_turn turn) {
  return reinterpret_cast<Frame*>(reinterpret_cast<std::uintptr_t>(&frame) |
                                  (turn.is_timed ? 1U : 0U) | (turn.looks_at_processor ? 2U : 0U));
}
template <class Frame> struct passed_frame {
  explicit passed_frame(void* address)
      : frame(*reinterpret_cast<Frame*>(reinterpret_cast<std::uintptr_t>(address) &
                                        ~std::uintptr_t{3})),
        turn{.is_timed = (reinterpret_cast<std::uintptr_t>(address) & 1U) != 0,
             .looks_at_processor = (reinterpret_cast<std::uintptr_t>(address) & 2U) != 0} {}
  Frame& frame;
  region_turn turn;
};

/// Writes what is not there already: all threads of a team read its frame, and fetch anew each
/// cache line of it that was written since. That was most of what counting a region of 1 us took.
template <class Value> void keep(Value& there, Value value) {
  if (__atomic_load_n(&there, __ATOMIC_RELAXED) != value)
    __atomic_store_n(&there, value, __ATOMIC_RELAXED);
}

/// Frames of the regions that a thread is in, one for each level of nesting.
template <class Frame> struct kept_frames {
  static constexpr unsigned levels = 2;
  Frame at[levels];
};

/// How many regions this thread has called that have not ended.
extern __thread unsigned regions_called;

/// Around the call of the runtime, by the thread that calls.
class region_call {
 public:
  region_call(region_frame& frame, std::uint64_t site);
  region_call(const region_call&) = delete;
  region_call& operator=(const region_call&) = delete;
  ~region_call();
  [[nodiscard]] region_turn turn() const { return turn_; }

 private:
  region_frame& frame_;
  region_turn turn_;
  std::uint64_t called_ = 0;  // 0: this region is one of those left out
};

/// Where a thread is: in whose region, as which thread of the team, and before which barrier.
struct region_part {
  team_stamps* stamps = nullptr;
  unsigned number = 0;
  unsigned team = 0;  ///< 0: not asked for yet, or none of ours
  bool keeps_team = false;
  bool is_inside = false;   ///< of a region that was entered through a function of ours
  std::uint32_t label = 0;  ///< the number of the kernel of Kokkos that it is in; 0: none
  std::uint64_t barriers = 0;
  std::uint64_t code = 0;  ///< of the program's function that it runs, or has run last; 0: none
};
extern __thread region_part region_of_thread;

struct place_in_team {
  unsigned team, number;
};
[[nodiscard]] place_in_team ask_for_place();
/// Of the calling thread in the innermost region. The runtime is asked once for each region that
/// was entered through a function of ours.
[[nodiscard]] inline place_in_team place_of_thread() {
  if (region_of_thread.team != 0) [[likely]]
    return {region_of_thread.team, region_of_thread.number};
  return ask_for_place();
}
/// A region without threads of its own begins, and nobody tells when it ends: until the end of the
/// one around it the runtime is asked each time.
inline void enter_serialized_region() {
  region_of_thread.keeps_team = false;
  region_of_thread.team = 0;
}

/// Around the region's body, in each thread of the team. The region is counted here, by the thread
/// that called: it alone knows its site, and here alone the size of the team is known.
class inside_region {
 public:
  inside_region(region_frame& frame, region_turn turn);
  inside_region(const inside_region&) = delete;
  inside_region& operator=(const inside_region&) = delete;
  ~inside_region();

 private:
  region_frame& frame_;
  bool is_timed_;
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
  team_barrier(kind, std::uint64_t site, unsigned team, std::uint64_t label)
      : site_(site), label_(label), team_(team) {
    if (region_of_thread.stamps != nullptr) [[unlikely]]
      arrive();
  }
  team_barrier(const team_barrier&) = delete;
  team_barrier& operator=(const team_barrier&) = delete;
  ~team_barrier() {
    if (stamps_ != nullptr) [[unlikely]]
      leave();
    // So that the call before is none by a jump.
    asm volatile("");
  }

 private:
  void arrive();
  void leave() const;

  std::uint64_t site_, label_;
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
  bool same_processor_ = false;
  unsigned size_ = 0;
};

}  // namespace syncmeter::probe
