// Sorts x86-64 instructions in AT&T syntax into census classes.
#include <array>

#include "driver/census/isa/instruction_class.hpp"

namespace syncmeter {
namespace {

// Integer arithmetic, which may be printed with a size suffix. "sub" and "shl" end in a suffix
// letter, so stem_of() cuts a suffix only if the rest is in this list.
bool is_x86_arithmetic(std::string_view stem) {
  return is_one_of(stem,
                   {"add",  "sub",  "or",   "and",   "xor",   "cmp",    "test", "adc",    "sbb",
                    "inc",  "dec",  "neg",  "not",   "shl",   "shr",    "sar",  "sal",    "rol",
                    "ror",  "rcl",  "rcr",  "bt",    "bts",   "btr",    "btc",  "bsf",    "bsr",
                    "lea",  "shld", "shrd", "xadd",  "xchg",  "bswap",  "andn", "popcnt", "sarx",
                    "shlx", "shrx", "rorx", "lzcnt", "tzcnt", "cmpxchg"});
}

std::string_view stem_of(std::string_view mnemonic) {
  if (is_x86_arithmetic(mnemonic)) return mnemonic;
  const std::string_view cut = mnemonic.substr(0, mnemonic.size() - 1);
  const bool suffixed = is_one_of(mnemonic.substr(cut.size()), {"b", "w", "l", "q"});
  if (suffixed && (is_x86_arithmetic(cut) || is_one_of(cut, {"imul", "mul", "div", "idiv"})))
    return cut;
  return mnemonic;
}

/// Operands of an instruction, with memory and stack access.
struct operand_list {
  std::string_view source, destination;  ///< the first and the last operand, equal if there is only
                                         ///< one
  std::size_t count = 0;
  bool loads = false;   ///< an operand before the last is memory
  bool memory = false;  ///< any operand is memory
  bool stack = false;
};

bool is_memory(std::string_view operand) {
  if (operand.empty() || operand.front() == '$') return false;
  if (operand.find('(') != std::string_view::npos) return true;
  return operand.front() != '%' || operand.find(':') != std::string_view::npos;
}

operand_list split_operands(std::string_view text, frame_registers frame) {
  operand_list list;
  for (std::size_t first = 0, depth = 0, i = 0; i <= text.size() && !text.empty(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view operand = text.substr(first, i - first);
    list.loads = list.loads || (list.count > 0 && is_memory(list.destination));
    list.destination = operand;
    if (list.count == 0) list.source = operand;
    if (is_memory(operand)) {
      list.memory = true;
      list.stack = operand.find("(%rsp") != std::string_view::npos ||
                   (frame.frame_pointer && operand.find("(%rbp") != std::string_view::npos);
    }
    ++list.count;
    first = i + 1;
  }
  return list;
}

instruction_class access(std::string_view name, const operand_list& operands) {
  return {.name = std::string(operands.stack ? "spill" : name)};
}

instruction_class move_class(const operand_list& operands) {
  if (operands.count > 1 && is_memory(operands.destination)) return access("store", operands);
  if (operands.memory) return access("load", operands);
  return {.name = "move"};
}

instruction_class arithmetic_class(std::string_view stem, const operand_list& operands) {
  if (!operands.memory || stem == "lea") return {.name = "alu"};
  if (is_one_of(stem, {"cmp", "test", "bt"}) || operands.loads) return access("load", operands);
  return access("rmw", operands);
}

/// Returns the class of floating-point arithmetic, or an empty text.
std::string_view x86_floating_class(std::string_view name) {
  if (name.starts_with("vfm") || name.starts_with("vfnm")) return "fp_fma";
  if (name.starts_with('v')) name.remove_prefix(1);
  if (starts_with_any(name, {"ucomis", "comis"})) return "fp_compare";
  if (starts_with_any(name, {"cvt"})) return "convert";
  const bool floating = name.size() > 4 && (name.ends_with("ss") || name.ends_with("sd") ||
                                            name.ends_with("ps") || name.ends_with("pd"));
  return floating ? floating_class(name) : "";
}

bool is_move(std::string_view name) {
  if (name.starts_with("vmov")) name.remove_prefix(1);
  return name.starts_with("mov") && !starts_with_any(name, {"movmsk"});
}

/// Returns true for logic and shuffles on vector registers, which are bookkeeping like the integer
/// forms.
bool is_vector_logic(std::string_view name) {
  if (name.starts_with('v')) name.remove_prefix(1);
  return starts_with_any(name,
                         {"pxor",  "por",   "pand",   "xorp",     "orp",   "andp", "andnp", "unpck",
                          "shufp", "pshuf", "punpck", "movmsk",   "padd",  "psub", "pcmp",  "psll",
                          "psrl",  "blend", "pblend", "insertps", "pinsr", "pextr"});
}

bool has_word(std::string_view list, std::string_view word) {
  for (auto at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    const bool begins = at == 0 || list[at - 1] == ' ';
    const auto end = at + word.size();
    if (begins && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

instruction_class x86_control_class(const instruction& what) {
  const std::string_view name = what.mnemonic;
  if (name.starts_with("call"))
    return {.name = "call:" + (what.target.empty() ? "(indirect)" : callee_name(what.target))};
  if (name.starts_with("ret")) return {.name = "frame", .flow = flow::stop};
  if (is_one_of(name, {"ud2", "hlt", "int3"}))
    return {.name = "other:" + what.mnemonic, .flow = flow::stop};
  const bool direct = what.target_address.has_value();
  if (name.starts_with("jmp"))
    return {.name = "jump", .flow = direct ? flow::jump : flow::indirect};
  if (name.starts_with('j') || name.starts_with("loop"))
    return {.name = "branch", .flow = direct ? flow::branch : flow::indirect};
  return {};
}

/// Returns the register for "%eax", "%r10d", "%xmm3", and nothing for %rsp, %rip and segment
/// registers.
std::optional<register_name> x86_register(std::string_view word) {
  if (!word.starts_with('%')) return std::nullopt;
  word.remove_prefix(1);
  for (const std::string_view vector : {"xmm", "ymm", "zmm"})
    if (word.starts_with(vector))
      return register_name{std::string(vector), std::string(word.substr(3))};
  if (word.size() >= 2 && word[0] == 'r' && word[1] >= '0' && word[1] <= '9') {
    const char width = word.back();
    if (is_digits(word.substr(1))) return register_name{"r64", std::string(word)};
    const char* const kind = width == 'd' ? "r32" : width == 'w' ? "r16" : "r8";
    return register_name{kind, std::string(word.substr(0, word.size() - 1))};
  }
  if (is_one_of(word, {"rsp", "esp", "sp", "spl", "rip"})) return std::nullopt;
  static constexpr std::array<std::string_view, 7> wide{"ax", "bx", "cx", "dx", "si", "di", "bp"};
  for (const std::string_view name : wide) {
    if (word == name) return register_name{"r16", std::string(name)};
    if (word.size() == 3 && word.ends_with(name) && (word[0] == 'r' || word[0] == 'e'))
      return register_name{word[0] == 'r' ? "r64" : "r32", std::string(name)};
    const bool byte = name[1] == 'x' ? word.size() == 2 && word[0] == name[0]
                                     : word.size() == 3 && word.starts_with(name);
    if (byte && (word.back() == 'l' || word.back() == 'h'))
      return register_name{"r8", std::string(name)};
  }
  return std::nullopt;
}

/// Removes a zero offset, which the encoding with base %rbp or %r13 always needs.
std::string without_zero(std::string text) {
  constexpr std::string_view zero = "0x0(";
  const auto at = text.find(zero);
  const bool alone = at == 0 || (at != std::string::npos && text[at - 1] == ',');
  return alone ? text.erase(at, zero.size() - 1) : text;
}

std::string x86_placeless(const instruction& what) {
  return without_zero(
      without_number_before(without_number_before(what.operands, "(%rip)"), "(%rsp"));
}

instruction_class classify_x86(const instruction& what, frame_registers frame) {
  const std::string_view stem = stem_of(what.mnemonic);
  if (has_word(what.prefixes, "lock")) return {.name = "lock_" + std::string(stem)};
  if (instruction_class control = x86_control_class(what); !control.name.empty()) return control;
  if (is_one_of(stem, {"mfence", "lfence", "sfence", "pause"})) return {.name = std::string(stem)};
  if (starts_with_any(stem, {"push", "pop"}) && stem != "popcnt") return {.name = "frame"};
  if (is_one_of(stem, {"leave", "endbr64", "cld"})) return {.name = "frame"};
  if (stem.starts_with("nop")) return {.name = "nop"};

  const operand_list operands = split_operands(what.operands, frame);
  if (stem == "xchg") {
    if (operands.memory) return {.name = "xchg_mem"};
    return {.name = operands.source == operands.destination ? "nop" : "move"};
  }
  // Arithmetic on %rsp (`sub $8,%rsp`) makes or drops the frame.
  if (is_x86_arithmetic(stem) && operands.destination == "%rsp") return {.name = "frame"};
  if (is_x86_arithmetic(stem)) return arithmetic_class(stem, operands);
  if (starts_with_any(stem, {"cmov"}))
    return operands.memory ? access("load", operands) : instruction_class{.name = "alu"};
  if (stem.starts_with("set"))
    return operands.memory ? access("store", operands) : instruction_class{.name = "alu"};
  const std::string_view also = !operands.memory ? "" : operands.stack ? "spill" : "load";
  if (is_one_of(stem, {"imul", "mul"})) return {.name = "imul", .also = also};
  if (is_one_of(stem, {"idiv", "div"})) return {.name = "idiv", .also = also};
  if (is_one_of(stem, {"cltq", "cltd", "cqto", "cwtl"})) return {.name = "alu"};
  // A string move has no register operand and would look like a load.
  if (!what.prefixes.empty() && what.prefixes.starts_with("rep"))
    return {.name = "other:" + what.prefixes + "_" + what.mnemonic};
  if (const auto floating = x86_floating_class(stem); !floating.empty())
    return {.name = std::string(floating), .also = also};
  if (is_move(stem)) return move_class(operands);
  if (is_vector_logic(stem))
    return operands.memory ? access("load", operands) : instruction_class{.name = "alu"};
  return {.name = "other:" + what.mnemonic};
}

}  // namespace

const instruction_set x86_64_set{&classify_x86, &x86_register, &x86_placeless};

}  // namespace syncmeter
