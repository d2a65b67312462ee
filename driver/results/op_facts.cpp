#include "driver/results/op_facts.hpp"

#include <algorithm>
#include <array>

#include "core/ops/all.hpp"

namespace syncmeter {
namespace {

template <class... Ops> constexpr std::array<op_info, sizeof...(Ops)> infos(op_list<Ops...>) {
  return {Ops::info...};
}
constexpr auto shared_infos = infos(shared_ops{});

}  // namespace

op_facts facts_of(std::string_view op) {
  for (const op_info& info : shared_infos)
    if (info.name == op)
      return facts_of(op, to_text(info.family), info.pairing == pairing::insert,
                      info.cost_per_lane);
  return {};
}

op_facts facts_of(std::string_view op, std::string_view family_name, bool inserted,
                  bool cost_per_lane) {
  const auto kind = from_text<family>(family_name);
  const auto known =
      std::ranges::find_if(shared_infos, [op](const op_info& info) { return info.name == op; });
  op_facts facts{.family = std::string(family_name),
                 .inserted = inserted,
                 .cost_per_lane = cost_per_lane,
                 .joint = kind && (is_joint(*kind) || *kind == family::launch)};
  if (known != shared_infos.end())
    facts.rank = static_cast<std::size_t>(known - shared_infos.begin());
  return facts;
}

std::size_t family_rank(std::string_view family_name) {
  constexpr auto names = names_of(family{});
  return static_cast<std::size_t>(std::ranges::find(names, family_name) - names.begin());
}

}  // namespace syncmeter
