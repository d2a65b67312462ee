#include "driver/results/packed_results.hpp"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "driver/census/tools/disassembler.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

struct packer {
  const char *ending, *program, *install;
};
constexpr std::array packers{packer{".xz", "xz", "install xz-utils"},
                             packer{".gz", "gzip", "install gzip"}};

// A packed results file grows by a factor of 10 to 50.
constexpr std::uintmax_t most_times = 1000, always_allowed_bytes = 1U << 20U;

std::string unpacked_by(const packer& how, const std::string& path) {
  std::error_code no_size;
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  const std::uintmax_t most = always_allowed_bytes + (no_size ? 0 : most_times * size);
  std::string text;
  const auto add = [&](std::string_view line) {
    text.append(line).push_back('\n');
    if (text.size() > most)
      throw usage_error(
          fmt::format("{}: more than {} times as long as the file", path, most_times));
  };
  try {
    read_lines_of(
        {.arguments = {how.program, "-dc", "--", path}, .path = path, .install = how.install}, add);
  } catch (const disassembly_error& error) {
    throw usage_error(fmt::format("{}: cannot be unpacked: {}", path, error.what()));
  }
  return text;
}

}  // namespace

results_file read_results_to_show(const std::string& path) {
  for (const packer& how : packers)
    if (path.ends_with(how.ending)) return results_in(path, unpacked_by(how, path));
  return read_results(path);
}

}  // namespace syncmeter
