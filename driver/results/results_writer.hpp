// Appends lines to a results file so that a kill loses at most the line in flight, and a full disk
// leaves no torn one.
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

/// The results file can no longer be written: the campaign stops. Exit status 1. The message names
/// the file and the system's reason.
struct output_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The only writer of a results file: it holds the file's lock while it lives.
class results_writer {
 public:
  /// A new file, or an empty one that no other process holds. Throws usage_error when it exists or
  /// cannot be made. A device or a pipe ("/dev/stdout") is written to as it is; one that nobody
  /// reads from is waited for, 10 s. *.zst is written compressed. Messages name `option`, and
  /// --resume where that continues such a file.
  [[nodiscard]] static results_writer
  create(const std::string& path, const std::string& option = "--output", bool is_resumed = true);
  /// An existing file, to append to, compressed where it is. Throws usage_error when it cannot be
  /// opened or another process writes to it.
  [[nodiscard]] static results_writer append_to(const std::string& path,
                                                const std::string& option = "--resume");

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Appends one object as one line. Throws output_error; the file then ends with the line before.
  void write(const nlohmann::json& line);
  /// Cuts a file that is not compressed after this many bytes. Throws output_error.
  void cut_after(std::uint64_t bytes);
  /// Puts a compressed file of this text in place of the one there is, whole or not at all. Throws
  /// output_error.
  void rewrite(std::string_view text);
  /// What became of a file that somebody removed or moved while it was written, in a sentence: it
  /// is written anew, and path() is where. Empty where nothing did. Throws output_error.
  [[nodiscard]] std::string restore();
  /// Ends the frame of a compressed file, and has the system put everything on the disk. Throws
  /// output_error.
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
  std::string restored_{};  ///< what restore() says of earlier lines
  std::optional<zstd_packer> packer_{};
};

/// Writes lines to a new file, whole or not at all. Compresses the file if the name ends in .zst.
/// Throws as write_whole does.
void write_lines_whole(const output_file& file, const std::vector<nlohmann::json>& lines);

/// Where results go when the user does not say: syncmeter-HOST-TIME.jsonl in the working directory.
[[nodiscard]] std::string default_output();

}  // namespace syncmeter
