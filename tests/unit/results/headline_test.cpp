// Which placement state a point's row shows, and what the quiet probe took at best on its PUs.
#include "driver/results/headline.hpp"

#include <gmock/gmock.h>

#include "driver/campaign/visit_request.hpp"

namespace syncmeter::headline_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<int> pus{0, 1};

// One visit with enough rounds in each of these quiet states.
point_states quiet_in(std::initializer_list<unsigned> classes) {
  visit_estimate enough;
  enough.rounds = 20;
  point_states states;
  for (const unsigned each : classes) states[{each, false}] = {enough};
  return states;
}

TEST(headline_rule, shows_the_placement_that_points_of_the_family_share) {
  headline_rule rule;
  for (const auto& states : {quiet_in({1}), quiet_in({1}), quiet_in({0, 1})})
    rule.add("atomic", pus, states);
  EXPECT_EQ(rule.of("atomic", pus, quiet_in({0, 1})), (state_key{1, false}));
  EXPECT_EQ(rule.of("barrier", pus, quiet_in({0, 1})), (state_key{0, false})) << "the nearest";
}

TEST(quiet_floors, are_the_smallest_of_each_lane) {
  quiet_floors floors;
  const auto learn = [&](std::vector<double> floor_ns) {
    visit_record visit;
    visit.pus = pus;
    visit.quiet_probe.floor_ns = std::move(floor_ns);
    floors.learn(visit);
  };
  EXPECT_THAT(floors.of(pus), IsEmpty());
  learn({510, 505});
  learn({520, 500});
  learn({});
  EXPECT_THAT(floors.of(pus), ElementsAre(510, 500));
  EXPECT_THAT(floors.of({1, 0}), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::headline_test
