#include "probe/run_delay.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "probe/count.hpp"
#include "probe/kernel.hpp"
#include "probe/thread_key.hpp"
#include "probe/times.hpp"

namespace syncmeter::probe {

__thread std::uint64_t met_first = 0;

namespace {

constinit thread_key end_of_thread;

/// From when on those that are left are read, also those that a runtime ends later.
constinit bool is_ending = false;

/// Adds the second number of a schedstat to that of the process. An error of the kernel, or 0.
long add_run_delay(file_header& to, int folder, const char* path) {
  const long file = kernel(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return file;
  char text[96];
  const long length = kernel(SYS_read, file, text, sizeof text - 1);
  kernel(SYS_close, file);
  if (length <= 0) return length < 0 ? length : -EIO;
  text[length] = 0;
  const char* digit = ::strchr(text, ' ');
  // Of a kernel that does not count, all three numbers are 0.
  if (digit == nullptr || ::strncmp(text, "0 0 0", 5) == 0) return -ENODATA;
  std::uint64_t waited_ns = 0;
  while (*++digit >= '0' && *digit <= '9')
    waited_ns = waited_ns * 10 + static_cast<std::uint64_t>(*digit - '0');
  __atomic_fetch_add(&to.run_delay_ns, waited_ns, __ATOMIC_RELAXED);
  return 0;
}

void note_unknown(file_header& of) {
  __atomic_fetch_add(&of.without_run_delay, 1, __ATOMIC_RELAXED);
}

// A destructor of a key. To read takes some microseconds, which a thread that has hardly lived
// would be longer by; the first one stays among those of the process.
void leave(void*) {
  constexpr std::uint64_t short_life_ns = 1'000'000;
  file_header* const to = header_of_process();
  if (to == nullptr || __atomic_load_n(&is_ending, __ATOMIC_ACQUIRE) ||
      since(met_first, now()) < short_life_ns || kernel(SYS_gettid) == kernel(SYS_getpid))
    return;
  if (add_run_delay(*to, AT_FDCWD, "/proc/thread-self/schedstat") != 0) note_unknown(*to);
}

struct directory_entry {
  std::uint64_t inode, offset;
  std::uint16_t bytes;
  std::uint8_t type;
  char name[1];
};

/// A thread that is gone meanwhile has been added by itself, if it met others. One that has added
/// itself may still be listed for some microseconds, and counts twice then.
void add_threads(file_header& to, int folder) {
  alignas(directory_entry) char entries[4096];
  for (long bytes; (bytes = kernel(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const directory_entry*>(entries + at);
      at += entry->bytes;
      if (entry->name[0] == '.') continue;
      char path[64];
      ::strcpy(::stpcpy(path, entry->name), "/schedstat");
      const long error = add_run_delay(to, folder, path);
      if (error != 0 && error != -ENOENT && error != -ESRCH) note_unknown(to);
    }
}

[[gnu::destructor]] void end() {
  file_header* const to = header_of_process();
  if (to == nullptr || timed_every().meetings == 0) return;
  const long folder =
      kernel(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return;
  __atomic_store_n(&is_ending, true, __ATOMIC_RELEASE);
  add_threads(*to, static_cast<int>(folder));
  kernel(SYS_close, folder);
  to->has_ended = 1;
}

[[gnu::constructor(101)]] void start() { end_of_thread.make(leave); }

}  // namespace

void follow_to_end() { end_of_thread.set(&met_first); }

}  // namespace syncmeter::probe
