// A point in words.
#include "driver/show/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {

std::string type_text(const point& p) { return p.type ? std::string(to_text(*p.type)) : ""; }

std::string placement_text(const point& p) {
  if (p.placement == placement::none) return "";
  if (p.placement == placement::shared) return "shared";
  std::string text = fmt::format("strided {} B", stride_bytes(p));
  if (p.base_offset != 0) text += fmt::format(" from {} B", p.base_offset);
  if (p.cells != 0) text += fmt::format(", {} cell{}", p.cells, p.cells == 1 ? "" : "s");
  return text;
}

std::string short_name(const point& p) {
  std::string text = p.op;
  if (p.type) text += " " + type_text(p);
  if (p.order != order::unordered) text += fmt::format(" {}", to_text(p.order));
  if (p.placement != placement::none) text += " " + placement_text(p);
  if (p.scope != scope::none) text += fmt::format(" {}", to_text(p.scope));
  if (p.flavour != flavour::none) text += fmt::format(" {}", to_text(p.flavour));
  if (p.space == space::shared_memory) text += " in shared memory";
  text += p.blocks != 1
              ? fmt::format(", {} blocks of {} lane{}", p.blocks, p.lanes, p.lanes == 1 ? "" : "s")
              : fmt::format(", {} lane{}", p.lanes, p.lanes == 1 ? "" : "s");
  if (p.active != 0) text += fmt::format(", {} of each warp", p.active);
  if (p.size != 0) text += fmt::format(", size {}", p.size);
  if (p.affinity != affinity::none) text += fmt::format(" {}", to_text(p.affinity));
  if (p.wait != wait_policy::active) text += fmt::format(" {}", to_text(p.wait));
  if (!p.pus.empty())
    text += fmt::format(" on PU{} {}", p.pus.size() == 1 ? "" : "s", fmt::join(p.pus, ","));
  if (p.home != home::none) text += fmt::format(", home {}", to_text(p.home));
  if (p.section_ns != 0) text += fmt::format(", {} ns inside", p.section_ns);
  if (p.think_ns != 0) text += fmt::format(", {} ns outside", p.think_ns);
  if (p.reads_per_write != 0) text += fmt::format(", {} reads a write", p.reads_per_write);
  if (p.late_us != 0) text += fmt::format(", {} us late", p.late_us);
  if (p.repeat != 0) text += fmt::format(", repeat {}", p.repeat);
  if (!p.arm.empty()) text += fmt::format(", in {}", p.arm);
  return text;
}

}  // namespace syncmeter
