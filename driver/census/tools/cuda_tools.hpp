// The programs of the CUDA toolkit that read machine code, and what they need to run.
#pragma once

#include <filesystem>
#include <optional>
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

/// One cubin of a program: machine code of kernels for one architecture.
struct cubin {
  std::string path;
  std::string architecture;  ///< "sm_90"
};

/// Takes a program, or a file that is a cubin itself, apart with `cuobjdump -xelf`, into `folder`.
/// Both programs here are looked for on PATH, in $CUDA_HOME/bin and in /usr/local/cuda/bin. Throws
/// disassembly_error, also where there is no program of that name.
[[nodiscard]] std::vector<cubin> extract_cubins(const std::string& program,
                                                const scratch_folder& folder);

/// What `nvdisasm` prints of bare instructions that lie from address `base` on: a line each, for
/// parse_sass_instruction. `program` is named in messages.
[[nodiscard]] std::vector<std::string> disassemble_sass(std::string_view code, std::uint64_t base,
                                                        const std::string& architecture,
                                                        const scratch_folder& folder,
                                                        const std::string& program);

/// 90 of "sm_90a": sm_90 stands before sm_100. 0 where there is no number.
[[nodiscard]] int architecture_number(std::string_view architecture);

/// The instruction on one line; nothing for every other line, such as the second half of an
/// encoding. `prefixes` is its predicate ("@!P0"), `target_address` is set for all that name a
/// place in the code: BSSY too, which does not go to the one where lanes meet again.
[[nodiscard]] std::optional<instruction> parse_sass_instruction(std::string_view line);

}  // namespace syncmeter
