// A file that the user names to be written: never over what must not be lost, and never in part.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "driver/text/line_reader.hpp"

namespace syncmeter {

/// A new file beside another file, removed again unless it replaces the other file. Its name is
/// new: existing files and links are neither followed nor lost.
class file_beside {
 public:
  explicit file_beside(const std::string& path);
  file_beside(const file_beside&) = delete;
  file_beside& operator=(const file_beside&) = delete;
  ~file_beside();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// errno's value if the file could not be created, or 0.
  [[nodiscard]] int error() const { return error_; }
  /// Returns errno's value, or 0.
  [[nodiscard]] int take_its_place();
  /// Gives away the descriptor of the file after take_its_place().
  [[nodiscard]] unique_fd placed() { return std::move(placed_); }

 private:
  std::filesystem::path place_;
  std::string name_;
  unique_fd fd_, placed_;
  int error_ = 0;
};

struct output_file {
  std::string option;  ///< as messages name it: "--csv"
  std::string path;
  bool force = false;                 ///< a file that exists may be replaced
  bool offers_force = true;           ///< the command has an option --force
  std::vector<std::string> inputs{};  ///< that the command reads, or writes results to
};

/// Throws usage_error when the file must not be written: it is one of its command's inputs, by
/// whatever name, or holds the results of a campaign, or it exists without `force`; and when it
/// cannot be. To be called before the work, so that a wrong name does not cost it.
void require_writable(const output_file& file);

/// Writes the text beside the file, and puts it in its place when it is whole; a pipe or a device
/// gets it as it is. Throws as require_writable does, and std::runtime_error when it could not be
/// written in full; what stood there then stays.
void write_whole(const output_file& file, std::string_view text);

}  // namespace syncmeter
