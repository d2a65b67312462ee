#include "driver/text/output_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "core/worker/protocol.hpp"
#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/zstd_text.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

std::optional<struct stat> about(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}

// Compares files by identity, through links, and by path before either exists.
bool same_file(const std::string& a, const std::string& b) {
  const auto about_a = about(a), about_b = about(b);
  if (about_a && about_b)
    return about_a->st_dev == about_b->st_dev && about_a->st_ino == about_b->st_ino;
  if (about_a || about_b) return false;
  std::error_code error;
  const fs::path whole_a = fs::weakly_canonical(a, error);
  return !error && whole_a == fs::weakly_canonical(b, error) && !error;
}

// Returns whether the first line is a campaign line. Compressed files count as results.
bool holds_results(const std::string& path) {
  constexpr std::size_t longest_line = 1 << 20;
  const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(longest_line, '\0');
  const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : -1;
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  if (begins_zstd(text)) return true;
  const nlohmann::json line = read_json(std::string_view(text).substr(0, text.find('\n')));
  const auto kind = line.is_object() ? line.find("kind") : line.end();
  return kind != line.end() && *kind == "campaign";
}

std::string refusal(const output_file& file, std::string_view what) {
  return fmt::format("{}: '{}' {}", file.option, file.path, what);
}
std::string not_written(const output_file& file, int error) {
  return refusal(file, fmt::format("cannot be written: {}", std::strerror(error)));
}

mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

bool is_stream(const output_file& file) {
  const auto found = about(file.path);
  return found && !S_ISREG(found->st_mode) && !S_ISDIR(found->st_mode);
}

}  // namespace

file_beside::file_beside(const std::string& path) {
  std::error_code error;
  place_ = fs::canonical(path, error);  // a link stays a link
  if (error) place_ = path;
  name_ = place_.string() + ".XXXXXX";
  fd_.reset(::mkostemp(name_.data(), O_APPEND | O_CLOEXEC));
  if (!fd_) error_ = errno;
}

file_beside::~file_beside() {
  if (fd_) ::unlink(name_.c_str());
}

int file_beside::take_its_place() {
  const auto old = about(place_);
  if (::fchmod(fd_.get(), old ? old->st_mode & 07777U : usual_mode()) != 0) return errno;
  if (::fsync(fd_.get()) != 0 && errno != EINVAL && errno != EROFS) return errno;
  if (::rename(name_.c_str(), place_.c_str()) != 0) return errno;
  placed_ = std::move(fd_);
  return 0;
}

void require_writable(const output_file& file) {
  const auto is_it = [&](const std::string& input) { return same_file(file.path, input); };
  if (std::ranges::any_of(file.inputs, is_it))
    throw usage_error(refusal(file, "is a file of this command already; name another file"));
  if (is_stream(file)) return;
  if (const auto found = about(file.path); found && S_ISREG(found->st_mode)) {
    if (holds_results(file.path))
      throw usage_error(refusal(file, "holds the results of a run; name another file"));
    if (!file.force)
      throw usage_error(refusal(
          file, file.offers_force ? "exists; name another file, or add --force to replace it"
                                  : "exists; name another file"));
  } else if (found) {
    throw usage_error(not_written(file, EISDIR));
  }
  if (const file_beside attempt(file.path); attempt.error() != 0)
    throw usage_error(not_written(file, attempt.error()));
}

void write_whole(const output_file& file, std::string_view text) {
  // Beyond a file size limit write() shall fail like on a full disk, instead of a signal that ends
  // us.
  ::signal(SIGXFSZ, SIG_IGN);
  int error = 0;
  if (is_stream(file)) {
    const unique_fd stream(::open(file.path.c_str(), O_WRONLY | O_CLOEXEC));
    error = stream ? write_all(stream.get(), text) : errno;
  } else {
    require_writable(file);
    file_beside fresh(file.path);
    error = fresh.error();
    if (error == 0) error = write_all(fresh.fd(), text);
    if (error == 0) error = fresh.take_its_place();
  }
  if (error != 0)
    throw std::runtime_error(
        refusal(file, fmt::format("was not written in full: {}", std::strerror(error))));
}

}  // namespace syncmeter
