// The instructions of a program's GPU kernels, by the names that a worker asks for them, and the
// programs of the CUDA toolkit that read machine code. A worker has some two million instructions,
// which are a hundred thousand different ones at most: those alone are disassembled (40 s became
// 3).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/census/tools/disassembler.hpp"

namespace syncmeter {

/// A new folder, which goes with what lies in it. Throws disassembly_error.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Throws disassembly_error where not all of it is written.
void write_for_tool(const std::string& file, std::string_view bytes);

/// 90 of "sm_90a": sm_90 stands before sm_100. 0 where there is no number.
[[nodiscard]] int architecture_number(std::string_view architecture);

/// The instruction on one line; nothing for every other line, such as the second half of an
/// encoding. `prefixes` is its predicate ("@!P0"), `target_address` is set for all that name a
/// place in the code: BSSY too, which does not go to the one where lanes meet again.
[[nodiscard]] std::optional<instruction> parse_sass_instruction(std::string_view line);

/// Linkers' names are meant literally. Where another API makes the kernel, the worker knows only
/// what it is made of: a name as C++ writes it stands within the kernel's demangled one.
class kernel_names {
 public:
  void add(const std::string& name);

  [[nodiscard]] bool empty() const { return literal_.empty() && within_.empty(); }
  /// Those that are linkers' names.
  [[nodiscard]] std::vector<std::string> literal() const;
  /// Which of the names stands for this function; empty when none does.
  [[nodiscard]] std::string wanted(std::string_view function) const;

 private:
  std::set<std::string, std::less<>> literal_, within_;
};

/// Called once for each function: "sm_90", the name that it was asked for by, and its instructions
/// by address.
using sass_sink = std::function<void(std::string_view architecture, std::string_view function,
                                     std::span<const instruction>)>;

/// Hands over the kernels of a program, or of a cubin, that `names` asks for. Throws
/// disassembly_error: a program of the CUDA toolkit is missing, or failed; machine code older than
/// sm_70, whose instructions do not stand alone.
void read_sass(const std::string& path, const kernel_names& names, const sass_sink& sink);

/// Called with each line that nvdisasm prints of a kernel: labels, lines of the source as far as
/// the program was compiled with them (-lineinfo), instructions.
using sass_line_sink = std::function<void(std::string_view line, std::string_view architecture)>;

/// Prints all kernels of the newest architecture that a program has machine code for, and returns
/// all architectures, the newest last; none where it has none. Throws disassembly_error.
std::vector<std::string> print_newest_sass(const std::string& path, const sass_line_sink& sink);

}  // namespace syncmeter
