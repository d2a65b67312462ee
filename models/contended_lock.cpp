// A model of a program whose threads contend for one lock: each thread acquires the lock, works
// under it, releases it and works alone. `syncmeter advise` times the model as it is and with
// another primitive. The model prints nothing. It needs the C library alone, which keeps the start
// of the process short. Compiled with OpenMP, it has the threads and locks of that runtime.
//   lock-model threads=2 acquisitions=100000 lock=mutex change=none lines=own
//                   work=dependent held=0 iterations=10
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace {

enum class lock_kind : unsigned char { mutex, spin, omp_critical, omp_lock };
/// The primitive that the threads use: the lock, a variable for each thread without a lock, an
/// atomic addition instead of the lock and its work, or 64 locks.
enum class change_kind : unsigned char { none, own_variable, atomic, shards };
/// The lines that a thread writes under the lock: the lock's own line, none, one line, or one of 64
/// or 512 lines.
enum class lines_kind : unsigned char { own, none, one, of_64, of_512 };
/// Dependent work waits for the work before it. Independent work overlaps with the lock's calls.
enum class work_kind : unsigned char { dependent, independent };

struct settings {
  std::uint64_t threads = 2;
  std::uint64_t acquisitions = 1000;  ///< for each thread
  lock_kind lock = lock_kind::mutex;
  change_kind change = change_kind::none;
  lines_kind lines = lines_kind::own;
  work_kind work = work_kind::dependent;
  std::uint64_t held_iterations = 0, work_iterations = 0;
};

constexpr std::size_t line_bytes = 64;
constexpr unsigned most_lines = 512, shards = 64;
constexpr unsigned most_threads = 4096;

struct alignas(line_bytes) line {
  std::uint64_t value;
};

// Each lock has a value in its own line, as a counter beside its mutex has.
struct alignas(line_bytes) mutex_line {
  pthread_mutex_t lock;
  std::uint64_t value;
  void init() { pthread_mutex_init(&lock, nullptr); }
  void acquire() { pthread_mutex_lock(&lock); }
  void release() { pthread_mutex_unlock(&lock); }
};
struct alignas(line_bytes) spin_line {
  pthread_spinlock_t lock;
  std::uint64_t value;
  void init() { pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE); }
  void acquire() { pthread_spin_lock(&lock); }
  void release() { pthread_spin_unlock(&lock); }
};
#ifdef _OPENMP
struct alignas(line_bytes) omp_lock_line {
  omp_lock_t lock;
  std::uint64_t value;
  void init() { omp_init_lock(&lock); }
  void acquire() { omp_set_lock(&lock); }
  void release() { omp_unset_lock(&lock); }
};
#endif

line shared_lines[most_lines];
line atomic_line;

/// A thread's part of the acquisitions, and lines that no other thread writes.
struct alignas(line_bytes) thread_part {
  const settings* with;
  std::uint64_t number, acquisitions;
  line lines[most_lines];
};

/// The constants of Knuth's MMIX generator. The high bits choose a line or a shard.
std::uint64_t next_random(std::uint64_t state) {
  return state * 6364136223846793005U + 1442695040888963407U;
}

/// Returns the value after a chain of multiplications, each of which waits for the one before.
std::uint64_t chain(std::uint64_t value, std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = next_random(value);
    asm volatile("" : "+r"(value));
  }
  return value;
}

/// Makes multiplications that wait for nothing.
void multiply(std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations; ++i) {
    std::uint64_t value = i;
    asm volatile("" : "+r"(value));
    value *= value;
    asm volatile("" : : "r"(value));
  }
}

/// Adds 1 in memory: the compiler keeps the load and the store.
void add(std::uint64_t& value) {
  asm volatile("" : "+m"(value));
  ++value;
  asm volatile("" : "+m"(value));
}

template <lines_kind lines> void write_line(line* among, std::uint64_t& own, std::uint64_t random) {
  if constexpr (lines == lines_kind::own) add(own);
  else if constexpr (lines == lines_kind::one) add(among[0].value);
  else if constexpr (lines == lines_kind::of_64) add(among[random >> 58].value);
  else if constexpr (lines == lines_kind::of_512) add(among[random >> 55].value);
}

/// Runs the turns of one thread. `turn` gets a random number and the value of the chain, and
/// returns that value after the work under the lock.
template <work_kind work, class Turn> void run_turns(const thread_part& part, Turn turn) {
  std::uint64_t random = 0x9e3779b97f4a7c15U * (part.number + 1), value = part.number;
  const std::uint64_t iterations = part.with->work_iterations;
  for (std::uint64_t i = 0; i < part.acquisitions; ++i) {
    random = next_random(random);
    value = turn(random, value);
    if constexpr (work == work_kind::dependent) {
      value = chain(value, iterations);
    } else {
      multiply(iterations);
    }
  }
  asm volatile("" : : "r"(value));
}

