// Text as a Zstandard stream (RFC 8878) that can be read up to its last whole piece, however it
// ends.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;

namespace syncmeter {

/// Whether a file of this name is written compressed: *.zst.
[[nodiscard]] bool names_zstd(std::string_view path);
/// Whether these are the first bytes of a Zstandard stream.
[[nodiscard]] bool begins_zstd(std::string_view bytes);

/// Packs pieces of text into one frame. Each piece ends a block, so that it can be unpacked from
/// what is written so far; a frame of its own for each line would be 4 times as large. Throws
/// std::runtime_error.
class zstd_packer {
 public:
  zstd_packer();
  /// What to append for this piece.
  [[nodiscard]] std::string packed(std::string_view text);
  /// What ends the frame; the next piece begins another one.
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
/// All whole blocks. Throws std::runtime_error where the stream is damaged, or longer than lines of
/// results can be; not where it ends early.
[[nodiscard]] unpacked_text unpacked(std::string_view bytes);

}  // namespace syncmeter
