#include "core/worker/declaration_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace syncmeter {

std::string with(std::string_view shared, const std::string& alternatives) {
  if (shared.empty()) return alternatives;
  std::string text;
  for (std::size_t at = 0; at <= alternatives.size();) {
    const auto end = std::min(alternatives.find(" | ", at), alternatives.size());
    text += fmt::format("{}{}, {}", text.empty() ? "" : " | ", shared,
                        alternatives.substr(at, end - at));
    at = end + 3;
  }
  return text;
}

bool is_float(const measurable& row) {
  return row.type == value_type::float32 || row.type == value_type::float64;
}

std::string cas_loop(std::string_view arithmetic) {
  return fmt::format("load 1, lock_cmpxchg 1, branch 1{}{}", arithmetic.empty() ? "" : ", ",
                     arithmetic);
}

// g++ loads, adds and stores, clang does it in one instruction. Where the section is entered by a
// call no floating register lives through it (System V ABI 3.2.1), so that a floating addend may
// have to come from the stack.
std::string plain_add(const measurable& row) {
  if (is_float(row))
    return "load 1, fp_add 1, store 1 | load 1, spill 1, fp_add 1, store 1 | "
           "load 1, spill 2, fp_add 1, store 1";
  return "load 1, store 1 | rmw 1";
}

// The lock's own accesses are counted with those of the plain add.
std::string under_lock(const measurable& row, std::string_view lock) {
  if (is_float(row)) return fmt::format("{}, load 2, store 2, fp_add 1", lock);
  return fmt::format("{0}, load 2, store 2 | {0}, load 1, store 1, rmw 1", lock);
}

std::string without_api(const measurable& row) {
  const auto name = row.info.name;
  if (name == "plain_read") return "load 1";
  if (name == "plain_write") return "store 1";
  if (name == "plain_add")
    return is_float(row) ? "load 1, fp_add 1, store 1" : "load 1, store 1 | rmw 1";
  if (name == "control_aa") return "nothing";
  if (name.starts_with("control_multiply_")) {
    return fmt::format("{} {}", is_float(row) ? "fp_mul" : "imul",
                       name.substr(name.rfind('_') + 1));
  }
  return {};
}

}  // namespace syncmeter
