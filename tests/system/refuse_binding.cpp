// Stands before libc's sched_setaffinity in a process that preloads it, as a sandbox or a CPU that
// has gone does. REFUSE_BINDING is "all": every call is forbidden; or the number of a PU: a call
// for that PU alone is invalid.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <sched.h>

extern "C" int sched_setaffinity(pid_t pid, std::size_t bytes, const cpu_set_t* mask) noexcept {
  const char* const refused = std::getenv("REFUSE_BINDING");
  if (refused != nullptr && std::strcmp(refused, "all") == 0) {
    errno = EPERM;
    return -1;
  }
  if (refused != nullptr && CPU_COUNT_S(bytes, mask) == 1 &&
      CPU_ISSET_S(static_cast<std::size_t>(std::atoi(refused)), bytes, mask)) {
    errno = EINVAL;
    return -1;
  }
  using call = int (*)(pid_t, std::size_t, const cpu_set_t*);
  return reinterpret_cast<call>(dlsym(RTLD_NEXT, "sched_setaffinity"))(pid, bytes, mask);
}
