// Reads GPU kernels in a program with the machine-code tools from the CUDA toolkit. A worker has
// two million instructions, but at most a hundred thousand different instructions. Only these are
// disassembled (40 s became 3).
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

/// A new folder, removed with its contents by the destructor. Throws disassembly_error.
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

/// Throws disassembly_error if a write fails.
void write_for_tool(const std::string& file, std::string_view bytes);

/// Returns 90 for "sm_90a", so sm_90 sorts before sm_100. Returns 0 without a number.
[[nodiscard]] int architecture_number(std::string_view architecture);

/// Returns the instruction on a line, or nothing for any other line, for example the second half of
/// an encoding. `prefixes` is the predicate ("@!P0"). `target_address` is set for each instruction
/// with a code address, also BSSY, which names the reconvergence point.
[[nodiscard]] std::optional<instruction> parse_sass_instruction(std::string_view line);

/// Names of wanted kernels. Linker names match exactly. If another API makes the kernel, the worker
/// knows only a C++ name within the kernel's demangled name.
class kernel_names {
 public:
  void add(const std::string& name);

  [[nodiscard]] bool empty() const { return literal_.empty() && within_.empty(); }
  /// Returns the linker names.
  [[nodiscard]] std::vector<std::string> literal() const;
  /// Returns the wanted name that matches this function, or an empty text.
  [[nodiscard]] std::string wanted(std::string_view function) const;

 private:
  std::set<std::string, std::less<>> literal_, within_;
};

/// Called once per function with "sm_90", the wanted name and the instructions by address.
using sass_sink = std::function<void(std::string_view architecture, std::string_view function,
                                     std::span<const instruction>)>;

/// Passes the wanted kernels of a program or cubin to `sink`. Throws disassembly_error if a CUDA
/// tool is missing or failed, or if machine code is older than sm_70 (instructions without separate
/// encodings).
void read_sass(const std::string& path, const kernel_names& names, const sass_sink& sink);

/// Called with each line of nvdisasm output for a kernel: labels, source lines (if compiled with
/// -lineinfo), instructions.
using sass_line_sink = std::function<void(std::string_view line, std::string_view architecture)>;

/// Prints all kernels for the newest architecture in a program. Returns all architectures, the
/// newest last, or nothing without machine code. Throws disassembly_error.
std::vector<std::string> print_newest_sass(const std::string& path, const sass_line_sink& sink);

}  // namespace syncmeter
