// What g++ and clang++ call for OpenMP. A region is entered through a function of ours, which alone
// can see the size of its team.
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <string_view>
#include <utility>

#include "probe/count.hpp"
#include "probe/loop_tasks.hpp"
#include "probe/thread_memory.hpp"
#include "probe/times.hpp"
#include "probe/waits.hpp"

namespace syncmeter::probe {
namespace {

/// Where this thread has the frame of the region that it is about to call; beyond the levels that
/// are kept, `deeper`.
template <class Frame>
Frame& frame_of_region(kept_frames<Frame> thread_memory::* kept, Frame& deeper) {
  thread_memory* const memory =
      regions_called < kept_frames<Frame>::levels ? memory_of_thread() : nullptr;
  return memory == nullptr ? deeper : (memory->*kept).at[regions_called];
}

// Where the last act of a region's function is a call of the runtime, that is a jump, and what is
// called returns to where the region's function does: to one of ours, which are kept together.
#define SM_RUNS_REGION [[gnu::section("sm_regions"), gnu::noinline]]
extern "C" const char __start_sm_regions[], __stop_sm_regions[];

/// The code of the OpenMP runtime, which calls the functions of tasks; known from the first region
/// on.
constinit loaded_code runtime_code;
void note_runtime(const void* real) {
  if (runtime_code.size == 0) [[unlikely]]
    runtime_code = code_around(real);
}

/// The site of a call that returns there. Of one that returns to us or to what calls a task it is
/// the function of the region. A runtime calls none of GOMP's functions or of OpenMP's own by
/// itself; but LLVM's has such as call `__kmpc_` ones.
[[gnu::always_inline]] inline std::uint64_t site_of_call(std::string_view name,
                                                         std::uint64_t returns_to) {
  const auto regions = reinterpret_cast<std::uint64_t>(__start_sm_regions);
  const loaded_code ours{regions, reinterpret_cast<std::uint64_t>(__stop_sm_regions) - regions};
  const bool is_jump =
      ours.has(returns_to) || (!name.starts_with("__kmpc_") && runtime_code.has(returns_to));
  if (!is_jump || region_of_thread.code == 0) [[likely]]
    return returns_to;
  return region_of_thread.code + 1;
}

SM_RUNS_REGION void run_gomp_body(void* data) {
  const auto [frame, turn] = passed_frame<gomp_frame>(data);
  const inside_region inside(frame, turn);
  frame.body(frame.data);
}

// A region of a runtime that is not there has one thread.
#define SM_GOMP_REGION(name, parameters, ...)                                                      \
  SM_EXPORT void name(gomp_body* body, void* data, unsigned threads parameters) {                  \
    static constinit real_function<decltype(name)> real{#name};                                    \
    gomp_frame deeper{};                                                                           \
    gomp_frame& frame = frame_of_region(&thread_memory::of_gomp, deeper);                          \
    keep(frame.body, body);                                                                        \
    keep(frame.data, data);                                                                        \
    keep(frame.code, reinterpret_cast<std::uint64_t>(body));                                       \
    const region_call around(frame, site_of_call(#name, SM_SITE));                                 \
    auto* const call = real.get();                                                                 \
    note_runtime(reinterpret_cast<const void*>(call));                                             \
    auto* const passed = with_turn(frame, around.turn());                                          \
    if (call != nullptr) call(run_gomp_body, passed, threads, __VA_ARGS__);                        \
    else run_gomp_body(passed);                                                                    \
  }
#define SM_AND(...) , __VA_ARGS__

}  // namespace

unsigned team_size() {
  static constinit real_function<int()> real{"omp_get_num_threads"};
  auto* const call = real.get();
  return call == nullptr ? 1 : static_cast<unsigned>(call());
}

unsigned number_in_team() {
  static constinit real_function<int()> real{"omp_get_thread_num"};
  auto* const call = real.get();
  return call == nullptr ? 0 : static_cast<unsigned>(call());
}

}  // namespace syncmeter::probe

using namespace syncmeter::probe;

SM_GOMP_REGION(GOMP_parallel, SM_AND(unsigned flags), flags)
SM_GOMP_REGION(GOMP_parallel_sections, SM_AND(unsigned sections, unsigned flags), sections, flags)
#define SM_LOOP_REGION(name)                                                                       \
  SM_GOMP_REGION(GOMP_parallel_loop_##name,                                                        \
                 SM_AND(long first, long end, long step, long chunk, unsigned flags), first, end,  \
                 step, chunk, flags)
#define SM_RUNTIME_REGION(name)                                                                    \
  SM_GOMP_REGION(GOMP_parallel_loop_##name,                                                        \
                 SM_AND(long first, long end, long step, unsigned flags), first, end, step, flags)
SM_RUNTIME_REGION(runtime)
SM_RUNTIME_REGION(nonmonotonic_runtime)
SM_RUNTIME_REGION(maybe_nonmonotonic_runtime)

/// Its data have a layout that the runtime reads: no function of ours can come before the body.
SM_EXPORT unsigned GOMP_parallel_reductions(gomp_body* body, void* data, unsigned threads,
                                            unsigned flags) {
  static constinit real_function<decltype(GOMP_parallel_reductions)> real{
      "GOMP_parallel_reductions"};
  const unseen_region unseen;
  auto* const call = real.get();
  const unsigned team = call == nullptr ? 0 : call(body, data, threads, flags);
  count(kind::region, SM_SITE, team);
  return team;
}

namespace {

using kmpc_body = void(int* global, int* bound, ...);
constexpr int most_words = 1024;
constexpr int few_words = kmpc_frame::few_words;

// Every variable of a region is passed as one word. A function may be called with more words than
// it takes: the caller takes them off the stack again.
template <std::size_t... I>
[[gnu::always_inline]] inline void call_with(const kmpc_frame& frame, int* global, int* bound,
                                             std::index_sequence<I...>) {
  using body = void(int*, int*, decltype(static_cast<void*>(frame.word[I]))...);
  reinterpret_cast<body*>(frame.body)(global, bound, frame.word[I]...);
}

SM_RUNS_REGION void run_kmpc_body(int* global, int* bound, void* passed) {
  const auto [frame, turn] = passed_frame<kmpc_frame>(passed);
  const inside_region inside(frame, turn);
  if (frame.words <= few_words)
    call_with(frame, global, bound, std::make_index_sequence<few_words>{});
  else if (frame.words <= 128) call_with(frame, global, bound, std::make_index_sequence<128>{});
  else call_with(frame, global, bound, std::make_index_sequence<most_words>{});
}

}  // namespace

SM_EXPORT void __kmpc_fork_call(void* place, int words, kmpc_body* body, ...) {
  static constinit real_function<decltype(__kmpc_fork_call)> real{"__kmpc_fork_call"};
  // More variables than any region has: beyond what can be passed on.
  if (words > most_words) __builtin_trap();
  kmpc_frame deeper{};
  kmpc_frame& frame = frame_of_region(&thread_memory::of_kmpc, deeper);
  void** word = frame.first_words;
  if (words > few_words) {
    const std::size_t bytes = (words <= 128 ? 128 : most_words) * sizeof(void*);
    word = static_cast<void**>(::memset(__builtin_alloca(bytes), 0, bytes));
  }
  va_list list;
  va_start(list, body);
  for (int i = 0; i < words; ++i) keep(word[i], va_arg(list, void*));
  va_end(list);
  keep(frame.body, reinterpret_cast<void*>(body));
  keep(frame.words, words);
  keep(frame.word, word);
  keep(frame.code, reinterpret_cast<std::uint64_t>(body));
  const region_call around(frame, site_of_call("__kmpc_fork_call", SM_SITE));
  auto* const call = real.get();
  note_runtime(reinterpret_cast<const void*>(call));
  if (call != nullptr)
    call(place, 1, reinterpret_cast<kmpc_body*>(run_kmpc_body), with_turn(frame, around.turn()));
}

struct returns_here {
  returns_here(kind, std::uint64_t, unsigned, std::uint64_t) {}
  ~returns_here() { asm volatile(""); }
};
template <kind What, bool Waits = waiting_of(What) != waiting::none> struct around_call {
  using type = returns_here;
};
template <kind What> struct around_call<What, true> {
  using type = lock_call;
};
template <> struct around_call<kind::barrier, false> {
  using type = team_barrier;
};
struct serialized_region : returns_here {
  serialized_region(kind what, std::uint64_t site, unsigned team, std::uint64_t object)
      : returns_here(what, site, team, object) {
    enter_serialized_region();
  }
};
template <> struct around_call<kind::region, false> {
  using type = serialized_region;
};

/// Of a try what is counted is what was got.
template <kind What> struct around_try {
  explicit around_try(std::uint64_t) {}
  /// Of a lock that the thread holds already one release more is to come.
  void fetched(std::uint64_t object) {
    if (waits_of_thread.locks_held != 0) (void)begin_wait(What, object);
  }
  static unsigned team() { return place_of_thread().team; }
};
/// Chunks are fetched so often that they are of no team: to ask for its size takes long.
template <> struct around_try<kind::chunk> : chunk_call {
  using chunk_call::chunk_call;
  static unsigned team() { return 0; }
};

/// A barrier is counted by the first thread of its team: g++ has threads that got no iteration of a
/// loop call from another place than the rest. Returns the size of the team.
static unsigned count_call(kind what, std::uint64_t site, std::uint64_t object) {
  const place_in_team place = place_of_thread();
  count(what, site, place.team, what != kind::barrier || place.number == 0, object);
  return place.team;
}

/// The lock that a call is about. A critical section without a name has one, and so have all atomic
/// constructs that need a lock.
static const void* lock_in(void* lock) { return lock; }
static const void* lock_in(void** lock) { return lock; }
static const void* lock_in(void*, int, void* lock, unsigned = 0) { return lock; }
template <class... Others> static const void* lock_in(const Others&...) { return nullptr; }
static const void* lock_of(std::string_view name, const void* lock) {
  static constexpr std::uint64_t unnamed[2] = {};
  return lock != nullptr ? lock : &unnamed[name.starts_with("GOMP_atomic") ? 1 : 0];
}
/// Its number; of a call that takes none, that of the kernel of Kokkos which it is in.
template <kind What> static std::uint64_t object_of(std::string_view name, const void* lock) {
  return waiting_of(What) == waiting::of_section ? number_of_lock(lock_of(name, lock))
                                                 : region_of_thread.label;
}

namespace {

/// Flags of libgomp's.
constexpr unsigned goes_up = 1U << 8U, has_grain_size = 1U << 9U, is_strict = 1U << 14U;

/// Without a clause LLVM's runtime makes so many tasks for each thread of the team, GNU's one.
constexpr unsigned llvm_tasks_of_thread = 10;
/// LLVM's has GOMP's functions beside its own. Where no such runtime is loaded the look-up fails:
/// once per process, as the answer is kept.
bool is_of_llvm(const void* gomp_function) {
  static constinit real_function<void()> own{"__kmpc_taskloop"};
  return code_around(gomp_function).has(reinterpret_cast<std::uint64_t>(own.get()));
}

/// Counts the tasks of a loop at its call, by which the runtime makes them.
void count_tasks_of_gomp_loop(std::uint64_t site, std::uint64_t iterations, unsigned flags,
                              unsigned long number, const void* real) {
  // 0: not known yet. Threads that come first at the same time all find the same.
  static constinit unsigned known_tasks = 0;
  unsigned tasks_of_thread = __atomic_load_n(&known_tasks, __ATOMIC_RELAXED);
  if (tasks_of_thread == 0) {
    tasks_of_thread = is_of_llvm(real) ? llvm_tasks_of_thread : 1;
    __atomic_store_n(&known_tasks, tasks_of_thread, __ATOMIC_RELAXED);
  }
  // LLVM's does not read that flag.
  const bool is_gnu = tasks_of_thread == 1;
  const unsigned team = place_of_thread().team;
  count(kind::task, site, team,
        tasks_of_loop(iterations, {.by_size = (flags & has_grain_size) != 0,
                                   .is_strict = is_gnu && (flags & is_strict) != 0,
                                   .number = number,
                                   .others = std::uint64_t{tasks_of_thread} * team}));
}

}  // namespace

#define SM_GOMP_TASKLOOP(name, iteration, is_up)                                                   \
  SM_EXPORT void name(gomp_body* body, void* data, void* copy, long bytes, long alignment,         \
                      unsigned flags, unsigned long number, int priority, iteration first,         \
                      iteration end, iteration step) {                                             \
    static constinit real_function<decltype(name)> real{#name};                                    \
    auto* const call = real.get();                                                                 \
    count_tasks_of_gomp_loop(site_of_call(#name, SM_SITE),                                         \
                             iterations_between(first, end, step, is_up), flags, number,           \
                             reinterpret_cast<const void*>(call));                                 \
    if (call != nullptr)                                                                           \
      call(body, data, copy, bytes, alignment, flags, number, priority, first, end, step);         \
    asm volatile("");                                                                              \
  }
SM_GOMP_TASKLOOP(GOMP_taskloop, long, step > 0)
SM_GOMP_TASKLOOP(GOMP_taskloop_ull, unsigned long long, (flags & goes_up) != 0)

namespace {

/// How LLVM's is passed the tasks of a loop: by their size, their number or as it likes.
struct kmpc_split {
  int way;
  unsigned long long number;
  bool is_strict;
};
/// Both ends are iterations, in words of the task, which are signed.
void count_tasks_of_kmpc_loop(std::uint64_t site, const long long* first, const long long* last,
                              long long step, const kmpc_split& how) {
  constexpr int by_grain_size = 1;
  const unsigned team = place_of_thread().team;
  const std::uint64_t iterations = iterations_to(*first, *last, step, step > 0);
  count(kind::task, site, team,
        tasks_of_loop(iterations, {.by_size = how.way == by_grain_size,
                                   .is_strict = how.is_strict,
                                   .number = how.way == 0 ? 0 : how.number,
                                   .others = std::uint64_t{llvm_tasks_of_thread} * team}));
}

}  // namespace

#define SM_KMPC_TASKLOOP(name, is_strict, parameter, argument)                                     \
  SM_EXPORT void name(void* place, int thread, void* task, int is_deferred, long long* first,      \
                      long long* last, long long step, int no_group, int way,                      \
                      unsigned long long number parameter, void* copy) {                           \
    static constinit real_function<decltype(name)> real{#name};                                    \
    count_tasks_of_kmpc_loop(site_of_call(#name, SM_SITE), first, last, step,                      \
                             {way, number, is_strict});                                            \
    if (auto* const call = real.get())                                                             \
      call(place, thread, task, is_deferred, first, last, step, no_group, way, number argument,    \
           copy);                                                                                  \
    asm volatile("");                                                                              \
  }
SM_KMPC_TASKLOOP(__kmpc_taskloop, false, , )
SM_KMPC_TASKLOOP(__kmpc_taskloop_5, strict != 0, SM_AND(int strict), SM_AND(strict))

namespace {

/// A loop with more levels than any has, of how many the runtime alone knows. Words that were not
/// passed are of frames further out, and the runtime reads none of them.
constexpr std::size_t most_levels = 16;

template <class Number, std::size_t... I>
[[gnu::always_inline]] inline void
wait_for_iteration(void (*call)(Number, ...), const Number* number, std::index_sequence<I...>) {
  call(number[I]...);
}

}  // namespace

#define SM_DOACROSS_WAIT(name, number)                                                             \
  SM_EXPORT void name(number first, ...) {                                                         \
    static constinit real_function<decltype(name)> real{#name};                                    \
    number of_level[most_levels];                                                                  \
    of_level[0] = first;                                                                           \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    _Pragma("GCC unroll 16") for (std::size_t i = 1; i < most_levels; ++i) of_level[i] =           \
        va_arg(list, number);                                                                      \
    va_end(list);                                                                                  \
    const std::uint64_t site = site_of_call(#name, SM_SITE);                                       \
    const unsigned team = count_call(kind::doacross, site, 0);                                     \
    const around_call<kind::doacross>::type around(kind::doacross, site, team, 0);                 \
    if (auto* const call = real.get())                                                             \
      wait_for_iteration(call, of_level, std::make_index_sequence<most_levels>{});                 \
  }
SM_DOACROSS_WAIT(GOMP_doacross_wait, long)
SM_DOACROSS_WAIT(GOMP_doacross_ull_wait, unsigned long long)

#define SM_OPENMP(name, what, result_type, parameters, arguments)                                  \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<decltype(name)> real{#name};                                    \
    const std::uint64_t object = object_of<kind::what>(#name, lock_in arguments);                  \
    const std::uint64_t site = site_of_call(#name, SM_SITE);                                       \
    const unsigned team = count_call(kind::what, site, object);                                    \
    const around_call<kind::what>::type around(kind::what, site, team, object);                    \
    auto* const call = real.get();                                                                 \
    return call == nullptr ? no_answer<result_type>() : call arguments;                            \
  }
#define SM_OPENMP_TRY(name, what, result_type, parameters, arguments, got)                         \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<decltype(name)> real{#name};                                    \
    const std::uint64_t site = site_of_call(#name, SM_SITE);                                       \
    around_try<kind::what> around(site);                                                           \
    auto* const call = real.get();                                                                 \
    const result_type result = call == nullptr ? no_answer<result_type>() : call arguments;        \
    if (got) {                                                                                     \
      const std::uint64_t object = object_of<kind::what>(#name, lock_in arguments);                \
      around.fetched(object);                                                                      \
      count(kind::what, site, around.team(), 1, object);                                           \
    }                                                                                              \
    return result;                                                                                 \
  }
#define SM_OPENMP_END(name, result_type, parameters, arguments)                                    \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<decltype(name)> real{#name};                                    \
    const unlock_call around(lock_of(#name, lock_in arguments));                                   \
    if (auto* const call = real.get()) call arguments;                                             \
  }
#define SM_OPENMP_BEGIN(name, result_type, parameters, arguments)                                  \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<decltype(name)> real{#name};                                    \
    forget_lock(lock);                                                                             \
    if (auto* const call = real.get()) call arguments;                                             \
  }
#define SM_POSIX_BEGIN(...)
#define SM_POSIX_END(...)
#define SM_POSIX(...)
#define SM_POSIX_TRY(...)
#define SM_POSIX_UNTIL(...)
#define SM_BY_HAND(...)
#include "probe/wrapped.def"
