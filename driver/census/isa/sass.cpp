// Sorts SASS instructions into census classes. Source of the opcodes: CUDA Binary Utilities,
// "Instruction Set Reference". Modifiers are spelled as in nvdisasm output.
#include <span>
#include <vector>

#include "driver/census/isa/instruction_class.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// Returns the opcode and the first modifier, if any.
std::string with_one_modifier(const std::vector<std::string_view>& parts) {
  std::string name(parts.front());
  if (parts.size() > 1) name += "." + std::string(parts[1]);
  return name;
}

bool is_size_or_type(std::string_view word) {
  return is_one_of(word, {"8",    "16",      "32",  "64",  "128", "U8",  "S8",
                          "U16",  "S16",     "U32", "S32", "U64", "S64", "F16",
                          "BF16", "BF16_V2", "F32", "F64", "FTZ", "RN",  "S32x2"});
}

/// Returns true for address widths and cache hints.
bool is_hint(std::string_view word) {
  return is_one_of(word, {"E", "EF", "EL", "EU", "LU", "NA", "EVICT_FIRST", "EVICT_LAST", "WEAK",
                          "PRIVATE", "LTC64B", "LTC128B", "LTC256B"});
}

/// Returns the class of a memory access. Loads and stores keep order and scope: "LDG.STRONG.GPU".
/// Atomics keep operation, element count and every scope except the device: "ATOMG.CAS.SYS",
/// "RED.ADD.F16x2". Their order comes from separate fence instructions.
std::string access_name(const std::vector<std::string_view>& parts, bool atomic) {
  // Newer disassemblers print REDG for RED. Both reduce in global memory.
  std::string name(parts.front() == "REDG" ? "RED" : parts.front());
  for (const std::string_view word : std::span(parts).subspan(1)) {
    if (is_size_or_type(word) || is_hint(word)) continue;
    if (atomic && (word == "GPU" || word == "STRONG")) continue;
    name += "." + std::string(word);
  }
  return name;
}

bool is_integer_or_move(std::string_view opcode) {
  const auto is_listed = [](std::string_view name) {
    return is_one_of(name,
                     {"MOV",    "MOV32I", "IADD",      "IADD3",  "IADD32I",   "LOP",    "LOP3",
                      "LOP32I", "SEL",    "ISETP",     "PSETP",  "PLOP3",     "SHF",    "SHL",
                      "SHR",    "LEA",    "R2UR",      "S2R",    "S2UR",      "CS2R",   "CS2UR",
                      "P2R",    "R2P",    "P2UR",      "UR2UP",  "PRMT",      "POPC",   "FLO",
                      "BREV",   "IABS",   "VABSDIFF",  "IMNMX",  "VIADD",     "SGXT",   "BMSK",
                      "FSEL",   "LDC",    "LDCU",      "ISCADD", "VABSDIFF4", "VIMNMX", "CSET",
                      "INEG",   "VHMNMX", "VIADDMNMX", "VIMNMX3"});
  };
  // "UIADD3" is IADD3 on the registers of the whole warp.
  return is_listed(opcode) || (opcode.starts_with('U') && is_listed(opcode.substr(1)));
}

/// Returns true if IMAD or HFMA2 has a zero factor and only moves or adds. The compiler balances a
/// multiprocessor's units in this way.
bool multiplies_by_zero(std::string_view operands) {
  const auto is_zero = [](std::string_view o) {
    return o.starts_with("RZ") || o.starts_with("-RZ") || o.starts_with("URZ");
  };
  std::size_t first = operands.find(", ");
  for (int factor = 0; factor < 2 && first != std::string_view::npos; ++factor) {
    if (is_zero(operands.substr(first + 2))) return true;
    first = operands.find(", ", first + 2);
  }
  return false;
}

std::string arithmetic_name(const instruction& what, const std::vector<std::string_view>& parts) {
  const std::string_view opcode = parts.front();
  const bool zero = multiplies_by_zero(what.operands);
  if (is_one_of(opcode, {"IMAD", "UIMAD"})) {
    const bool by_name = parts.size() > 1 && is_one_of(parts[1], {"MOV", "IADD", "SHL", "X"});
    return by_name || zero ? "alu" : "imad";
  }
  if (opcode == "IMUL" || opcode == "XMAD" || opcode == "IMAD32I") return "imad";
  if (opcode == "HFMA2" && zero) return "alu";
  // The compiler gives every second addition of halves to the multiply unit, with factor one.
  if (opcode == "HFMA2" && what.operands.find(", 1, 1, ") != std::string::npos) return "HADD2";
  if (opcode == "QSPC")
    return std::string(opcode);  // queries the memory space of a generic
                                 // address
  if (is_one_of(opcode, {"FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA", "FADD32I", "FMUL32I"}))
    return std::string(opcode);
  if (is_one_of(opcode, {"HADD2", "HMUL2", "HFMA2"})) return std::string(opcode);
  if (is_one_of(opcode, {"FSETP", "DSETP", "FSET", "HSETP2"})) return "fp_compare";
  if (is_one_of(opcode, {"FMNMX", "FMNMX3", "HMNMX2", "DMNMX"})) return "fp_minmax";
  if (is_one_of(opcode, {"I2F", "F2I", "F2F", "I2FP", "F2FP", "I2I", "I2IP", "F2IP", "FRND"}))
    return "convert";
  if (opcode == "MUFU") return with_one_modifier(parts);
  return is_integer_or_move(opcode) ? "alu" : "";
}

