// Sorts AArch64 instructions into census classes.

#include "driver/census/isa/instruction_class.hpp"

namespace syncmeter {
namespace {

/// Returns an atomic's name without the byte or halfword suffix: "ldaddal" for "ldaddalb". A name
/// ends in its operation ("ldadd") or order (a, l, al), which never ends in b or h.
std::string_view without_size(std::string_view name) {
  return name.ends_with('b') || name.ends_with('h') ? name.substr(0, name.size() - 1) : name;
}

bool is_large_system_extension(std::string_view name) {
  return starts_with_any(name, {"ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax",
                                "ldumin", "stadd", "stclr", "steor", "stset", "stsmax", "stsmin",
                                "stumax", "stumin", "swp", "cas"});
}

instruction_class access(std::string_view name, const instruction& what, frame_registers frame) {
  const bool stack = what.operands.find("[sp") != std::string::npos ||
                     (frame.frame_pointer && what.operands.find("[x29") != std::string::npos);
  return {.name = std::string(stack ? "spill" : name)};
}

instruction_class memory_class(const instruction& what, frame_registers frame) {
  const std::string_view name = what.mnemonic;
  if (starts_with_any(name, {"ldxr", "ldaxr", "stxr", "stlxr", "ldxp", "ldaxp", "stxp", "stlxp"}))
    return {.name = std::string(without_size(name))};
  if (is_large_system_extension(name)) return {.name = "lse_" + std::string(without_size(name))};
  if (starts_with_any(name, {"ldar", "ldapr", "ldapur", "ldlar"}))
    return access("load_acquire", what, frame);
  if (starts_with_any(name, {"stlr", "stlur", "stllr"}))
    return access("store_release", what, frame);
  // Pairs that move the stack pointer save and restore registers around the loop.
  if (is_one_of(name, {"stp", "str"}) && what.operands.ends_with("]!")) {
    if (what.operands.find("[sp,") != std::string::npos) return {.name = "frame"};
  }
  if (is_one_of(name, {"ldp", "ldr"}) && what.operands.find("[sp],") != std::string::npos)
    return {.name = "frame"};
  if (starts_with_any(name, {"ldr", "ldp", "ldur", "ldnp", "ldtr"}))
    return access("load", what, frame);
  if (starts_with_any(name, {"str", "stp", "stur", "stnp", "sttr"}))
    return access("store", what, frame);
  return {};
}

instruction_class control_class(const instruction& what) {
  const std::string_view name = what.mnemonic;
  const bool direct = what.target_address.has_value();
  if (name == "bl") return {.name = "call:" + callee_name(what.target)};
  if (starts_with_any(name, {"blr"})) return {.name = "call:(indirect)"};
  if (name == "b") return {.name = "jump", .flow = direct ? flow::jump : flow::indirect};
  if (name == "br" || name.starts_with("bra")) return {.name = "jump", .flow = flow::indirect};
  if (starts_with_any(name, {"b.", "bc.", "cbz", "cbnz", "tbz", "tbnz"}))
    return {.name = "branch", .flow = direct ? flow::branch : flow::indirect};
  if (starts_with_any(name, {"ret"})) return {.name = "frame", .flow = flow::stop};
  if (is_one_of(name, {"udf", "brk", "hlt"}))
    return {.name = "other:" + what.mnemonic, .flow = flow::stop};
  return {};
}

bool is_arithmetic(std::string_view name) {
  return starts_with_any(
      name, {"add",  "sub",  "and",  "bic",  "orr",  "orn",   "eor",   "eon",   "cmp",  "cmn",
             "tst",  "neg",  "adc",  "sbc",  "lsl",  "lsr",   "asr",   "ror",   "ubf",  "sbf",
             "bf",   "ccmp", "ccmn", "csel", "cset", "csinc", "csinv", "csneg", "cinc", "cinv",
             "cneg", "adr",  "clz",  "rbit", "rev",  "extr",  "sxt",   "uxt",   "cnt",  "fcsel"});
}

/// Returns the same register for "x3" and "w3". Ignores the zero register and sp.
std::optional<register_name> aarch64_register(std::string_view word) {
  if (word.size() < 2 || !is_digits(word.substr(1))) return std::nullopt;
  const bool general = word[0] == 'x' || word[0] == 'w';
  if (!general && std::string_view("bhsdqv").find(word[0]) == std::string_view::npos)
    return std::nullopt;
  return register_name{std::string(1, word[0]),
                       (general ? "r" : "v") + std::string(word.substr(1))};
}

std::string aarch64_placeless(const instruction& what) {
  if (what.mnemonic == "adrp" || what.mnemonic == "adr")
    return what.operands.substr(0, what.operands.find(',') + 1) + "*";
  return without_number_in(what.operands, "[sp, ");
}

instruction_class classify_aarch64(const instruction& what, frame_registers frame) {
  const std::string_view name = what.mnemonic;
  if (instruction_class control = control_class(what); !control.name.empty()) return control;
  if (is_one_of(name, {"dmb", "dsb"})) return {.name = what.mnemonic + "_" + what.operands};
  if (name == "isb") return {.name = "isb"};
  if (name == "yield") return {.name = "pause"};
  if (name == "nop") return {.name = "nop"};
  if (is_one_of(name, {"hint", "bti", "paciasp", "autiasp", "pacibsp", "autibsp"}))
    return {.name = "frame"};
  if (instruction_class memory = memory_class(what, frame); !memory.name.empty()) return memory;
  if (what.operands.starts_with("sp,") || what.operands == "x29, sp") return {.name = "frame"};
  if (starts_with_any(name, {"mov", "fmov", "mvn"})) return {.name = "move"};
  if (starts_with_any(name, {"mul", "mneg", "madd", "msub", "smul", "umul", "smadd", "umadd",
                             "smsub", "umsub", "smneg", "umneg"})) {
    return {.name = "imul"};
  }
  if (is_one_of(name, {"sdiv", "udiv"})) return {.name = "idiv"};
  if (starts_with_any(name, {"scvtf", "ucvtf"})) return {.name = "convert"};
  if (const auto floating = floating_class(name.substr(1)); name[0] == 'f' && !floating.empty())
    return {.name = std::string(floating)};
  if (is_arithmetic(name)) return {.name = "alu"};
  return {.name = "other:" + what.mnemonic};
}

}  // namespace

const instruction_set aarch64_set{&classify_aarch64, &aarch64_register, &aarch64_placeless};

}  // namespace syncmeter
