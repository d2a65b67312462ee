// The names by which a worker asks for its kernels, and which kernel each stands for.
#pragma once

#include <set>
#include <string>
#include <string_view>

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

}  // namespace syncmeter
