// What one instruction is to the census. Classes are words, so that a declaration, a table and a
// test say the same thing:
//   lock_add lock_xadd lock_cmpxchg lock_or ...  x86 with a lock prefix, without the size suffix
//   xchg_mem                                     exchange with memory (locked without a prefix)
//   mfence lfence sfence pause
//   lse_ldadd lse_swpal lse_casal ...            AArch64 atomics, with their order, without the
//   size ldxr ldaxr stxr stlxr                        AArch64 exclusive pairs load_acquire
//   store_release dmb_ish dmb_ishld dsb_sy isb call:NAME  branch (conditional)  jump load store rmw
//   plain accesses; rmw reads and writes memory in one spill an access to the stack: a register
//   that did not fit imul idiv fp_add fp_mul fp_div fp_fma fp_minmax fp_compare convert move alu
//   register to register frame                                        push, pop, return: the
//   function around the loop nop                                          alignment other:MNEMONIC
//   anything else
//   amoadd.aqrl amoswap.aq lr.aq sc.rl fence_rw_w     RISC-V, without the size
// SASS has classes of its own (instruction_class_sass.cpp): what synchronizes, touches memory or
// computes floating-point values keeps its opcode, without sizes, types and cache hints:
//   RED.ADD ATOMG.CAS ATOMS.POPC.INC LDG.STRONG.GPU STS BAR.SYNC MEMBAR.SC.GPU VOTE.ANY FADD imad
//   reconverge: BSSY, BSYNC and their like; spill: local memory; BRA.DIV: the branch to the slow
//   path of a warp that has diverged; the words branch, jump, alu, nop, frame, call:, other: as
//   above
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/census/disassembly.hpp"

namespace syncmeter {

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

[[nodiscard]] frame_registers frame_of(std::span<const instruction> body, enum machine m);

/// `m` must not be machine::other.
[[nodiscard]] instruction_class classify(const instruction& what, enum machine m,
                                         frame_registers frame = {});

/// Of every instruction of a function. Loops are unrolled: each different text is classified once.
[[nodiscard]] std::vector<instruction_class> classes_of(std::span<const instruction> body,
                                                        enum machine m);

/// A linker's name as C++ writes it; itself when it is none of C++.
[[nodiscard]] std::string demangled(std::string_view symbol);

/// The name that follows "call:": the linker's name without version, "@plt" and offset; a C++ name
/// demangled and without its parameters.
[[nodiscard]] std::string callee_name(std::string_view target);

// The instruction sets; classify picks one.
[[nodiscard]] instruction_class classify_x86(const instruction& what, frame_registers frame);
[[nodiscard]] instruction_class classify_aarch64(const instruction& what, frame_registers frame);
[[nodiscard]] instruction_class classify_riscv(const instruction& what);
[[nodiscard]] instruction_class classify_sass(const instruction& what);

}  // namespace syncmeter
