// The small grammars: lists of lanes, blocks, PUs and CPUs, times and shares. What was parsed and
// is written again parses to the same.
#include <algorithm>

#include "core/machine/load_topology.hpp"
#include "core/machine/topology.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

template <class Ranges> std::string list_text(const Ranges& ranges) {
  std::string text;
  for (const auto& range : ranges) text += (text.empty() ? "" : ",") + to_text(range);
  return text;
}

void check_ranges(std::string_view text) {
  (void)ends_or_throws<usage_error>([&] {
    const auto lanes = parse_lanes("--threads", text);
    promise(parse_lanes("--threads", list_text(lanes)) == lanes, "lanes read otherwise");
    for (const count_range& range : lanes)
      promise(range.named == count_range::symbol::max ||
                  (range.first >= 1 && range.first <= range.last && range.last <= most_lanes),
              "lanes out of range");
  });
  (void)ends_or_throws<usage_error>([&] {
    const auto blocks = parse_blocks("--blocks", text);
    promise(parse_blocks("--blocks", list_text(blocks)) == blocks, "blocks read otherwise");
  });
  (void)ends_or_throws<usage_error>([&] {
    std::vector<int> pus = parse_pus("--cpus", text);
    std::vector<int> again = parse_pus("--cpus", as_ranges(pus));
    std::sort(pus.begin(), pus.end());
    promise(again == pus, "PUs read otherwise");
    promise(std::adjacent_find(pus.begin(), pus.end()) == pus.end(), "a PU is there twice");
  });
  if (auto cpus = parse_cpu_list(text); cpus && !cpus->empty()) {
    std::sort(cpus->begin(), cpus->end());
    cpus->erase(std::unique(cpus->begin(), cpus->end()), cpus->end());
    promise(parse_cpu_list(as_ranges(*cpus)) == cpus, "CPUs read otherwise");
  }
}

void check_values(std::string_view text) {
  (void)ends_or_throws<usage_error>(
      [&] { promise(parse_seconds("--max-time", text) >= 0, "a time below 0"); });
  (void)ends_or_throws<usage_error>([&] {
    const double share = parse_share("--precision", text);
    promise(share > 0 && share < 1, "a share out of range");
  });
  (void)ends_or_throws<usage_error>([&] {
    for (const unsigned number : parse_numbers("--stride", text, 2, 65536))
      promise(number >= 2 && number <= 65536, "a number out of range");
  });
  promise(pus_described(text) >= 0, "fewer than no PUs");
}

void check_escapes(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f; };
  promise(std::ranges::all_of(quote(text), is_plain), "a quote holds what is not printable ASCII");
  const std::string shown = printable(text);
  promise(std::ranges::none_of(shown, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }),
          "a terminal gets a control character");
  promise(printable(shown) == shown, "what is printable is changed");
}

}  // namespace

void grammars(std::string_view input) {
  check_ranges(input);
  check_values(input);
  check_escapes(input);
}

}  // namespace syncmeter::fuzz
