#include "backends/cuda/rig/architectures.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace syncmeter::cuda {
namespace {

using term = std::pair<std::string, std::string>;  // class and number
using terms = std::vector<term>;

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  return parts;
}

terms terms_of(std::string_view alternative) {
  terms found;
  for (const std::string_view part : split_at(alternative, ", ")) {
    const auto blank = std::min(part.rfind(' '), part.size());
    found.emplace_back(part.substr(0, blank), part.substr(std::min(blank + 1, part.size())));
  }
  return found;
}

std::string text_of(const terms& alternative) {
  std::string text;
  for (const auto& [name, number] : alternative) {
    if (!text.empty()) text += ", ";
    text += name;
    if (!number.empty()) text += " " + number;
  }
  return text;
}

// GPUs before Hopper have no clusters, and their fences wait for none.
void before_hopper(terms& alternative) {
  std::erase_if(alternative, [](const term& each) { return each.first == "CGAERRBAR"; });
}

// Data centre Blackwell (sm_100, sm_103) uses different units for a warp's minimum or maximum and
// its sum. sm_110 and sm_120 do not.
void on_blackwell_of_data_centres(terms& alternative) {
  for (term& each : alternative)
    if (each.first == "REDUX.MIN" || each.first == "REDUX.MAX")
      each.first = fmt::format("C{}", each.first);
}

}  // namespace

std::string on_architecture(std::string_view hopper, int architecture) {
  std::string text;
  for (const std::string_view alternative : split_at(hopper, " | ")) {
    terms here = terms_of(alternative);
    if (architecture < 90) before_hopper(here);
    if (architecture >= 100 && architecture < 110) on_blackwell_of_data_centres(here);
    if (!text.empty()) text += " | ";
    text += text_of(here);
  }
  return text;
}

}  // namespace syncmeter::cuda
