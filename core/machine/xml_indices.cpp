#include "core/machine/xml_indices.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace syncmeter {
namespace {

constexpr unsigned most_index = 1U << 20U;

// Of an attribute in the text of a tag.
std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  for (auto at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const auto value = at + name.size();  // behind which there is ="..."
    const bool begins = at != 0 && (tag[at - 1] == ' ' || tag[at - 1] == '\n');
    if (!begins || value + 1 >= tag.size() || tag[value] != '=') continue;
    return tag.substr(value + 2, tag.find(tag[value + 1], value + 2) - (value + 2));
  }
  return std::nullopt;
}

bool is_index(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number <= most_index;
}

}  // namespace

std::string flaw_in_indices(std::string_view xml) {
  constexpr std::string_view object = "<object";
  for (auto at = xml.find(object); at != std::string_view::npos; at = xml.find(object, at + 1)) {
    const std::string_view tag = xml.substr(at, xml.find('>', at) - at);
    const auto type = attribute(tag, "type");
    if (type != "PU" && type != "NUMANode") continue;
    const auto index = attribute(tag, "os_index");
    if (!index) return fmt::format("a {} has no os_index", *type);
    if (!is_index(*index))
      return fmt::format("the os_index of a {} is not a number from 0 to {}", *type, most_index);
  }
  return {};
}

std::string flaw_in_xml_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return flaw_in_indices(std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace syncmeter
