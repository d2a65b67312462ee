// What programs call of the C library: POSIX threads, those of C11, semaphores, and futexes by the
// call that every other language makes.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "probe/count.hpp"
#include "probe/times.hpp"
#include "probe/waits.hpp"

using namespace syncmeter::probe;

namespace {

/// The lock that a call is about, and of a wait for a signal the one that it takes again: what it
/// is passed first and then.
struct objects_of_call {
  const void *first, *second;
  bool wakes_all = false;  // of a signal
};
template <class Object> const void* address_of(Object* object) {
  if constexpr (std::is_function_v<Object>) return nullptr;
  else return const_cast<const void*>(static_cast<const volatile void*>(object));
}
template <class Value> const void* address_of(const Value&) { return nullptr; }
inline objects_of_call objects_in() { return {}; }
template <class First, class Second = std::nullptr_t, class... Others>
objects_of_call objects_in(First first, Second second = {}, Others...) {
  return {address_of(first), address_of(second)};
}
/// Of a call of the function with this name.
constexpr objects_of_call in_call_of(std::string_view name, objects_of_call objects) {
  objects.wakes_all = name.ends_with("_broadcast");
  return objects;
}

/// Counts a call, in a timed run by the lock that it takes: its site, and the lock's number.
struct counted {
  std::uint64_t site, object;
};
template <kind What>
[[gnu::always_inline]] inline counted count_of(call_frame wrapper, const objects_of_call& objects) {
  const std::uint64_t object =
      waiting_of(What) == waiting::of_section ? number_of_lock(objects.first) : std::uint64_t{0};
  return {count_call(What, wrapper, true, object), object};
}

/// Around the call, where it is timed.
template <kind What, bool Waits = waiting_of(What) != waiting::none> struct counted_call {
  counted_call(call_frame wrapper, const objects_of_call& objects) {
    [[maybe_unused]] const counted call = count_of<What>(wrapper, objects);
    if constexpr (What == kind::signal) note_signal(objects.first, call.site, objects.wakes_all);
  }
};
template <kind What> struct counted_call<What, true> : lock_call {
  counted_call(call_frame wrapper, const objects_of_call& objects)
      : counted_call(count_of<What>(wrapper, objects)) {}
  explicit counted_call(const counted& call) : lock_call(What, call.site, 0, call.object) {}
};
template <> struct counted_call<kind::cond_wait, true> : condition_wait {
  counted_call(call_frame wrapper, const objects_of_call& objects)
      : condition_wait(objects.first, objects.second, wrapper) {}
};

/// Makes the call; a wait for a signal may end by itself, as its result says.
template <class Around, class Call> auto call_within(Around& around, Call call) {
  if constexpr (std::is_base_of_v<condition_wait, Around>) {
    const int error = call();
    around.end(error);
    return error;
  } else return call();
}

/// A call that has its lock without a wait: of one that its thread holds already one release more
/// is to come.
template <kind What> void count_try(call_frame wrapper, const objects_of_call& objects) {
  const counted call = count_of<What>(wrapper, objects);
  if (waits_of_thread.locks_held != 0) (void)begin_wait(What, call.object);
}

/// Around a call that waits for some time at most: it is counted, and timed, if it has what it
/// waits for.
template <kind What> class bounded_wait {
 public:
  explicit bounded_wait(const objects_of_call& objects)
      : object_(waiting_of(What) == waiting::of_section ? number_of_lock(objects.first) : 0),
        begun_(begin_wait(What, object_)) {}
  void end(call_frame wrapper) const {
    const std::uint64_t site = count_call(What, wrapper, true, object_);
    if (begun_ != 0) end_wait({.what = What, .site = site, .object = object_, .begun = begun_});
  }
  void give_up() const {
    if (begun_ == 0) take_back_wait(What, object_);
  }

 private:
  std::uint64_t object_, begun_;
};

}  // namespace

// Where nothing is timed, what is added to a call is the count alone: a lock that threads take all
// the time is another one with a few instructions more between its release and the next call.
#define SM_POSIX(name, what, result_type, parameters, arguments)                                   \
  SM_EXPORT result_type name parameters {                                                          \
    SM_COUNTED(#name, what, result_type, parameters, arguments)                                    \
  }
#define SM_COUNTED(real_name, what, result_type, parameters, arguments)                            \
  static constinit real_function<result_type parameters> real{real_name};                          \
  const call_frame frame = SM_FRAME;                                                               \
  if (timed_every().locks == 0) [[likely]] {                                                       \
    count_call(kind::what, frame, true, 0);                                                        \
    return real.get() arguments;                                                                   \
  }                                                                                                \
  return [=]() __attribute__((noinline)) {                                                         \
    [[maybe_unused]] counted_call<kind::what> around(frame,                                        \
                                                     in_call_of(real_name, objects_in arguments)); \
    return call_within(around, [=] { return real.get() arguments; });                              \
  }();
#define SM_POSIX_TRY(name, what, result_type, parameters, arguments, got)                          \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    const result_type result = real.get() arguments;                                               \
    if (got) count_try<kind::what>(SM_FRAME, objects_in arguments);                                \
    return result;                                                                                 \
  }
