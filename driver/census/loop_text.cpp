#include "driver/census/loop_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "driver/census/instruction_class.hpp"
#include "driver/census/instruction_text.hpp"

namespace syncmeter {
namespace {

/// A register as a program sees it: what it holds, and which one it is whatever its width.
struct register_name {
  std::string kind, which;
};

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "%eax", "%r10d", "%xmm3"; nothing for those with a part of their own (%rsp, %rip, segments).
std::optional<register_name> x86_register(std::string_view word) {
  if (!word.starts_with('%')) return std::nullopt;
  word.remove_prefix(1);
  for (const std::string_view vector : {"xmm", "ymm", "zmm"}) {
    if (word.starts_with(vector))
      return register_name{std::string(vector), std::string(word.substr(3))};
  }
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

/// "x3" and "w3" are one register; the zero register and sp are none.
std::optional<register_name> aarch64_register(std::string_view word) {
  if (word.size() < 2 || !is_digits(word.substr(1))) return std::nullopt;
  const bool general = word[0] == 'x' || word[0] == 'w';
  if (!general && std::string_view("bhsdqv").find(word[0]) == std::string_view::npos)
    return std::nullopt;
  return register_name{std::string(1, word[0]),
                       (general ? "r" : "v") + std::string(word.substr(1))};
}

/// "a5", "t0", "s11", "fa0": the integer ones are "x"; zero, ra, sp, gp and tp are none.
std::optional<register_name> riscv_register(std::string_view word) {
  const bool floating = word.starts_with('f');
  const std::string_view name = floating ? word.substr(1) : word;
  if (name.size() < 2 || !is_digits(name.substr(1)) ||
      !is_one_of(name.substr(0, 1), {"a", "t", "s"}))
    return std::nullopt;
  return register_name{floating ? "f" : "x", std::string(word)};
}

/// R4, UR4, P0, UP0, B0; RZ, PT and their like are none.
std::optional<register_name> sass_register(std::string_view word) {
  const auto digits = word.find_first_of("0123456789");
  if (digits == std::string_view::npos || !is_digits(word.substr(digits))) return std::nullopt;
  if (!is_one_of(word.substr(0, digits), {"R", "UR", "P", "UP", "B"})) return std::nullopt;
  return register_name{std::string(word.substr(0, digits)), std::string(word)};
}

std::optional<register_name> register_in(std::string_view word, enum machine m) {
  switch (m) {
  case machine::x86_64:
    return x86_register(word);
  case machine::aarch64:
    return aarch64_register(word);
  case machine::riscv64:
    return riscv_register(word);
  case machine::sass:
  case machine::other:
    break;
  }
  return sass_register(word);
}

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '%';
}

/// Numbers registers by kind-less name, in the order in which a loop mentions them.
class register_numbers {
 public:
  const loop_line& rename(const std::string& text, enum machine m) {
    // A register keeps its number, and loops are unrolled.
    const auto [known, is_new] = known_.try_emplace(text);
    if (is_new) known->second = renamed(text, m);
    return known->second;
  }

 private:
  loop_line renamed(std::string_view text, enum machine m) {
    loop_line renamed;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && is_of_word(text[end])) ++end;
      if (end == i) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (const auto found = register_in(word, m)) {
        const auto number = numbers_.try_emplace(found->which, numbers_.size()).first->second;
        renamed.shape += found->kind;
        fmt::format_to(std::back_inserter(renamed.text), "{}.{}", found->kind, number);
      } else {
        renamed.shape += word;
        renamed.text += word;
      }
      i = end;
    }
    return renamed;
  }

  std::map<std::string, std::size_t> numbers_;
  std::unordered_map<std::string, loop_line> known_;
};

/// Puts a star for every number that stands right before `behind`.
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

/// A base of %rbp or %r13 has an offset always, and be it 0.
std::string without_zero(std::string text) {
  constexpr std::string_view zero = "0x0(";
  const auto at = text.find(zero);
  const bool alone = at == 0 || (at != std::string::npos && text[at - 1] == ',');
  return alone ? text.erase(at, zero.size() - 1) : text;
}

/// Puts a star for all that stands between `before` and the bracket that closes it.
std::string without_number_in(std::string text, std::string_view before) {
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    const auto end = std::min(text.find(']', at), text.size());
    text.replace(at, end - at, "*");
  }
  return text;
}

/// Operands without addresses, and without offsets into the frame and a kernel's parameters.
std::string placeless(const instruction& one, enum machine m) {
  switch (m) {
  case machine::x86_64:
    return without_zero(
        without_number_before(without_number_before(one.operands, "(%rip)"), "(%rsp"));
  case machine::aarch64:
    if (one.mnemonic == "adrp" || one.mnemonic == "adr")
      return one.operands.substr(0, one.operands.find(',') + 1) + "*";
    return without_number_in(one.operands, "[sp, ");
  case machine::riscv64: {
    // The address of something is made of two halves; objdump names it behind the second.
    const bool half = one.mnemonic == "auipc" || !one.target.empty();
    if (half && !one.target_address && !one.operands.ends_with(')'))
      return one.operands.substr(0, one.operands.rfind(',') + 1) + "*";
    return without_number_before(one.operands, half ? "(" : "(sp)");
  }
  case machine::sass:
    return without_number_in(one.operands, "c[0x0][");
  case machine::other:
    break;
  }
  return one.operands;
}

}  // namespace

std::vector<loop_line> loop_text(std::span<const instruction> body,
                                 std::span<const instruction_class> classes, enum machine m,
                                 const std::function<bool(std::size_t)>& wanted) {
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (wanted(i) && classes[i].name != "nop") inside.push_back(i);
  }
  const auto line_at = [&](std::uint64_t address) {
    const auto found = std::ranges::lower_bound(inside, address, {},
                                                [&](std::size_t i) { return body[i].address; });
    return found - inside.begin();
  };
  std::vector<loop_line> lines;
  register_numbers registers;
  for (const std::size_t i : inside) {
    const instruction& one = body[i];
    const std::string head = (one.prefixes.empty() ? "" : one.prefixes + " ") + one.mnemonic;
    if (const std::string& name = classes[i].name; name.starts_with("call:")) {
      lines.push_back({name, name});
      continue;
    }
    std::string operands = placeless(one, m);
    // The address is the last of a jump's operands, and on a CPU often the only one.
    if (one.target_address) operands.erase(operands.find_last_of(" ,") + 1);
    loop_line line = registers.rename(operands.empty() ? head : head + " " + operands, m);
    if (one.target_address) {
      const char* const label = operands.empty() ? " L" : "L";
      line.shape += label;
      const bool stays = *one.target_address >= body[inside.front()].address &&
                         *one.target_address <= body[inside.back()].address;
      line.text +=
          stays ? fmt::format("{}{}", label, line_at(*one.target_address)) : std::string(label);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace syncmeter
