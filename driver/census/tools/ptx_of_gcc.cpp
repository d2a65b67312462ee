#include "driver/census/tools/ptx_of_gcc.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"

namespace syncmeter {

std::vector<std::string> ptx_modules(std::string_view program, const kernel_names& names) {
  constexpr std::string_view begin{"\0// BEGIN PREAMBLE\n.version ", 28};
  constexpr std::string_view definition = "\n// BEGIN GLOBAL FUNCTION DEF: ";
  std::vector<std::string> modules;
  for (auto at = program.find(begin); at != program.npos; at = program.find(begin, at + 1)) {
    std::string_view text = program.substr(at + 1);
    text = text.substr(0, text.find('\0'));
    bool wanted = false;
    for (auto in = text.find(definition); in != text.npos && !wanted;
         in = text.find(definition, in + 1)) {
      const std::string_view name = text.substr(in + definition.size());
      wanted = !names.wanted(name.substr(0, name.find('\n'))).empty();
    }
    if (wanted) modules.emplace_back(text);
  }
  return modules;
}

std::vector<std::string> ptx_modules_of(const std::string& program, const kernel_names& names) {
  if (names.empty()) return {};
  const file_bytes found = read_file(program);
  // The tools report a missing file.
  if (found.error != 0 && found.error != ENOENT)
    throw disassembly_error(
        fmt::format("{} cannot be read: {}", program, std::strerror(found.error)));
  return ptx_modules(found.bytes, names);
}

}  // namespace syncmeter
