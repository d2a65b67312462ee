// Appends lines to a results file. A kill loses at most the line in flight, and a full disk leaves
// no torn line.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/text/line_reader.hpp"
#include "driver/text/output_file.hpp"
#include "driver/text/zstd_text.hpp"

namespace syncmeter {

/// The results file can no longer be written, and the campaign stops with exit status 1. The
/// message names the file and the system's reason.
struct output_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The only writer of a results file. It holds the file's lock while it lives.
class results_writer {
 public:
  /// Creates a file, or uses an empty file that no other process holds. Throws usage_error if the
  /// file exists or cannot be created. Writes to a device or a pipe ("/dev/stdout") directly, and
  /// waits 10 s for a pipe's reader. Compresses *.zst. Messages name `option`, and --resume if it
  /// can continue the file.
  [[nodiscard]] static results_writer
  create(const std::string& path, const std::string& option = "--output", bool is_resumed = true);
  /// Opens an existing file to append to, and keeps its compression. Throws usage_error if the file
  /// cannot be opened or another process writes to it.
  [[nodiscard]] static results_writer append_to(const std::string& path,
                                                const std::string& option = "--resume");

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Appends one object as one line. Throws output_error. The file then ends with the previous
  /// line.
  void write(const nlohmann::json& line);
  /// Cuts an uncompressed file after this many bytes. Throws output_error.
  void cut_after(std::uint64_t bytes);
  /// Replaces a compressed file by a file with this text, whole or not at all. Throws output_error.
  void rewrite(std::string_view text);
  /// Writes a file again that somebody removed during the run, or finds a moved file. Returns a
  /// sentence about the event, or an empty string. path() is the new place. Throws output_error.
  [[nodiscard]] std::string restore();
  /// Ends a compressed file's frame, and flushes the file to the disk. Throws output_error.
  void flush();

 private:
  results_writer(std::string path, unique_fd file)
      : path_(std::move(path)), file_(std::move(file)) {}
  void lock();
  void append(std::string_view bytes);
  void write_anew();
  [[noreturn]] void fail(int error) const;

  std::string path_;
  unique_fd file_;
  std::string restored_{};  ///< restore()'s sentence about earlier lines
  std::optional<zstd_packer> packer_{};
};

/// Writes lines to a new file, whole or not at all. Compresses the file if the name ends in .zst.
/// Throws like write_whole.
void write_lines_whole(const output_file& file, const std::vector<nlohmann::json>& lines);

/// Returns the default results file: syncmeter-HOST-TIME.jsonl in the working directory.
[[nodiscard]] std::string default_output();

}  // namespace syncmeter
