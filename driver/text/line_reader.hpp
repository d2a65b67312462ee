// A file descriptor, and the output of a pipe cut into lines (a worker's answers) or kept as a tail
// (the end of its standard error).
#pragma once

#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace syncmeter {

/// Closes its descriptor when destroyed; -1 is "none".
class unique_fd {
 public:
  explicit unique_fd(int fd = -1) noexcept : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~unique_fd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

/// Writes all of a text. Returns errno's value, or 0.
[[nodiscard]] int write_all(int fd, std::string_view text);

/// The result of one attempt to read.
enum class read_outcome { some, nothing_yet, end };

/// Collects bytes and returns whole lines.
class line_reader {
 public:
  explicit line_reader(std::size_t longest_line_bytes = std::size_t{16} << 20)
      : longest_(longest_line_bytes) {}

  /// Reads once from a descriptor that does not block. A read error counts as the end.
  read_outcome read_from(int fd);
  /// Returns errno's value from the failed read, or 0.
  [[nodiscard]] int error() const { return error_; }
  /// Returns the next whole line, without its end.
  [[nodiscard]] std::optional<std::string> next();
  /// Returns the longest allowed line in bytes. next() also returns longer lines if their end was
  /// in the same read.
  [[nodiscard]] std::size_t longest() const { return longest_; }
  /// Returns true if the waiting bytes exceed the longest line and still have no end.
  [[nodiscard]] bool overlong() const { return waiting().size() > longest_; }
  /// Returns the bytes after the last line from next().
  [[nodiscard]] std::string_view waiting() const {
    return std::string_view(buffer_).substr(start_);
  }

 private:
  std::size_t longest_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the bytes not yet returned by next()
  std::size_t scanned_ = 0;  // no line ends in [start_, scanned_)
  int error_ = 0;
};

/// The last bytes of a stream.
class stream_tail {
 public:
  explicit stream_tail(std::size_t limit_bytes = 4096) : limit_(limit_bytes) {}
  /// Reads once from a descriptor that does not block. A read error counts as the end.
  read_outcome read_from(int fd);
  /// Returns the last bytes, without blank space at the end.
  [[nodiscard]] std::string_view text() const;

 private:
  std::size_t limit_;
  std::string kept_;
};

}  // namespace syncmeter
