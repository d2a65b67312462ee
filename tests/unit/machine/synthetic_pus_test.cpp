// PUs of a description that hwloc has not built.
#include "core/machine/load_topology.hpp"

#include <gtest/gtest.h>

namespace syncmeter::synthetic_pus_test {
namespace {

TEST(pus_described, is_the_product_outside_brackets) {
  EXPECT_EQ(pus_described("package:2 core:4 pu:2"), 16);
  EXPECT_EQ(pus_described("2 4 pu:2"), 16) << "hwloc takes numbers without a type, too";
  EXPECT_EQ(pus_described("[numa(memory=16)] l3:2 pu:8(indexes=2*4:4*1)"), 16);
  EXPECT_GT(pus_described("pu:99999999999999999999"), 1e18);
}

}  // namespace
}  // namespace syncmeter::synthetic_pus_test
