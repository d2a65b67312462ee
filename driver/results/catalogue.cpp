#include "driver/results/catalogue.hpp"

#include <algorithm>
#include <array>

#include "core/ops/all.hpp"
#include "core/worker/capabilities.hpp"

namespace syncmeter {
namespace {

template <class... Ops> constexpr std::array<op_info, sizeof...(Ops)> infos(op_list<Ops...>) {
  return {Ops::info...};
}
constexpr auto shared_infos = infos(shared_ops{});

constexpr std::array<std::string_view, 12> families{"barrier", "warp",      "group",   "atomic",
                                                    "memory",  "critical",  "fence",   "handoff",
                                                    "launch",  "reduction", "control", "structure"};

}  // namespace

op_facts facts_of(std::string_view op) {
  for (const op_info& info : shared_infos) {
    if (info.name == op)
      return facts_of(op, family_name(info.family), info.pairing == pairing::insert,
                      info.cost_per_lane);
  }
  return {};
}

op_facts facts_of(std::string_view op, std::string_view family, bool inserted, bool cost_per_lane) {
  const auto known = std::find_if(shared_infos.begin(), shared_infos.end(),
                                  [op](const op_info& info) { return info.name == op; });
  op_facts facts{.family = std::string(family),
                 .inserted = inserted,
                 .cost_per_lane = cost_per_lane,
                 .joint = family == "barrier" || family == "group" || family == "launch"};
  if (known != shared_infos.end())
    facts.rank = static_cast<std::size_t>(known - shared_infos.begin());
  return facts;
}

std::size_t family_rank(std::string_view family) {
  return static_cast<std::size_t>(std::find(families.begin(), families.end(), family) -
                                  families.begin());
}

}  // namespace syncmeter
