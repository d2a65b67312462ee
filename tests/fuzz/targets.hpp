// What libFuzzer and the unit tests feed: for each reader of what somebody else wrote a function
// that reads its input, holds the result to what the reader promises, and lets nothing escape but a
// promise that was broken.
#pragma once

#include <array>
#include <string_view>

namespace syncmeter::fuzz {

void answers(std::string_view input);
void capabilities(std::string_view input);
void command_lines(std::string_view input);
void disassemblies(std::string_view input);
void elf_files(std::string_view input);
void grammars(std::string_view input);
void requests(std::string_view input);
void results(std::string_view input);
void sass(std::string_view input);
void topologies(std::string_view input);

/// A target and its name, which its source, its corpus and its program have too.
struct named_target {
  std::string_view name;
  void (*run)(std::string_view);
};
inline constexpr std::array all_targets{
    named_target{"answers", &answers},
    named_target{"capabilities", &capabilities},
    named_target{"command_lines", &command_lines},
    named_target{"disassemblies", &disassemblies},
    named_target{"elf_files", &elf_files},
    named_target{"grammars", &grammars},
    named_target{"requests", &requests},
    named_target{"results", &results},
    named_target{"sass", &sass},
    named_target{"topologies", &topologies},
};

}  // namespace syncmeter::fuzz
