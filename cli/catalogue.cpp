// What the driver knows of the shared ops without asking a worker, made from the ops' own
// definitions.
#include "cli/catalogue.hpp"

#include <array>
#include <limits>

#include "core/ops/all.hpp"

namespace syncmeter {
namespace {

template <class... Ops> constexpr std::array<op_info, sizeof...(Ops)> infos(op_list<Ops...>) {
  return {Ops::info...};
}
constexpr auto shared_infos = infos(shared_ops{});

constexpr std::string_view name_of(enum family f) {
  switch (f) {
  case family::barrier:
    return "barrier";
  case family::atomic:
    return "atomic";
  case family::fence:
    return "fence";
  case family::critical:
    return "critical";
  case family::warp:
    return "warp";
  case family::group:
    return "group";
  case family::handoff:
    return "handoff";
  case family::launch:
    return "launch";
  case family::memory:
    return "memory";
  case family::control:
    return "control";
  case family::reduction:
    return "reduction";
  }
  return "other";
}

}  // namespace

op_facts facts_of(std::string_view op) {
  for (std::size_t i = 0; i < shared_infos.size(); ++i) {
    const op_info& info = shared_infos[i];
    if (info.name != op) continue;
    return {.family = name_of(info.family),
            .rank = i,
            .inserted = info.pairing == pairing::insert,
            .cost_per_lane = info.cost_per_lane,
            .joint = info.family == family::barrier};
  }
  return {.rank = std::numeric_limits<std::size_t>::max()};
}

}  // namespace syncmeter
