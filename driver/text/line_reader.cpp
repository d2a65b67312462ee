#include "driver/text/line_reader.hpp"

#include <array>
#include <cerrno>

#include "core/machine/read_file.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t chunk_bytes = 65536;

read_outcome append_once(int fd, std::string& to, int& error) {
  std::array<char, chunk_bytes> chunk;
  ssize_t got = -1;
  errno = EINTR;
  for (int i = 0; i < most_interruptions && got < 0 && errno == EINTR; ++i)
    got = ::read(fd, chunk.data(), chunk.size());
  if (got > 0) {
    to.append(chunk.data(), static_cast<std::size_t>(got));
    return read_outcome::some;
  }
  if (got < 0 && errno == EAGAIN) return read_outcome::nothing_yet;
  if (got < 0) error = errno;
  return read_outcome::end;
}

}  // namespace

int write_all(int fd, std::string_view text) {
  for (int interruptions = 0; !text.empty();) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR && ++interruptions < most_interruptions) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    interruptions = 0;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

read_outcome line_reader::read_from(int fd) {
  if (start_ > 0) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
  }
  return append_once(fd, buffer_, error_);
}

std::optional<std::string> line_reader::next() {
  const std::size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return std::nullopt;
  }
  std::string line = buffer_.substr(start_, end - start_);
  start_ = scanned_ = end + 1;
  return line;
}

read_outcome stream_tail::read_from(int fd) {
  int error = 0;
  const read_outcome outcome = append_once(fd, kept_, error);
  if (kept_.size() > limit_) kept_.erase(0, kept_.size() - limit_);
  return outcome;
}

std::string_view stream_tail::text() const {
  const std::string_view all = kept_;
  return all.substr(0, all.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace syncmeter
