// SIGINT, SIGTERM and SIGHUP between two runs of a user's program: they end this process, and leave
// nothing behind.
#pragma once

#include <signal.h>

#include <array>
#include <string>

#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// Signals that ask a command to end. A terminal sends the first two to the program as well.
inline constexpr std::array<int, 4> ending_signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/// Blocks the ending signals while it lives.
class signals_held {
 public:
  signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held();

 private:
  sigset_t before_{};
};

/// While it lives, SIGINT, SIGTERM and SIGHUP end this process with exit status 130, 143 or 129,
/// after the folder of temporary_folder is removed. Signals that are ignored stay ignored.
class ends_with_status {
 public:
  ends_with_status();
  ends_with_status(const ends_with_status&) = delete;
  ends_with_status& operator=(const ends_with_status&) = delete;
  ~ends_with_status();

 private:
  std::array<struct sigaction, ending_signals.size()> before_{};
};

/// A new folder for files (no folders in it), removed at its end or by ends_with_status. The folder
/// is locked: a later start removes the folder if this process was killed. A signal removes up to
/// four folders.
class temporary_folder {
 public:
  /// Makes PARENT/PREFIX-XXXXXX, and removes folders of the same prefix if the owner is dead.
  /// Leaves path() empty and the reason in errno if the folder cannot be made.
  temporary_folder(const std::string& parent, const std::string& prefix);
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_{};
  unique_fd lock_{};
};

}  // namespace syncmeter
