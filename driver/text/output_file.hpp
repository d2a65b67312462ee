// Writes files that the user names, never over files that must not be lost, and never in part.
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
  /// Returns errno's value if the file could not be created, or 0.
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
  std::string option;  ///< the name in messages: "--csv"
  std::string path;
  bool force = false;                 ///< an existing file may be replaced
  bool offers_force = true;           ///< the command has an option --force
  std::vector<std::string> inputs{};  ///< files that the command reads, or writes results to
};

/// Throws usage_error if the file must not or cannot be written. It must not be an input of its
/// command, by whatever name, hold the results of a campaign, or exist without `force`. Call it
/// before the work, because a wrong name must not cost the work.
void require_writable(const output_file& file);

/// Writes the text beside the file, and replaces the file when the text is whole. Writes to a pipe
/// or a device directly. Throws like require_writable, and std::runtime_error after an incomplete
/// write, which keeps the old file.
void write_whole(const output_file& file, std::string_view text);

}  // namespace syncmeter
