// A machine described by an XML file of hwloc's, or by a synthetic description: hwloc loads it in a
// child first, and what it makes of it is walked here. Nothing but an error with a message may come
// of it, and lanes sit on PUs that are there.
#include <algorithm>

#include "core/machine/topology.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

void check_places(const topology& machine) {
  std::vector<int> there;
  for (const processing_unit& unit : machine.units()) there.push_back(unit.os);
  const auto most = static_cast<unsigned>(std::min<std::size_t>(there.size(), 64));
  for (const affinity policy :
       {affinity::close, affinity::spread, affinity::smt, affinity::quiet}) {
    for (unsigned lanes = most; lanes != 0; lanes /= 2) {
      std::vector<int> placed = machine.place(policy, lanes);
      promise(placed.size() == lanes, "not a place for each lane");
      std::sort(placed.begin(), placed.end());
      promise(std::adjacent_find(placed.begin(), placed.end()) == placed.end(),
              "two lanes on one PU");
      for (const int pu : placed)
        promise(std::find(there.begin(), there.end(), pu) != there.end(),
                "a lane on a PU that is not there");
    }
  }
}

void walk(const topology& machine) {
  (void)machine.describe();
  promise(machine.line_bytes() > 0, "a cache line without bytes");
  for (int kind = 0; kind < machine.kinds(); ++kind) (void)machine.kind_name(kind);
  for (const int pu : machine.pus()) promise(machine.has_pu(pu), "a PU that is not there");
  check_places(machine);
}

}  // namespace

void topologies(std::string_view input) {
  const memory_file file(input);
  (void)ends_or_throws<std::runtime_error>([&] {
    walk(input.starts_with('<') ? topology::from_xml(file.path())
                                : topology::synthetic(std::string(input)));
  });
}

}  // namespace syncmeter::fuzz
