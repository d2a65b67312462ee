#include "driver/results/results_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <thread>

#include "driver/text/messages.hpp"
#include "driver/text/output_file.hpp"

namespace syncmeter {
namespace {

bool is_pipe(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
}

// Waits for a pipe's reader, but not forever.
unique_fd open_pipe(const std::string& path) {
  constexpr int looks = 100;
  for (int look = 0;; ++look) {
    unique_fd pipe(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (pipe) ::fcntl(pipe.get(), F_SETFL, O_WRONLY);
    if (pipe || errno != ENXIO || look == looks) return pipe;
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
}

// Returns whether an earlier campaign, killed before its first line, left the file. Excludes the
// file for our own table.
bool is_left_empty(int fd) {
  struct stat about{}, of_output{};
  if (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size != 0) return false;
  return ::fstat(STDOUT_FILENO, &of_output) != 0 || of_output.st_dev != about.st_dev ||
         of_output.st_ino != about.st_ino;
}

bool is_device(int fd) {
  struct stat about{};
  return ::fstat(fd, &about) == 0 && S_ISCHR(about.st_mode);
}

constexpr int appending = O_WRONLY | O_APPEND | O_CLOEXEC;
// Readable, to recover the lines if the file's name is gone.
constexpr int appending_to_file = O_RDWR | O_APPEND | O_CLOEXEC;

bool is_at(const std::string& path, const struct stat& file) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && about.st_dev == file.st_dev &&
         about.st_ino == file.st_ino;
}

std::string text_of_line(const nlohmann::json& line) {
  // Foreign bytes (a file name in argv) must not make a line unreadable.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace

results_writer results_writer::create(const std::string& path, const std::string& option,
                                      bool is_resumed) {
  // Beyond a file size limit write() shall fail like on a full disk, instead of a signal that ends
  // us.
  ::signal(SIGXFSZ, SIG_IGN);
  results_writer writer(
      path, unique_fd(::open(path.c_str(), appending_to_file | O_CREAT | O_EXCL, 0666)));
  int error = writer.file_ ? 0 : errno;
  if (error == EEXIST) {
    writer.file_ =
        is_pipe(path) ? open_pipe(path) : unique_fd(::open(path.c_str(), appending_to_file));
    // A device may be write-only.
    if (!writer.file_ && errno == EACCES) writer.file_.reset(::open(path.c_str(), appending));
    error = writer.file_ || errno == EISDIR ? EEXIST : errno;
    if (error == ENXIO)
      throw usage_error(fmt::format("{}: nobody reads from the pipe '{}'", option, path));
  }
  if (error != 0 && error != EEXIST) {
    throw usage_error(
        fmt::format("{}: '{}' cannot be created: {}", option, path, std::strerror(error)));
  }
  if (writer.file_) writer.lock();
  const int fd = writer.file_.get();
  if (error == EEXIST && !(fd >= 0 && (is_pipe(path) || is_device(fd) || is_left_empty(fd)))) {
    throw usage_error(fmt::format("{}: '{}' exists; name another file{}", option, path,
                                  is_resumed ? ", or continue it with --resume" : ""));
  }
  if (names_zstd(path)) writer.packer_.emplace();
  return writer;
}

results_writer results_writer::append_to(const std::string& path, const std::string& option) {
  ::signal(SIGXFSZ, SIG_IGN);
  unique_fd file(::open(path.c_str(), appending_to_file));
  if (!file) {
    throw usage_error(fmt::format("{}: '{}' cannot be opened for writing: {}", option, path,
                                  std::strerror(errno)));
  }
  struct stat about{};
  if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode))
    throw usage_error(fmt::format("{}: '{}' is not a regular file", option, path));
  results_writer writer(path, std::move(file));
  writer.lock();
  std::array<char, 4> first{};
  if (::pread(writer.file_.get(), first.data(), first.size(), 0) == std::ssize(first) &&
      begins_zstd({first.data(), first.size()}))
    writer.packer_.emplace();
  return writer;
}

void results_writer::lock() {
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    throw usage_error(fmt::format(
        "'{}' is in use by another syncmeter; wait for it or name another file", path_));
  }
  // Some network file systems have no locks. The user must then ensure a single writer.
}

void results_writer::fail(int error) const {
  throw output_error(fmt::format("'{}' cannot be written: {}; what was written before is kept",
                                 path_, std::strerror(error)));
}

void results_writer::write(const nlohmann::json& line) {
  const std::string text = text_of_line(line);
  append(packer_ ? packer_->packed(text) : text);
}

void results_writer::append(std::string_view bytes) {
  struct stat about{};
  const bool regular = ::fstat(file_.get(), &about) == 0 && S_ISREG(about.st_mode);
  // Without a name the lines would vanish with this process.
  if (regular && about.st_nlink == 0) write_anew();
  const int error = write_all(file_.get(), bytes);
  if (error == 0) return;
  // Readers would report half a line as a torn tail.
  if (regular) [[maybe_unused]]
    const int cut = ::ftruncate(file_.get(), about.st_size);
  fail(error);
}

void results_writer::write_anew() {
  std::string text(64U << 10U, '\0');
  const std::string old = path_;
  unique_fd fresh(::open(path_.c_str(), appending_to_file | O_CREAT | O_EXCL, 0666));
  for (int number = 1; !fresh && errno == EEXIST && number < 1000; ++number) {
    path_ = fmt::format("{}.{}", old, number);
    fresh.reset(::open(path_.c_str(), appending_to_file | O_CREAT | O_EXCL, 0666));
  }
  int error = fresh ? 0 : errno;
  for (off_t at = 0; error == 0;) {
    const ssize_t got = ::pread(file_.get(), text.data(), text.size(), at);
    if (got == 0) break;
    error = got < 0 ? errno : write_all(fresh.get(), {text.data(), static_cast<std::size_t>(got)});
    at += got;
  }
  if (error != 0)
    throw output_error(fmt::format("'{}' was removed during the run, and cannot be written "
                                   "anew: {}; the run stops here",
                                   old, std::strerror(error)));
  file_ = std::move(fresh);
  lock();
  restored_ = fmt::format("'{}' was removed during the run: all of its lines are written "
                          "anew in '{}'",
                          old, path_);
}

std::string results_writer::restore() {
  struct stat about{};
  if (::fstat(file_.get(), &about) != 0 || !S_ISREG(about.st_mode)) return restored_;
  if (about.st_nlink == 0) write_anew();
  else if (!is_at(path_, about)) {
    std::error_code unknown;
    const std::string now =
        std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file_.get()), unknown);
    // A network file system keeps a removed file under such a name until the file is closed.
    const bool is_kept = std::filesystem::path(now).filename().string().starts_with(".nfs");
    if (unknown || is_kept || !is_at(now, about)) {
      write_anew();
    } else {
      restored_ = fmt::format("'{}' was moved during the run: its lines are in '{}'", path_, now);
      path_ = now;
    }
  }
  return restored_;
}

