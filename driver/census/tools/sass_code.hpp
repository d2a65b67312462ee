// The instructions of a program's GPU kernels, by the names that a worker asks for them. A worker
// has some two million of them, which are a hundred thousand different ones at most: those alone
// are disassembled (40 s became 3).
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "driver/census/tools/disassembler.hpp"

namespace syncmeter {

/// Linkers' names are meant literally. Where another API makes the kernel, the worker knows only
/// what it is made of: a name as C++ writes it stands within the kernel's demangled one.
class kernel_names {
 public:
  void add(const std::string& name);

  [[nodiscard]] bool empty() const { return literal_.empty() && within_.empty(); }
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

}  // namespace syncmeter
