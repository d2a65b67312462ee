// What one instruction is to the census. Classes are words, so that a declaration, a table and a
// test say the same thing:
//   x86      lock_add lock_xadd lock_cmpxchg ... (with a lock prefix, without the size suffix),
//            xchg_mem (locked without a prefix), mfence lfence sfence pause
//   AArch64  lse_ldadd lse_swpal lse_casal ... (with their order, without the size),
//            ldxr ldaxr stxr stlxr, load_acquire store_release, dmb_ish dmb_ishld dsb_sy isb
//   RISC-V   amoadd.aqrl amoswap.aq lr.aq sc.rl fence_rw_w (without the size)
//   all      call:NAME, inner:NAME (a call within a function of the program that the loop calls;
//            looked at only where it is declared), branch (conditional), jump, load store rmw
//            (plain accesses; rmw reads and writes memory in one), spill (an access to the stack: a
//            register that did not fit), imul idiv fp_add fp_mul fp_div fp_fma fp_minmax fp_compare
//            convert, move, alu (register to register), frame (push, pop, return: the function
//            around the loop), nop (alignment), other:MNEMONIC
// SASS has classes of its own (isa/sass.cpp): what synchronizes, touches memory or computes
// floating-point values keeps its opcode, without sizes, types and cache hints:
//            RED.ADD ATOMG.CAS ATOMS.POPC.INC LDG.STRONG.GPU STS BAR.SYNC MEMBAR.SC.GPU VOTE.ANY
//            FADD imad, reconverge (BSSY, BSYNC and their like), spill (local memory), BRA.DIV (the
//            branch to the slow path of a warp that has diverged)
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

/// sass: the machine code of NVIDIA GPUs, embedded in a host's program.
enum class machine : std::uint8_t { x86_64, aarch64, riscv64, sass, other };

/// The name of a machine's instruction set, as capability::declares spells it.
[[nodiscard]] std::string_view to_text(machine m);

/// One line of objdump. On x86 the operands are in AT&T order: the destination comes last.
struct instruction {
  std::uint64_t address = 0;
  std::string prefixes;  ///< "lock", "data16 cs", ...; usually empty
  std::string mnemonic;  ///< as printed, with its size suffix
  std::string operands;  ///< without objdump's comment and without the name of a target
  std::string target;    ///< what a jump, a call or a program-relative operand names: "f@plt",
                         ///< "f+0x10"
  std::optional<std::uint64_t> target_address;  ///< where a direct jump or call goes
  std::optional<std::uint64_t> data_address;    ///< of a program-relative operand of x86
};

inline constexpr std::string_view blanks = " \t\r";

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Cuts the first word off `text`.
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

/// The number that all of `text` is, in hex digits without a prefix.
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

/// Where execution goes after an instruction.
enum class flow : std::uint8_t {
  next,      ///< the next one, calls included
  branch,    ///< the next one or the target
  jump,      ///< the target
  stop,      ///< leaves the function
  indirect,  ///< nobody can tell from the text
};

struct instruction_class {
  std::string name;
  std::string_view also{};  ///< "load" or "spill": arithmetic with a memory operand is both
  enum flow flow = flow::next;
};

/// Which registers hold the frame's address in a function.
struct frame_registers {
  bool frame_pointer = false;  ///< %rbp or x29 is the frame pointer, not a general register
};

/// Of every instruction of a function. Loops are unrolled: each different text is classified once.
[[nodiscard]] std::vector<instruction_class> classes_of(std::span<const instruction> body,
                                                        enum machine m);

/// A linker's name as C++ writes it; itself when it is none of C++.
[[nodiscard]] std::string demangled(std::string_view symbol);

/// The name that follows "call:": the linker's name without version, "@plt" and offset; a C++ name
/// demangled and without its parameters.
[[nodiscard]] std::string callee_name(std::string_view target);

/// A register as a program sees it: what it holds, and which one it is whatever its width.
struct register_name {
  std::string kind, which;
};

/// What the census knows of one machine's instructions.
struct instruction_set {
  instruction_class (*classify)(const instruction& what, frame_registers frame);
  /// Nothing for words that are none, and for registers with a part of their own (the stack
  /// pointer, the zero register).
  std::optional<register_name> (*register_in)(std::string_view word);
  /// Operands without addresses, and without offsets into the frame and a kernel's parameters.
  std::string (*placeless)(const instruction& what);
};
extern const instruction_set x86_64_set, aarch64_set, riscv64_set, sass_set;

/// `m` must not be machine::other.
[[nodiscard]] const instruction_set& instruction_set_of(enum machine m);

/// The class of a floating-point operation of a CPU by its name without what marks it as one: "add"
/// of fadd and of addss. Empty for anything else.
[[nodiscard]] std::string_view floating_class(std::string_view operation);

// Words in operands, for instruction_set::register_in and placeless.
[[nodiscard]] bool is_digits(std::string_view text);
[[nodiscard]] bool is_of_word(char c);
/// Puts a star for every number that stands right before `behind`.
[[nodiscard]] std::string without_number_before(std::string text, std::string_view behind);
/// Puts a star for all that stands between `before` and the bracket that closes it.
[[nodiscard]] std::string without_number_in(std::string text, std::string_view before);

}  // namespace syncmeter