void results_writer::cut_after(std::uint64_t bytes) {
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail(errno);
}

void results_writer::rewrite(std::string_view text) {
  file_beside fresh(path_);
  int error = fresh.error();
  if (error != 0) fail(error);
  // Nobody else knows the file, so only a file system without locks refuses.
  ::flock(fresh.fd(), LOCK_EX | LOCK_NB);
  zstd_packer packer;
  error = write_all(fresh.fd(), packer.packed(text));
  if (error == 0) error = fresh.take_its_place();
  if (error != 0) fail(error);
  file_ = fresh.placed();
  packer_ = std::move(packer);
}

void results_writer::flush() {
  if (packer_) append(packer_->ended());
  // A pipe or a device has nothing to put on a disk.
  if (::fdatasync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
}

void write_lines_whole(const output_file& file, const std::vector<nlohmann::json>& lines) {
  std::string text;
  for (const nlohmann::json& line : lines) text += text_of_line(line);
  if (names_zstd(file.path)) {
    zstd_packer packer;
    const std::string packed = packer.packed(text);
    text = packed + packer.ended();
  }
  write_whole(file, text);
}

std::string default_output() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"unknown"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> time{};
  std::strftime(time.data(), time.size(), "%Y%m%dT%H%M%SZ", &utc);
  return fmt::format("syncmeter-{}-{}.jsonl", host.data(), time.data());
}

}  // namespace syncmeter
