// Which multiprocessors share a GPC, from clusters made by hand.
#include "backends/cuda/handoff/gpc_map.hpp"

#include <gmock/gmock.h>

namespace syncmeter::cuda {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(gpc_map, clusters_that_overlap_are_one_gpc) {
  // Clusters of two: 0 and 2, 2 and 4; 1 and 3. Multiprocessor 5 had none.
  const std::vector<int> gpcs = gpcs_from({0, 2, 1, 3, 4, 2}, 2, 6);
  EXPECT_THAT(gpcs, ElementsAre(0, 1, 0, 1, 0, -1));
  EXPECT_THAT(in_one_gpc(gpcs, 0, 4), Optional(true));
  EXPECT_EQ(in_one_gpc(gpcs, 0, 1), std::nullopt) << "they never met, which says nothing";
  EXPECT_EQ(in_one_gpc(gpcs, 0, 5), std::nullopt) << "nothing told";
  EXPECT_THAT(in_one_gpc(gpcs, 5, 5), Optional(true)) << "it is itself";
}

TEST(gpc_map, two_groups_that_a_later_cluster_joins) {
  EXPECT_THAT(gpcs_from({0, 1, 2, 3, 1, 2}, 2, 4), ElementsAre(0, 0, 0, 0));
}

TEST(gpc_map, a_number_beyond_those_of_the_device_is_left_out) {
  EXPECT_THAT(gpcs_from({0, 200, 1, 0}, 2, 2), ElementsAre(0, 0));
  EXPECT_EQ(in_one_gpc({}, 0, 1), std::nullopt) << "a device without clusters";
}

}  // namespace
}  // namespace syncmeter::cuda