template <class Turn> void run_turns(const thread_part& part, Turn turn) {
  if (part.with->work == work_kind::dependent) run_turns<work_kind::dependent>(part, turn);
  else run_turns<work_kind::independent>(part, turn);
}

/// The locks of one kind. The first lock models the program's lock. All 64 are shards.
template <class LockLine> struct locks_of {
  static inline LockLine lines[shards];
};

template <class LockLine, lines_kind lines> void run_lock(const thread_part& part) {
  const std::uint64_t held = part.with->held_iterations;
  run_turns(part, [held](std::uint64_t random, std::uint64_t value) {
    LockLine& lock = locks_of<LockLine>::lines[0];
    lock.acquire();
    value = chain(value, held);
    write_line<lines>(shared_lines, lock.value, random);
    lock.release();
    return value;
  });
}

#ifdef _OPENMP
template <lines_kind lines> void run_critical(const thread_part& part) {
  const std::uint64_t held = part.with->held_iterations;
  static line own;  // the runtime hides the lock's line
  run_turns(part, [held](std::uint64_t random, std::uint64_t value) {
#pragma omp critical(model)
    {
      value = chain(value, held);
      write_line<lines>(shared_lines, own.value, random);
    }
    return value;
  });
}
#endif

template <lines_kind lines> void run_own_variable(thread_part& part) {
  const std::uint64_t held = part.with->held_iterations;
  run_turns(part, [&part, held](std::uint64_t random, std::uint64_t value) {
    value = chain(value, held);
    write_line<lines>(part.lines, part.lines[0].value, random);
    return value;
  });
}

void run_atomic(const thread_part& part) {
  run_turns(part, [](std::uint64_t, std::uint64_t value) {
    __atomic_fetch_add(&atomic_line.value, 1, __ATOMIC_SEQ_CST);
    return value;
  });
}

template <class LockLine> void run_shards(const thread_part& part) {
  const std::uint64_t held = part.with->held_iterations;
  run_turns(part, [held](std::uint64_t random, std::uint64_t value) {
    LockLine& lock = locks_of<LockLine>::lines[random >> 58];
    lock.acquire();
    value = chain(value, held);
    add(lock.value);
    lock.release();
    return value;
  });
}

/// Calls the function with the lines as a template argument.
template <class Run> void with_lines(lines_kind lines, Run run) {
  switch (lines) {
  case lines_kind::own:
    return run.template operator()<lines_kind::own>();
  case lines_kind::none:
    return run.template operator()<lines_kind::none>();
  case lines_kind::one:
    return run.template operator()<lines_kind::one>();
  case lines_kind::of_64:
    return run.template operator()<lines_kind::of_64>();
  case lines_kind::of_512:
    return run.template operator()<lines_kind::of_512>();
  }
}

template <class LockLine> void run_locked(const thread_part& part) {
  if (part.with->change == change_kind::shards) return run_shards<LockLine>(part);
  with_lines(part.with->lines, [&part]<lines_kind lines>() { run_lock<LockLine, lines>(part); });
}

void run_part(thread_part& part) {
  const settings& with = *part.with;
  if (with.change == change_kind::atomic) return run_atomic(part);
  if (with.change == change_kind::own_variable)
    return with_lines(with.lines, [&part]<lines_kind lines>() { run_own_variable<lines>(part); });
  switch (with.lock) {
  case lock_kind::mutex:
    return run_locked<mutex_line>(part);
  case lock_kind::spin:
    return run_locked<spin_line>(part);
#ifdef _OPENMP
  case lock_kind::omp_lock:
    return run_locked<omp_lock_line>(part);
  case lock_kind::omp_critical:
    // OpenMP can shard locks, not critical sections.
    if (with.change == change_kind::shards) return run_shards<omp_lock_line>(part);
    return with_lines(with.lines, [&part]<lines_kind lines>() { run_critical<lines>(part); });
#else
  case lock_kind::omp_lock:
  case lock_kind::omp_critical:
    break;  // read_settings() refuses OpenMP's locks
#endif
  }
}

template <class LockLine> void init_locks() {
  for (LockLine& each : locks_of<LockLine>::lines) each.init();
}

[[noreturn]] void refuse(const char* name, const char* value, const char* allowed) {
  std::fprintf(stderr, "lock-model: %s is '%s'; allowed: %s\n", name, value, allowed);
  std::exit(2);
}

