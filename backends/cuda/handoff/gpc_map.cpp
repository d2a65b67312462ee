#include "backends/cuda/handoff/gpc_map.hpp"

#include <numeric>

namespace syncmeter::cuda {

std::vector<int> gpcs_from(const std::vector<unsigned>& places, unsigned size,
                           unsigned multiprocessors) {
  std::vector<unsigned> leader(multiprocessors);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&leader](unsigned one) {
    while (leader[one] != one) one = leader[one];
    return one;
  };
  std::vector<bool> met(multiprocessors, false);
  for (std::size_t block = 0; size > 0 && block + size <= places.size(); block += size) {
    for (unsigned i = 0; i < size; ++i) {
      if (places[block + i] >= multiprocessors || places[block] >= multiprocessors) continue;
      met[places[block + i]] = true;
      leader[find(places[block + i])] = find(places[block]);
    }
  }
  std::vector<int> gpcs(multiprocessors, -1), number(multiprocessors, -1);
  int next = 0;
  for (unsigned one = 0; one < multiprocessors; ++one) {
    if (!met[one]) continue;
    int& of_leader = number[find(one)];
    if (of_leader < 0) of_leader = next++;
    gpcs[one] = of_leader;
  }
  return gpcs;
}

std::optional<bool> in_one_gpc(const std::vector<int>& gpcs, unsigned one, unsigned other) {
  if (one == other) return true;
  if (one >= gpcs.size() || other >= gpcs.size() || gpcs[one] < 0 || gpcs[other] < 0)
    return std::nullopt;
  // Multiprocessors never seen in one cluster may still share a GPC.
  if (gpcs[one] != gpcs[other]) return std::nullopt;
  return true;
}

}  // namespace syncmeter::cuda
