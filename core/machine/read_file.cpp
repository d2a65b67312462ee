#include "core/machine/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace syncmeter {

file_bytes read_file(const std::string& path, const file_limits& limits) {
  file_bytes found;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {.bytes = {}, .error = errno};
  struct stat about{};
  const bool regular = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  const std::size_t most = regular ? limits.regular : limits.other;
  std::array<char, 65536> chunk;
  int interruptions = 0;
  for (;;) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR && ++interruptions < most_interruptions) continue;
      found.error = errno;
      break;
    }
    interruptions = 0;
    found.bytes.append(chunk.data(), static_cast<std::size_t>(got));
    if (found.bytes.size() > most) {
      found.error = EFBIG;
      break;
    }
  }
  ::close(fd);
  return found;
}

}  // namespace syncmeter
