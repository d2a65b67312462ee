#include "driver/census/kernel_names.hpp"

#include <algorithm>

#include "driver/census/instruction_class.hpp"

namespace syncmeter {
namespace {

std::string_view common_head(std::string_view a, std::string_view b) {
  const auto [end, ignored] = std::ranges::mismatch(a, b);
  return a.substr(0, static_cast<std::size_t>(end - a.begin()));
}

}  // namespace

void kernel_names::add(const std::string& name) {
  const bool of_cpp = name.find("::") != std::string::npos;
  (of_cpp ? within_ : literal_).insert(name);
}

std::string kernel_names::wanted(std::string_view function) const {
  if (literal_.contains(function)) return std::string{function};
  if (within_.empty()) return {};
  // Names of one kind begin alike, and of those that are no longer than what stands there the last
  // one is the longest that can fit.
  const std::string plain = demangled(function);
  const auto head = common_head(*within_.begin(), *within_.rbegin());
  for (auto at = plain.find(head); at != std::string::npos; at = plain.find(head, at + 1)) {
    const std::string_view rest = std::string_view{plain}.substr(at);
    const auto after = within_.upper_bound(rest);
    if (after != within_.begin() && rest.starts_with(*std::prev(after))) return *std::prev(after);
  }
  return {};
}

}  // namespace syncmeter
