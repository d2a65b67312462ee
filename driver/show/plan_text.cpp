// The points of a plan before it is measured.
#include "driver/show/table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/pu_pairs.hpp"
#include "driver/plan/lane_places.hpp"

namespace syncmeter {
namespace {

// " (same L3)" behind a named pair.
std::string pair_class_text(const planned_point& p, const topology* machine) {
  if (machine == nullptr || p.what.pus.size() != 2) return "";
  std::vector<const processing_unit*> pair;
  for (const int pu : p.what.pus) {
    const auto found = std::ranges::find(machine->units(), pu, &processing_unit::os);
    if (found != machine->units().end()) pair.push_back(&*found);
  }
  return pair.size() < 2
             ? ""
             : fmt::format(" ({})", to_text(class_of(*pair[0], *pair[1]), machine->kinds() > 1));
}

}  // namespace

std::string plan_text(const campaign_plan& plan, const topology* machine) {
  std::string text;
  std::size_t merged = 0;
  for (const planned_point& p : plan.points) {
    const std::string where =
        p.device ? fmt::format("device {}", *p.device)
                 : fmt::format("PUs {}{}", fmt::join(p.pus, ","), pair_class_text(p, machine));
    text += fmt::format("{}\n    on {}, {} visits{}\n", canonical(p.what), where, p.visits,
                        p.additivity ? ", additivity" : "");
    for (const point& same : p.same_as) text += fmt::format("    = {}\n", canonical(same));
    if (!p.same_as.empty()) text += fmt::format("    ({})\n", p.why);
    merged += p.same_as.size();
  }
  for (const refused_point& r : plan.refused) {
    text += fmt::format("{}\n    {}: {}\n", canonical(r.what), r.status, r.reason);
  }
  if (machine != nullptr) {
    for (const std::string& note : placement_notes(plan, *machine)) text += "\n" + note + "\n";
  }
  if (!plan.left_out.empty()) text += fmt::format("\nNot in this study: {}\n", plan.left_out);
  return text + fmt::format("\nPoints to measure: {}, which also cover {} equal ones; not "
                            "supported: {}; about {:.3g} s\n",
                            plan.points.size(), merged, plan.refused.size(), plan.predicted_s);
}

}  // namespace syncmeter
