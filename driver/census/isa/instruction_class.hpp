// Sorts instructions into census classes. Classes are words that declarations, tables and tests
// share:
//   x86 lock_add lock_xadd lock_cmpxchg ... (with a lock prefix, without the size suffix),
//            xchg_mem (locked without a prefix), mfence lfence sfence pause
//   AArch64 lse_ldadd lse_swpal lse_casal ... (with their order, without the size),
//            ldxr ldaxr stxr stlxr, load_acquire store_release, dmb_ish dmb_ishld dsb_sy isb
//   RISC-V amoadd.aqrl amoswap.aq lr.aq sc.rl fence_rw_w (without the size)
//   all call:NAME, inner:NAME (a call within a program function that the loop calls, counted
//            only if declared), branch (conditional), jump, load store rmw (plain accesses, rmw
//            reads and writes memory), spill (a stack access for a register that did not fit),
//            imul idiv fp_add fp_mul fp_div fp_fma fp_minmax fp_compare convert, move, alu
//            (register to register), frame (push, pop, return: the function around the loop),
//            nop (alignment), other:MNEMONIC
// SASS has separate classes (isa/sass.cpp). Instructions that synchronize, access memory or compute
// floating-point values keep the opcode, without sizes, types and cache hints:
//            RED.ADD ATOMG.CAS ATOMS.POPC.INC LDG.STRONG.GPU STS BAR.SYNC MEMBAR.SC.GPU VOTE.ANY
//            FADD imad, reconverge (BSSY, BSYNC and similar), spill (local memory), BRA.DIV (the
//            branch to the slow path for a diverged warp)
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace syncmeter {

/// Instruction sets. sass: the machine code of NVIDIA GPUs, embedded in a host program.
enum class machine : std::uint8_t { x86_64, aarch64, riscv64, sass, other };

/// Returns the instruction set's name as in capability::declares.
[[nodiscard]] std::string_view to_text(machine m);

/// One line of objdump. x86 operands are in AT&T order, with the destination last.
struct instruction {
  std::uint64_t address = 0;
  std::string prefixes;  ///< "lock", "data16 cs", ..., usually empty
  std::string mnemonic;  ///< as printed, with size suffix
  std::string operands;  ///< without objdump's comment and target name
  std::string target;    ///< name of a jump target, callee or program-relative operand: "f@plt",
                         ///< "f+0x10"
  std::optional<std::uint64_t> target_address;  ///< target of a direct jump or call
  std::optional<std::uint64_t> data_address;    ///< address in a program-relative x86 operand
};

inline constexpr std::string_view blanks = " \t\r";

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Cuts the first word off `text` and returns the word.
[[nodiscard]] inline std::string_view next_word(std::string_view& text) {
  const auto end = std::min(text.find_first_of(blanks), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

[[nodiscard]] inline std::string_view last_word(std::string_view text) {
  const auto blank = text.find_last_of(blanks);
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

/// Returns the number if all of `text` is hex digits without a prefix.
[[nodiscard]] inline std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

using words = std::initializer_list<std::string_view>;

[[nodiscard]] inline bool is_one_of(std::string_view word, words list) {
  return std::ranges::find(list, word) != list.end();
}

[[nodiscard]] inline bool starts_with_any(std::string_view word, words starts) {
  return std::ranges::any_of(starts, [&](std::string_view s) { return word.starts_with(s); });
}

/// Continuation after an instruction.
enum class flow : std::uint8_t {
  next,      ///< next instruction, also after calls
  branch,    ///< next instruction or target
  jump,      ///< always the target
  stop,      ///< leaves the function
  indirect,  ///< unknown target
};

struct instruction_class {
  std::string name;
  std::string_view also{};  ///< "load" or "spill" for arithmetic with a memory operand
  enum flow flow = flow::next;
};

/// Registers with the frame address.
struct frame_registers {
  bool frame_pointer = false;  ///< %rbp or x29 is the frame pointer
};

/// Returns the class of each instruction. Classifies each different text only once, because loops
/// are unrolled.
[[nodiscard]] std::vector<instruction_class> classes_of(std::span<const instruction> body,
                                                        enum machine m);

/// Returns the C++ form of a linker name, or the name itself if the name is not from C++.
[[nodiscard]] std::string demangled(std::string_view symbol);

/// Returns the name after "call:": the linker name without version, "@plt" and offset. C++ names
/// are demangled and lose the parameters.
[[nodiscard]] std::string callee_name(std::string_view target);

/// A register: its kind, and an identity for all its widths.
struct register_name {
  std::string kind, which;
};

/// Rules for one instruction set.
struct instruction_set {
  instruction_class (*classify)(const instruction& what, frame_registers frame);
  /// Returns nothing for a word that is not a register, and for a special register (stack pointer,
  /// zero register).
  std::optional<register_name> (*register_in)(std::string_view word);
  /// Returns operands without addresses, and without offsets into the frame and kernel parameters.
  std::string (*placeless)(const instruction& what);
};
extern const instruction_set x86_64_set, aarch64_set, riscv64_set, sass_set;

/// Returns the rules for `m`, which must not be machine::other.
[[nodiscard]] const instruction_set& instruction_set_of(enum machine m);

/// Returns the class of a CPU's floating-point operation by its bare name: "add" for fadd and
/// addss. Returns an empty text for other operations.
[[nodiscard]] std::string_view floating_class(std::string_view operation);

// Helpers for instruction_set::register_in and placeless.
[[nodiscard]] bool is_digits(std::string_view text);
[[nodiscard]] bool is_of_word(char c);
/// Replaces each number directly before `behind` by a star.
[[nodiscard]] std::string without_number_before(std::string text, std::string_view behind);
/// Replaces the text between `before` and the closing bracket by a star.
[[nodiscard]] std::string without_number_in(std::string text, std::string_view before);

}  // namespace syncmeter
