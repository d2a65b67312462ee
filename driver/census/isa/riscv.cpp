// Sorts RISC-V instructions into census classes.
#include <algorithm>

#include "driver/census/isa/instruction_class.hpp"

namespace syncmeter {
namespace {

/// Returns "amoadd.aqrl" for "amoadd.w.aqrl", "sc" for "sc.d".
std::string atomic_without_size(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return std::string(name);
  const auto order = name.find('.', dot + 1);
  return std::string(name.substr(0, dot)) +
         std::string(order == std::string_view::npos ? "" : name.substr(order));
}

/// Returns "fence_rw_w" for "rw,w". A fence without operands orders everything.
std::string fence_name(const instruction& what) {
  if (what.mnemonic == "fence.i" || what.operands.empty() || what.operands == "iorw,iorw")
    return what.mnemonic;
  std::string name = "fence_" + what.operands;
  std::ranges::replace(name, ',', '_');
  return name;
}

instruction_class riscv_access(std::string_view name, const instruction& what) {
  return {.name = std::string(what.operands.ends_with("(sp)") ? "spill" : name)};
}

instruction_class riscv_control(const instruction& what) {
  const std::string_view name = what.mnemonic;
  const bool direct = what.target_address.has_value();
  if (name == "ret") return {.name = "frame", .flow = flow::stop};
  if (is_one_of(name, {"jal", "jalr", "call"}))
    return {.name = "call:" + (what.target.empty() ? "(indirect)" : callee_name(what.target))};
  if (is_one_of(name, {"j", "tail"}))
    return {.name = "jump", .flow = direct ? flow::jump : flow::indirect};
  if (name == "jr") return {.name = "jump", .flow = flow::indirect};
  if (is_one_of(name, {"ebreak", "unimp"}))
    return {.name = "other:" + what.mnemonic, .flow = flow::stop};
  if (starts_with_any(name, {"beq", "bne", "blt", "bge", "bgt", "ble"}))
    return {.name = "branch", .flow = direct ? flow::branch : flow::indirect};
  return {};
}

bool is_riscv_arithmetic(std::string_view name) {
  return starts_with_any(name, {"add",  "sub",   "and",  "or",   "xor",  "not",  "neg",  "sll",
                                "srl",  "sra",   "slt",  "seqz", "snez", "sltz", "sgtz", "sgt",
                                "lui",  "auipc", "sext", "zext", "min",  "max",  "rol",  "ror",
                                "bset", "bclr",  "bext", "la",   "fabs", "fneg", "fsgnj"});
}

/// Returns the register for "a5", "t0", "s11" ("x") and "fa0" ("f"). Ignores zero, ra, sp, gp and
/// tp.
std::optional<register_name> riscv_register(std::string_view word) {
  const bool floating = word.starts_with('f');
  const std::string_view name = floating ? word.substr(1) : word;
  if (name.size() < 2 || !is_digits(name.substr(1)) ||
      !is_one_of(name.substr(0, 1), {"a", "t", "s"}))
    return std::nullopt;
  return register_name{floating ? "f" : "x", std::string(word)};
}

std::string riscv_placeless(const instruction& what) {
  // Two instructions make an address. objdump prints the name after the second.
  const bool half = what.mnemonic == "auipc" || !what.target.empty();
  if (half && !what.target_address && !what.operands.ends_with(')'))
    return what.operands.substr(0, what.operands.rfind(',') + 1) + "*";
  return without_number_before(what.operands, half ? "(" : "(sp)");
}

instruction_class classify_riscv(const instruction& what, frame_registers) {
  const std::string_view name = what.mnemonic;
  if (starts_with_any(name, {"amo", "lr.", "sc."})) return {.name = atomic_without_size(name)};
  if (name.starts_with("fence")) return {.name = fence_name(what)};
  if (name == "pause") return {.name = "pause"};
  if (instruction_class control = riscv_control(what); !control.name.empty()) return control;
  if (name == "nop") return {.name = "nop"};
  if (is_one_of(name, {"lb", "lh", "lw", "ld", "lbu", "lhu", "lwu", "flw", "fld"}))
    return riscv_access("load", what);
  if (is_one_of(name, {"sb", "sh", "sw", "sd", "fsw", "fsd"})) return riscv_access("store", what);
  if (name == "mv" || name == "li" || starts_with_any(name, {"fmv."})) return {.name = "move"};
  if (starts_with_any(name, {"mul"})) return {.name = "imul"};
  if (starts_with_any(name, {"div", "rem"})) return {.name = "idiv"};
  if (const auto floating = floating_class(name.substr(1)); name[0] == 'f' && !floating.empty())
    return {.name = std::string(floating)};
  // Adding to sp makes or drops the frame.
  if (name.starts_with("add") && what.operands.starts_with("sp,")) return {.name = "frame"};
  if (is_riscv_arithmetic(name)) return {.name = "alu"};
  return {.name = "other:" + what.mnemonic};
}

}  // namespace

const instruction_set riscv64_set{&classify_riscv, &riscv_register, &riscv_placeless};

}  // namespace syncmeter
