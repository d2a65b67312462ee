// Preloaded: makes chosen calls of one program fail, as a full disk or a lack of memory does.
// - FAIL_PROGRAM: the program's file name; every other one is left alone.
// - FAIL_CALL: what fails, a kind of call below ("write" is writev too).
// - FAIL_AT: which of these calls, from 1, counted over all processes of the program.
// - FAIL_FOR: how many from there on (1 when not set).
// - FAIL_ERRNO: the error's number; 0: a write takes no bytes, which is no error.
// - FAIL_COUNTER: a file of 8 zero bytes, which the processes count in.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

namespace {

// Null until this program is known to be the one: what is called before passes.
std::atomic<std::int64_t>* counter = nullptr;
const char* failing = "";
std::int64_t first = 0, last = 0;
int error_number = EIO;

std::int64_t number_in(const char* name, std::int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

__attribute__((constructor)) void begin() {
  const char* const program = std::getenv("FAIL_PROGRAM");
  const char* const call = std::getenv("FAIL_CALL");
  const char* const path = std::getenv("FAIL_COUNTER");
  if (program == nullptr || call == nullptr || path == nullptr ||
      std::strcmp(program, program_invocation_short_name) != 0)
    return;
  first = number_in("FAIL_AT", 0);
  last = first + number_in("FAIL_FOR", 1) - 1;
  error_number = static_cast<int>(number_in("FAIL_ERRNO", EIO));
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  void* const shared = ::mmap(nullptr, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || shared == MAP_FAILED) std::abort();
  ::close(fd);
  failing = call;
  counter = static_cast<std::atomic<std::int64_t>*>(shared);
}

bool strikes(const char* call) {
  if (counter == nullptr || std::strcmp(call, failing) != 0) return false;
  const std::int64_t number = counter->fetch_add(1) + 1;
  if (number < first || number > last) return false;
  errno = error_number;
  return true;
}

template <class function> function* real(const char* name) {
  return reinterpret_cast<function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// NAME of libc, which tells of a failure by FAILURE and errno. Under a name of its own here, as the
// headers have the other one with an exception specification.
#define SM_FAILS(CALL, FAILURE, RESULT, NAME, PARAMETERS, ARGUMENTS)                               \
  extern "C" RESULT sm_##NAME PARAMETERS __asm__(#NAME);                                           \
  RESULT sm_##NAME PARAMETERS {                                                                    \
    static auto* const next = real<RESULT PARAMETERS>(#NAME);                                      \
    return strikes(CALL) ? static_cast<RESULT>(FAILURE) : next ARGUMENTS;                          \
  }
// The mode comes only where a file may be made.
#define SM_OPENS(NAME, PARAMETERS, ARGUMENTS)                                                      \
  extern "C" int sm_##NAME PARAMETERS __asm__(#NAME);                                              \
  int sm_##NAME PARAMETERS {                                                                       \
    static auto* const next = real<int PARAMETERS>(#NAME);                                         \
    mode_t mode = 0;                                                                               \
    if ((flags & (O_CREAT | __O_TMPFILE)) != 0) {                                                  \
      std::va_list more;                                                                           \
      va_start(more, flags);                                                                       \
      mode = va_arg(more, mode_t);                                                                 \
      va_end(more);                                                                                \
    }                                                                                              \
    return strikes("open") ? -1 : next ARGUMENTS;                                                  \
  }

// clang-format off: a table
SM_FAILS("write", error_number == 0 ? 0 : -1, ssize_t, write, (int fd, const void* from, std::size_t bytes), (fd, from, bytes))
SM_FAILS("write", error_number == 0 ? 0 : -1, ssize_t, writev, (int fd, const iovec* parts, int count), (fd, parts, count))
SM_FAILS("read", -1, ssize_t, read, (int fd, void* to, std::size_t bytes), (fd, to, bytes))
SM_FAILS("read", -1, ssize_t, pread, (int fd, void* to, std::size_t bytes, off_t at), (fd, to, bytes, at))
SM_FAILS("read", -1, ssize_t, pread64, (int fd, void* to, std::size_t bytes, off_t at), (fd, to, bytes, at))
SM_OPENS(open, (const char* path, int flags, ...), (path, flags, mode))
SM_OPENS(open64, (const char* path, int flags, ...), (path, flags, mode))
SM_OPENS(openat, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
SM_OPENS(openat64, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
SM_FAILS("open", nullptr, FILE*, fopen, (const char* path, const char* mode), (path, mode))
SM_FAILS("open", nullptr, FILE*, fopen64, (const char* path, const char* mode), (path, mode))
SM_FAILS("rename", -1, int, rename, (const char* from, const char* to), (from, to))
SM_FAILS("fdatasync", -1, int, fdatasync, (int fd), (fd))
SM_FAILS("fdatasync", -1, int, fsync, (int fd), (fd))
SM_FAILS("ftruncate", -1, int, ftruncate, (int fd, off_t bytes), (fd, bytes))
SM_FAILS("ftruncate", -1, int, ftruncate64, (int fd, off_t bytes), (fd, bytes))
SM_FAILS("flock", -1, int, flock, (int fd, int how), (fd, how))
SM_FAILS("poll", -1, int, poll, (pollfd* watched, nfds_t count, int within), (watched, count, within))
SM_FAILS("fork", -1, pid_t, fork, (), ())
SM_FAILS("execve", -1, int, execve, (const char* path, char* const* argv, char* const* env), (path, argv, env))
SM_FAILS("pipe", -1, int, pipe, (int* ends), (ends))
SM_FAILS("pipe", -1, int, pipe2, (int* ends, int flags), (ends, flags))
SM_FAILS("dup2", -1, int, dup2, (int from, int to), (from, to))
SM_FAILS("malloc", nullptr, void*, malloc, (std::size_t bytes), (bytes))
SM_FAILS("malloc", nullptr, void*, realloc, (void* old, std::size_t bytes), (old, bytes))
SM_FAILS("malloc", nullptr, void*, aligned_alloc, (std::size_t to, std::size_t bytes), (to, bytes))
SM_FAILS("sched_setaffinity", -1, int, sched_setaffinity,
         (pid_t pid, std::size_t bytes, const cpu_set_t* mask), (pid, bytes, mask))
// These return the error.
SM_FAILS("pthread_create", error_number, int, pthread_create,
         (pthread_t* made, const pthread_attr_t* how, void* (*what)(void*), void* with), (made, how, what, with))
SM_FAILS("fork", error_number, int, posix_spawnp,
         (pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
          char* const* argv, char* const* env), (pid, file, actions, how, argv, env))
// clang-format on
