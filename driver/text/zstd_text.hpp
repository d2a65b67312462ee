// Text as a Zstandard stream (RFC 8878), readable up to its last whole piece, however the stream
// ends.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;

namespace syncmeter {

/// Returns whether a file with this name is written compressed: *.zst.
[[nodiscard]] bool names_zstd(std::string_view path);
/// Returns whether the bytes begin a Zstandard stream.
[[nodiscard]] bool begins_zstd(std::string_view bytes);

/// Packs pieces of text into one frame. Each piece ends a block, to be unpackable as soon as it is
/// written. A frame per line would be 4 times as large. Throws std::runtime_error.
class zstd_packer {
 public:
  zstd_packer();
  /// Returns the bytes to append for this piece.
  [[nodiscard]] std::string packed(std::string_view text);
  /// Returns the frame's end. The next piece begins another frame.
  [[nodiscard]] std::string ended();

 private:
  [[nodiscard]] std::string run(std::string_view text, bool ends);

  struct freed {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, freed> context_;
};

struct unpacked_text {
  std::string text;
  bool ended = false;  ///< the last frame has its end
};
/// Returns all whole blocks. Throws std::runtime_error if the stream is damaged or longer than
/// lines of results can be, but accepts a stream without an end.
[[nodiscard]] unpacked_text unpacked(std::string_view bytes);

}  // namespace syncmeter
