// Helpers for all instruction sets: callee names, the frame pointer, the choice of the set.
#include "driver/census/isa/instruction_class.hpp"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <utility>

namespace syncmeter {
namespace {

/// Returns "ns::f<int>" for "ns::f<int>(int, char)". Skips brackets in template arguments.
std::string_view without_parameters(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && i > 0) return name.substr(0, i);
  }
  return name;
}

frame_registers frame_of(std::span<const instruction> body, enum machine m) {
  const auto sets_it = [m](const instruction& i) {
    return m == machine::aarch64 ? i.mnemonic == "mov" && i.operands == "x29, sp"
                                 : i.mnemonic.starts_with("mov") && i.operands == "%rsp,%rbp";
  };
  return {.frame_pointer = std::ranges::any_of(body, sets_it)};
}

}  // namespace

std::string_view to_text(machine m) {
  constexpr std::array<std::string_view, 5> names{"x86-64", "aarch64", "riscv64", "sass", "other"};
  return names.at(static_cast<std::size_t>(m));
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '%';
}

std::string without_number_before(std::string text, std::string_view behind) {
  for (auto at = text.find(behind); at != std::string::npos;
       at = text.find(behind, at + behind.size())) {
    auto begin = at;
    while (begin > 0 && (is_of_word(text[begin - 1]) || text[begin - 1] == '-')) --begin;
    text.replace(begin, at - begin, "*");
    at = begin + 1;
  }
  return text;
}

std::string without_number_in(std::string text, std::string_view before) {
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    const auto end = std::min(text.find(']', at), text.size());
    text.replace(at, end - at, "*");
  }
  return text;
}

std::string demangled(std::string_view symbol) {
  std::string name(symbol);
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

std::string callee_name(std::string_view target) {
  const std::string_view name = target.substr(0, target.find_first_of("@+"));
  const std::string plain = demangled(name);
  return plain == name ? plain : std::string(without_parameters(plain));
}

std::string_view floating_class(std::string_view operation) {
  if (starts_with_any(operation, {"add", "sub", "abd"})) return "fp_add";
  if (starts_with_any(operation, {"madd", "msub", "nmadd", "nmsub", "mla", "mls"})) return "fp_fma";
  if (starts_with_any(operation, {"mul", "nmul"})) return "fp_mul";
  if (starts_with_any(operation, {"div", "sqrt"})) return "fp_div";
  if (starts_with_any(operation, {"min", "max"})) return "fp_minmax";
  if (starts_with_any(operation, {"cmp", "ccmp", "eq", "lt", "le", "gt", "ge"}))
    return "fp_compare";
  return operation.starts_with("cvt") ? "convert" : "";
}

const instruction_set& instruction_set_of(enum machine m) {
  if (m == machine::sass) return sass_set;
  if (m == machine::riscv64) return riscv64_set;
  return m == machine::aarch64 ? aarch64_set : x86_64_set;
}

std::vector<instruction_class> classes_of(std::span<const instruction> body, enum machine m) {
  const frame_registers frame = frame_of(body, m);
  const auto& classify = instruction_set_of(m).classify;
  std::unordered_map<std::string, instruction_class> by_text;
  std::vector<instruction_class> classes;
  classes.reserve(body.size());
  for (const instruction& one : body) {
    if (one.target_address) {  // the class may depend on the address
      classes.push_back(classify(one, frame));
      continue;
    }
    std::string text = one.mnemonic;
    for (const std::string* part : {&one.prefixes, &one.operands, &one.target}) {
      text += '\n';
      text += *part;
    }
    const auto [known, is_new] = by_text.try_emplace(std::move(text));
    if (is_new) known->second = classify(one, frame);
    classes.push_back(known->second);
  }
  return classes;
}

}  // namespace syncmeter
