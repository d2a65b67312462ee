// The text of `cuobjdump -sass`: instructions, functions and the architectures they are for.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/census/disassembly.hpp"

namespace syncmeter {

/// The instruction on one line; nothing for every other line, such as the second half of an
/// encoding. `prefixes` is its predicate ("@!P0"), `target_address` is set for branches and calls
/// only: BSSY names the place where lanes meet again, it does not go there.
[[nodiscard]] std::optional<instruction> parse_sass_instruction(std::string_view line);

/// Called once for each function: "sm_90", the linker's name, and its instructions by address.
using sass_sink = std::function<void(std::string_view architecture, std::string_view function,
                                     std::span<const instruction>)>;

/// Takes the text line by line and hands over each function as it ends, so that only one is in
/// memory: a worker has hundreds of megabytes of text.
class sass_reader {
 public:
  explicit sass_reader(sass_sink sink) : sink_(std::move(sink)) {}
  void add_line(std::string_view line);
  void finish();

 private:
  sass_sink sink_;
  std::string architecture_, function_;
  std::vector<instruction> body_;
};

}  // namespace syncmeter
