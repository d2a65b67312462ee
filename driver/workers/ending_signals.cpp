#include "driver/workers/ending_signals.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

/// Folders that a signal handler removes. An empty text is a free entry. Changes require
/// signals_held.
using folder_name = std::array<char, PATH_MAX>;
std::array<folder_name, 4> folders_of_signal{};

/// Removes the files of a folder, and then the folder. Calls async-signal-safe functions only.
void remove_flat_folder(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 32768> entries{};
  for (long got = 0;
       (got = ::syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0;) {
    for (long at = 0; at < got;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const bool is_itself =
          std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0;
      if (!is_itself) ::unlinkat(folder, entry->d_name, 0);
    }
  }
  ::close(folder);
  ::rmdir(path);
}

void end_with_status(int number) {
  for (const folder_name& folder : folders_of_signal)
    if (folder.front() != 0) remove_flat_folder(folder.data());
  ::_exit(128 + number);
}

/// Returns a descriptor with the lock on a folder of this user, or none with errno: EWOULDBLOCK if
/// another process has the lock.
unique_fd locked(const std::string& folder) {
  unique_fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about{};
  if (!fd || ::fstat(fd.get(), &about) != 0) return unique_fd();
  if (about.st_uid == ::geteuid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  const int error = errno;
  fd.reset();
  errno = error;
  return fd;
}

void remove_folders_of_dead(const std::string& parent, const std::string& prefix) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(prefix + '-')) continue;
    const unique_fd lock = locked(entry->path());
    std::error_code ignored;
    if (lock) fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

signals_held::signals_held() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int number : ending_signals) ::sigaddset(&held, number);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

signals_held::~signals_held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

ends_with_status::ends_with_status() {
  struct sigaction ours = {};
  ::sigfillset(&ours.sa_mask);
  ours.sa_handler = &end_with_status;
  for (std::size_t i = 0; i < ending_signals.size(); ++i) {
    ::sigaction(ending_signals[i], nullptr, &before_[i]);
    if (ending_signals[i] != SIGQUIT && before_[i].sa_handler != SIG_IGN)
      ::sigaction(ending_signals[i], &ours, nullptr);
  }
}

ends_with_status::~ends_with_status() {
  for (std::size_t i = 0; i < ending_signals.size(); ++i)
    ::sigaction(ending_signals[i], &before_[i], nullptr);
}

temporary_folder::temporary_folder(const std::string& parent, const std::string& prefix) {
  remove_folders_of_dead(parent, prefix);
  // Another start may remove a folder before its owner locks the folder.
  constexpr int attempts = 10;
  for (int attempt = 0; attempt < attempts && path_.empty(); ++attempt) {
    const signals_held held;
    std::string name = parent + '/' + prefix + "-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return;
    lock_ = locked(name);
    const bool is_taken = !lock_ && errno == EWOULDBLOCK;
    if (is_taken || ::access(name.c_str(), F_OK) != 0) continue;
    path_ = name;
    const auto free = std::ranges::find_if(
        folders_of_signal, [](const folder_name& folder) { return folder.front() == 0; });
    if (free != folders_of_signal.end() && name.size() < free->size())
      std::memcpy(free->data(), name.c_str(), name.size() + 1);
  }
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  const signals_held held;
  for (folder_name& folder : folders_of_signal)
    if (path_ == folder.data()) folder.front() = 0;
}

}  // namespace syncmeter
