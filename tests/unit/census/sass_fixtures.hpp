// Made-up SASS, as cuobjdump prints it, and read again.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/cuda_tools.hpp"

namespace syncmeter {

/// The lines of a kernel: one text for each instruction, 16 bytes apart.
inline std::string sass_lines(const std::vector<std::string>& texts) {
  std::string lines;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    lines +=
        fmt::format("        /*{:04x}*/                   {} ;      /* 0x0000000000007b1d */\n",
                    16 * i, texts[i]);
    lines += "                                                  /* 0x000fe20000010000 */\n";
  }
  return lines;
}

inline std::string sass_function(const std::string& name, const std::vector<std::string>& texts) {
  return fmt::format("\t\tFunction : {}\n\t.headerflags\t@\"EF_CUDA_SM90\"\n{}\t\t..........\n\n",
                     name, sass_lines(texts));
}

inline std::string sass_section(const std::string& architecture, const std::string& functions) {
  return fmt::format("\nFatbin elf code:\n================\narch = {0}\nhost = linux\n\n"
                     "\tcode for {0}\n\t.target\t{0}\n\n{1}",
                     architecture, functions);
}

/// A kernel whose timed loop holds these instructions, behind a gate that spins.
inline std::vector<std::string> sass_kernel(const std::vector<std::string>& in_loop) {
  std::vector<std::string> texts{"LDG.E.STRONG.SYS R4, desc[UR4][R2.64]",  //
                                 "ISETP.NE.AND P0, PT, R4, RZ, PT", "@!P0 BRA 0x0",
                                 "BAR.SYNC.DEFER_BLOCKING 0x0", "CS2R R6, SR_CLOCKLO"};
  const std::size_t top = 16 * texts.size();
  texts.insert(texts.end(), in_loop.begin(), in_loop.end());
  texts.insert(texts.end(), {"VIADD R5, R5, 0x1", "ISETP.GE.U32.AND P1, PT, R5, UR6, PT",
                             fmt::format("@!P1 BRA {:#x}", top), "CS2R R8, SR_CLOCKLO",
                             "STG.E.64 desc[UR4][R2.64], R8", "EXIT"});
  texts.push_back(fmt::format("BRA {:#x}", 16 * texts.size()));  // the padding jumps to itself
  texts.emplace_back("NOP");
  return texts;
}

inline std::vector<std::string> repeated(const std::string& text, std::size_t times) {
  return std::vector<std::string>(times, text);
}

/// Hands over the functions of such a text.
inline void read_sass_text(const std::string& text, const sass_sink& sink) {
  constexpr std::string_view code_for = "code for ", function = "Function : ";
  std::string architecture, name;
  std::vector<instruction> body;
  const auto finish = [&] {
    if (!body.empty()) sink(architecture, name, body);
    body.clear();
  };
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::string_view words = trimmed(line);
    if (auto one = parse_sass_instruction(line)) body.push_back(std::move(*one));
    else if (words.starts_with(code_for)) finish(), architecture = words.substr(code_for.size());
    else if (words.starts_with(function)) finish(), name = words.substr(function.size());
  }
  finish();
}

}  // namespace syncmeter
