// The machine code of a program or a library, by the classes of the census: what in it
// synchronizes, and what stands at the address of a sample.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/advise/counts.hpp"
#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/elf_file.hpp"

namespace syncmeter {

/// Whether an instruction of this class of the census is an atomic operation, a part of one or a
/// full fence.
[[nodiscard]] bool is_locked(std::string_view class_name);

/// The site that an instruction is: one that is locked, or a call of a function that the probe
/// counts. An empty kind for every other.
[[nodiscard]] site site_of(const instruction& what, const instruction_class& is);

/// All of them in a file, in order of address. Throws disassembly_error.
[[nodiscard]] std::vector<site> sites_in_code(const std::string& path);

/// The instruction that the time of a sample went to.
struct sampled_code {
  std::uint64_t address = 0;
  std::string kind;       ///< "atomic", or "memory" for a load or a store; empty: neither
  std::string operation;  ///< its class
};

/// An interrupt comes when the instruction has ended that the processor waits for: a sample belongs
/// to the one before where that is locked. A load is named by the instruction that needs its value.
[[nodiscard]] sampled_code code_of_sample(const instruction& at, const instruction_class& is,
                                          const instruction& before,
                                          const instruction_class& before_is);

/// As the class says, but for a load of a constant: no thread writes to what these parts of a
/// program have, and loops with such a constant load it each time.
[[nodiscard]] instruction_class without_constant(const instruction& what,
                                                 const instruction_class& is,
                                                 const std::vector<code_range>& read_only);

/// That of each offset in a file of code, but for those that are no instruction's. Throws
/// disassembly_error.
[[nodiscard]] std::map<std::uint64_t, sampled_code> code_at(const std::string& path,
                                                            const std::set<std::uint64_t>& offsets);

}  // namespace syncmeter
