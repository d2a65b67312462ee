// What the targets hold a reader to.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/text/line_reader.hpp"

namespace syncmeter::fuzz {

/// No reader may catch it by the name of its own errors: it is none of them.
struct broken_promise : std::logic_error {
  using std::logic_error::logic_error;
};

inline void promise(bool kept, const std::string& what) {
  if (!kept) throw broken_promise(what);
}

/// True when `work` came to its end, false when it threw an Error, which must say something. Every
/// other exception escapes.
template <class Error, class Work> [[nodiscard]] bool ends_or_throws(Work work) {
  try {
    work();
    return true;
  } catch (const broken_promise&) {
    throw;
  } catch (const Error& error) {
    promise(std::string_view(error.what()) != "", "an error without a message");
    return false;
  }
}

/// The lines of a text without their ends.
[[nodiscard]] inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A file that is only in memory, for readers that want a path.
class memory_file {
 public:
  explicit memory_file(std::string_view bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    promise(::write(file_.get(), bytes.data(), bytes.size()) == std::ssize(bytes) &&
                ::lseek(file_.get(), 0, SEEK_SET) == 0,
            "the file in memory cannot be written");
  }
  [[nodiscard]] int fd() const { return file_.get(); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd()); }

 private:
  unique_fd file_;
};

}  // namespace syncmeter::fuzz