instruction_class control_class(const instruction& what,
                                const std::vector<std::string_view>& parts) {
  const std::string_view opcode = parts.front();
  const bool conditional = !what.prefixes.empty() && what.prefixes != "@PT";
  if (is_one_of(opcode, {"BRA", "JMP"})) {
    // The condition may also be an operand: "BRA.U UP0, 0x80", "BRA.DIV UR4, 0x90".
    const bool has_operand = what.operands.find(',') != std::string::npos;
    const bool branches = conditional || has_operand;
    const auto to = branches ? flow::branch : flow::jump;
    const auto followed = what.target_address ? to : flow::indirect;
    // DIV and CONV ask the same question: whether the warp's lanes have diverged.
    if (parts.size() > 1 && is_one_of(parts[1], {"DIV", "CONV"}))
      return {.name = "BRA.DIV", .flow = followed};
    return {.name = branches ? "branch" : "jump", .flow = followed};
  }
  if (is_one_of(opcode, {"BRX", "BRXU", "JMX", "JMXU"}))
    return {.name = "jump", .flow = flow::indirect};
  if (is_one_of(opcode, {"EXIT", "RET", "KILL"})) {
    if (conditional) return {.name = "branch"};
    return {.name = "frame", .flow = flow::stop};
  }
  // Up to sm_8x nvcc leaves a loop by a call without return, over the jump to the loop's top: "@P0
  // CALL.REL.NOINC 0x40" at 0x20.
  constexpr std::uint64_t over_one = 2 * 16;
  if (opcode == "CALL" && conditional && what.target_address == what.address + over_one)
    return {.name = "branch", .flow = flow::branch};
  if (opcode == "CALL")
    return {.name = "call:" + (what.target.empty() ? "(inside)" : callee_name(what.target))};
  if (is_one_of(opcode, {"BSSY", "BSYNC", "BREAK", "BMOV", "ENDCOLLECTIVE"}))
    return {.name = "reconverge"};
  // The collective form begins the slow path of a diverged warp.
  if (opcode == "WARPSYNC") {
    const bool slow = parts.size() > 1 && parts[1] == "COLLECTIVE";
    return {.name = slow ? "WARPSYNC.COLLECTIVE" : "WARPSYNC"};
  }
  return {};
}

std::string synchronization_name(const instruction& what,
                                 const std::vector<std::string_view>& parts) {
  const std::string_view opcode = parts.front();
  if (is_one_of(opcode,
                {"RED", "REDG", "REDS", "REDAS", "ATOM", "ATOMG", "ATOMS", "UBLKRED", "UBLKCP"}))
    return access_name(parts, true);
  if (is_one_of(opcode, {"LDL", "STL"})) return "spill";
  if (is_one_of(opcode, {"LD", "ST", "LDG", "STG", "LDS", "STS"})) return access_name(parts, false);
  // A reduction without modifier is a bitwise and.
  if (is_one_of(opcode, {"REDUX", "CREDUX"}) && (parts.size() == 1 || is_size_or_type(parts[1])))
    return std::string(opcode) + ".AND";
  if (is_one_of(opcode, {"REDUX", "CREDUX", "SHFL", "VOTE", "VOTEU", "MATCH", "SYNCS", "ARRIVES"}))
    return with_one_modifier(parts);
  if (opcode == "BAR") {
    const std::string name = with_one_modifier(parts);
    return name == "BAR.RED" && parts.size() > 2 ? name + "." + std::string(parts[2]) : name;
  }
  if (is_one_of(opcode, {"MEMBAR", "B2R", "CCTL", "FENCE"}) || opcode.starts_with("UCGABAR"))
    return what.mnemonic;
  if (is_one_of(opcode, {"ERRBAR", "CGAERRBAR", "DEPBAR", "LDGDEPBAR", "YIELD", "NANOSLEEP",
                         "ACQBULK", "PREEXIT", "ELECT", "UTMACMDFLUSH"}))
    return std::string(opcode);
  return {};
}

/// Returns the register for R4, UR4, P0, UP0 and B0. Ignores RZ, PT and similar names.
std::optional<register_name> sass_register(std::string_view word) {
  const auto digits = word.find_first_of("0123456789");
  if (digits == std::string_view::npos || !is_digits(word.substr(digits))) return std::nullopt;
  if (!is_one_of(word.substr(0, digits), {"R", "UR", "P", "UP", "B"})) return std::nullopt;
  return register_name{std::string(word.substr(0, digits)), std::string(word)};
}

std::string sass_placeless(const instruction& what) {
  return without_number_in(what.operands, "c[0x0][");
}

instruction_class classify_sass(const instruction& what, frame_registers) {
  const std::vector<std::string_view> parts = split(what.mnemonic, '.');  // ATOMG, E, ADD
  // An instruction with a never-true predicate only keeps a distance.
  if (parts.front() == "NOP" || what.prefixes == "@!PT" || what.prefixes == "@!UPT")
    return {.name = "nop"};
  if (instruction_class control = control_class(what, parts); !control.name.empty()) return control;
  if (std::string name = synchronization_name(what, parts); !name.empty()) return {.name = name};
  if (std::string name = arithmetic_name(what, parts); !name.empty()) return {.name = name};
  return {.name = "other:" + what.mnemonic};
}

}  // namespace

const instruction_set sass_set{&classify_sass, &sass_register, &sass_placeless};

}  // namespace syncmeter
