// What synchronizes in a program's code for NVIDIA GPUs: atomic operations, fences and barriers, by
// kernel and line of the source. Nothing is run, and no GPU is needed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/advise/counts.hpp"

namespace syncmeter {

/// Takes what nvdisasm prints of kernels, with the lines of their source, line by line.
class device_code_reader {
 public:
  /// Of this program or library.
  explicit device_code_reader(std::string path) : path_(std::move(path)) {}
  void add_line(std::string_view line, std::string_view architecture);
  /// In the order of the code; frames are the source's, each with the kernel's name.
  [[nodiscard]] std::vector<site> finish() {
    end_kernel();
    return std::move(sites_);
  }

 private:
  void add_source(std::string_view line);
  void add_instruction(std::string_view line, std::string_view architecture);
  void close_loop(std::size_t first_site, std::size_t first_instruction);
  void end_kernel();

  std::string path_, kernel_;
  std::vector<source_frame> frames_;  ///< of the next instruction, innermost first
  bool frames_are_used_ = false;      ///< an instruction has had them: the next ones are others
  /// What stood before a place in the code.
  struct label {
    std::size_t sites, instructions;
  };
  std::map<std::string, label, std::less<>> labels_;
  std::string symbol_;
  std::vector<std::string> opcodes_;  ///< of the kernel, in order
  std::size_t first_of_kernel_ = 0;   ///< of the sites
  std::vector<site> sites_;
};

/// A kernel as C++ writes it, without types of its parameters, of its result and of templates:
/// those of one template are one kernel here.
[[nodiscard]] std::string kernel_name(std::string_view symbol);

/// The sites of a file's newest architecture, and sentences on what else it has; nothing of a file
/// without code for a GPU.
struct device_code {
  std::vector<site> sites;
  std::vector<std::string> notes;
};
/// Where the programs that show such code are missing, a sentence says so. Throws disassembly_error
/// for a file that cannot be read.
[[nodiscard]] device_code device_code_of(const std::string& path);

/// Of several files, each of which is read once: its code is taken apart by programs that take
/// seconds of a large one.
class device_codes {
 public:
  /// The one name of a file: the system names a program that was started as ./app in another way.
  [[nodiscard]] static std::string name_of(const std::string& path);
  /// Throws as device_code_of does.
  [[nodiscard]] const device_code& of(const std::string& path);

 private:
  std::map<std::string, device_code> read_;
};

/// Whether it is one of the words of its opcode, between points.
[[nodiscard]] bool has_word(const site& of, std::string_view word);
[[nodiscard]] bool is_compare_and_swap(const site& of);
/// The first two: "k a.cu:12, k a.cu:15 and 3 more".
[[nodiscard]] std::string places_of(const std::vector<const site*>& sites);

/// What may be cheaper at these sites: wider scopes than a program mostly needs, fences of single
/// operations, loops that try again. A sentence for each kind, with its first places.
[[nodiscard]] std::vector<std::string> sentences_on_device_code(const std::vector<site>& sites);

}  // namespace syncmeter