#define SM_POSIX_UNTIL(name, what, result_type, parameters, arguments, got)                        \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    const call_frame frame = SM_FRAME;                                                             \
    if (timed_every().locks == 0) [[likely]] {                                                     \
      const result_type result = real.get() arguments;                                             \
      if (got) count_call(kind::what, frame, true, 0);                                             \
      return result;                                                                               \
    }                                                                                              \
    return [=]() __attribute__((noinline)) {                                                       \
      const bounded_wait<kind::what> wait(objects_in arguments);                                   \
      const result_type result = real.get() arguments;                                             \
      if (got) wait.end(frame);                                                                    \
      else wait.give_up();                                                                         \
      return result;                                                                               \
    }();                                                                                           \
  }
#define SM_POSIX_END(name, result_type, parameters, arguments)                                     \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    if (timed_every().locks == 0) [[likely]]                                                       \
      return real.get() arguments;                                                                 \
    return [=]() __attribute__((noinline)) {                                                       \
      const unlock_call around((objects_in arguments).first);                                      \
      return real.get() arguments;                                                                 \
    }();                                                                                           \
  }
#define SM_POSIX_BEGIN(name, result_type, parameters, arguments)                                   \
  SM_EXPORT result_type name parameters {                                                          \
    static constinit real_function<result_type parameters> real{#name};                            \
    forget_lock((objects_in arguments).first);                                                     \
    return real.get() arguments;                                                                   \
  }
#define SM_OPENMP_BEGIN(...)
#define SM_OPENMP_END(...)
#define SM_OPENMP(...)
#define SM_OPENMP_TRY(...)
#define SM_LOOP_REGION(...)
#define SM_BY_HAND(...)
#include "probe/wrapped.def"

/// What programs call that were linked before glibc 2.34. It has no default version since, by which
/// it would be found, and does the same as sched_yield, to which today's header redirects the name.
SM_EXPORT int older_yield() asm("pthread_yield");
int older_yield(){SM_COUNTED("sched_yield", yield, int, (), ())}

/// Counted by the thread that the C library singles out of those that met.
SM_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  static constinit real_function<int(pthread_barrier_t*)> real{"pthread_barrier_wait"};
  const std::uint64_t site = count_call(kind::barrier_wait, SM_FRAME, false, 0);
  const posix_barrier around(barrier, site);
  const int result = real.get()(barrier);
  if (result == PTHREAD_BARRIER_SERIAL_THREAD) count(kind::barrier_wait, site, 0);
  return result;
}

SM_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier,
                                   const pthread_barrierattr_t* attributes, unsigned size) {
  static constinit real_function<int(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned)>
      real{"pthread_barrier_init"};
  note_barrier(barrier, size);
  return real.get()(barrier, attributes, size);
}

static bool waits_at_futex(long operation) {
  switch (operation & FUTEX_CMD_MASK) {
  case FUTEX_WAIT:
  case FUTEX_WAIT_BITSET:
  case FUTEX_WAIT_REQUEUE_PI:
  case FUTEX_LOCK_PI:
  case 13:  // FUTEX_LOCK_PI2, which older headers have not
    return true;
  default:
    return false;
  }
}

/// The last act is a jump, as the call may return on another stack (clone): the file is compiled
/// with optimization for this. A futex's returns to its caller.
SM_EXPORT long syscall(long number, long a, long b, long c, long d, long e, long f) {
  static constinit real_function<long(long, long, long, long, long, long, long)> real{"syscall"};
  if (number == SYS_futex) {
    const call_frame frame = SM_FRAME;
    if (timed_every().locks != 0 && waits_at_futex(b)) [[unlikely]]
      return [=]() __attribute__((noinline)) {
        const counted_call<kind::futex> around(frame, {});
        return real.get()(number, a, b, c, d, e, f);
      }();
    const std::uint64_t site = count_call(kind::futex, frame, true, 0);
    if (timed_every().locks != 0) [[unlikely]]
      pass_wait(kind::futex, site);
  }
  return real.get()(number, a, b, c, d, e, f);
}
