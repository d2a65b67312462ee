#include "driver/text/zstd_text.hpp"

#include <zstd.h>

#include <stdexcept>

#include <fmt/format.h>

namespace syncmeter {
namespace {

constexpr int level = 9;
// Lines of results grow by a factor of 10 to 50. A frame of 1 MB can hold 30 GB of one character.
constexpr std::size_t most_times = 1000;
constexpr std::size_t always_allowed_bytes = 1U << 20U;

std::size_t checked(std::size_t result) {
  if (ZSTD_isError(result) != 0)
    throw std::runtime_error(fmt::format("zstd: {}", ZSTD_getErrorName(result)));
  return result;
}

}  // namespace

bool names_zstd(std::string_view path) { return path.ends_with(".zst"); }

bool begins_zstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

void zstd_packer::freed::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

zstd_packer::zstd_packer() : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::runtime_error("zstd: no memory for a compressor");
  checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
  checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1));
}

std::string zstd_packer::packed(std::string_view text) { return run(text, false); }

std::string zstd_packer::ended() { return run({}, true); }

std::string zstd_packer::run(std::string_view text, bool ends) {
  std::string bytes;
  std::string part(ZSTD_CStreamOutSize(), '\0');
  ZSTD_inBuffer in{.src = text.data(), .size = text.size(), .pos = 0};
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer out{.dst = part.data(), .size = part.size(), .pos = 0};
    left =
        checked(ZSTD_compressStream2(context_.get(), &out, &in, ends ? ZSTD_e_end : ZSTD_e_flush));
    bytes.append(part, 0, out.pos);
  }
  return bytes;
}

unpacked_text unpacked(std::string_view bytes) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        &ZSTD_freeDCtx);
  if (!context) throw std::runtime_error("zstd: no memory for a decompressor");
  unpacked_text found;
  std::string part(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{.src = bytes.data(), .size = bytes.size(), .pos = 0};
  for (bool full = false; in.pos < in.size || full;) {
    ZSTD_outBuffer out{.dst = part.data(), .size = part.size(), .pos = 0};
    found.ended = checked(ZSTD_decompressStream(context.get(), &out, &in)) == 0;
    full = out.pos == out.size && !found.ended;
    found.text.append(part, 0, out.pos);
    if (found.text.size() > always_allowed_bytes + most_times * in.size)
      throw std::runtime_error(
          fmt::format("zstd: more than {} times as long as the file", most_times));
  }
  return found;
}

}  // namespace syncmeter
