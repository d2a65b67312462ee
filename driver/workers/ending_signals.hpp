// Makes SIGINT, SIGTERM and SIGHUP end this process cleanly between two runs of a user's program.
#pragma once

#include <signal.h>

#include <array>
#include <string>

#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// Signals that ask a command to end. A terminal sends the first two to the program as well.
inline constexpr std::array<int, 4> ending_signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/// Blocks the ending signals during its lifetime.
class signals_held {
 public:
  signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held();

 private:
  sigset_t before_{};
};

/// Handler for SIGINT, SIGTERM and SIGHUP. During its lifetime a signal removes the folders of
/// temporary_folder and ends this process with exit status 130, 143 or 129. Ignored signals stay
/// ignored.
class ends_with_status {
 public:
  ends_with_status();
  ends_with_status(const ends_with_status&) = delete;
  ends_with_status& operator=(const ends_with_status&) = delete;
  ~ends_with_status();

 private:
  std::array<struct sigaction, ending_signals.size()> before_{};
};

/// A new folder for files (no subfolders), removed by the destructor or ends_with_status. The
/// folder is locked: a later start removes the folder if this process was killed. A signal removes
/// up to four folders.
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