std::uint64_t number_in(const char* name, const char* text, std::uint64_t least,
                        std::uint64_t most) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || value < least || value > most) {
    char allowed[80];
    std::snprintf(allowed, sizeof allowed, "a whole number from %llu to %llu",
                  static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
    refuse(name, text, allowed);
  }
  return value;
}

constexpr const char* lock_names[] = {"mutex", "spin", "omp_critical", "omp_lock"};
constexpr const char* change_names[] = {"none", "private", "atomic", "shards"};
constexpr const char* lines_names[] = {"own", "0", "1", "64", "512"};
constexpr const char* work_names[] = {"dependent", "independent"};
#ifdef _OPENMP
constexpr std::size_t known_locks = 4;
#else
constexpr std::size_t known_locks = 2;
#endif

/// Returns the constant with the name `text`. Names and constants have the same order.
template <class Kind>
Kind choice_in(const char* name, const char* text, const char* const* names, std::size_t count) {
  char allowed[80] = "";
  for (std::size_t i = 0; i < count; ++i) {
    if (std::strcmp(text, names[i]) == 0) return static_cast<Kind>(i);
    if (i > 0) std::strcat(allowed, ", ");
    std::strcat(allowed, names[i]);
  }
  refuse(name, text, allowed);
}

settings read_settings(int count, char** arguments) {
  constexpr std::uint64_t most = 1'000'000'000'000;
  settings read;
  for (int i = 1; i < count; ++i) {
    char* const name = arguments[i];
    char* const equals = std::strchr(name, '=');
    if (equals == nullptr) refuse("argument", name, "NAME=VALUE");
    *equals = 0;
    const char* const value = equals + 1;
    const auto is = [name](const char* known) { return std::strcmp(name, known) == 0; };
    if (is("threads")) read.threads = number_in(name, value, 1, most_threads);
    else if (is("acquisitions")) read.acquisitions = number_in(name, value, 1, most);
    else if (is("lock")) read.lock = choice_in<lock_kind>(name, value, lock_names, known_locks);
    else if (is("change")) read.change = choice_in<change_kind>(name, value, change_names, 4);
    else if (is("lines")) read.lines = choice_in<lines_kind>(name, value, lines_names, 5);
    else if (is("work")) read.work = choice_in<work_kind>(name, value, work_names, 2);
    else if (is("held")) read.held_iterations = number_in(name, value, 0, most);
    else if (is("iterations")) read.work_iterations = number_in(name, value, 0, most);
    else
      refuse("argument", name,
             "threads, acquisitions, lock, change, lines, work, held, iterations");
  }
  return read;
}

/// Returns a part for each thread. The kernel sets the memory to zero.
thread_part* new_parts(const settings& with) {
  void* const memory = mmap(nullptr, with.threads * sizeof(thread_part), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("lock-model: memory for the threads");
    std::exit(1);
  }
  auto* const parts = static_cast<thread_part*>(memory);
  for (std::uint64_t i = 0; i < with.threads; ++i) {
    parts[i].with = &with;
    parts[i].number = i;
    parts[i].acquisitions = with.acquisitions;
  }
  return parts;
}

#ifdef _OPENMP

void run_threads(const settings& with, thread_part* parts) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(static_cast<int>(with.threads))
  {
    // OMP_THREAD_LIMIT may leave fewer threads: this team shares out all acquisitions.
    const auto team = static_cast<std::uint64_t>(omp_get_num_threads());
    const auto number = static_cast<std::uint64_t>(omp_get_thread_num());
    const std::uint64_t all = with.threads * with.acquisitions;
    parts[number].acquisitions = all / team + (number < all % team ? 1 : 0);
    run_part(parts[number]);
  }
}

#else

void* run_thread(void* part) {
  run_part(*static_cast<thread_part*>(part));
  return nullptr;
}

void run_threads(const settings& with, thread_part* parts) {
  static pthread_t threads[most_threads];
  for (std::uint64_t i = 0; i < with.threads; ++i) {
    const int error = pthread_create(&threads[i], nullptr, run_thread, &parts[i]);
    if (error != 0) {
      std::fprintf(stderr, "lock-model: thread %llu: %s\n", static_cast<unsigned long long>(i),
                   std::strerror(error));
      std::exit(1);
    }
  }
  for (std::uint64_t i = 0; i < with.threads; ++i) pthread_join(threads[i], nullptr);
}

#endif

}  // namespace

int main(int count, char** arguments) {
  const settings with = read_settings(count, arguments);
  init_locks<mutex_line>();
  init_locks<spin_line>();
#ifdef _OPENMP
  init_locks<omp_lock_line>();
#endif
  run_threads(with, new_parts(with));
}
