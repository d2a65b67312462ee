// What a declaration for Hopper is on other GPUs.
#include "backends/cuda/rig/architectures.hpp"

#include <gtest/gtest.h>

namespace syncmeter::cuda {
namespace {

TEST(on_architecture, is_the_same_on_hopper) {
  for (const char* text : {"nothing", "RED.ADD 1", "RED.ADD 1 | RED.ADD 1, REDUX.SUM 1",
                           "MEMBAR.SC.GPU 1, ERRBAR 1, CGAERRBAR 1, CCTL.IVALL 1"})
    EXPECT_EQ(on_architecture(text, 90), text);
}

TEST(on_architecture, waits_for_no_cluster_before_hopper) {
  constexpr auto fence = "MEMBAR.SC.GPU 1, ERRBAR 1, CGAERRBAR 1";
  EXPECT_EQ(on_architecture(fence, 89), "MEMBAR.SC.GPU 1, ERRBAR 1");
  EXPECT_EQ(on_architecture(fence, 100), fence);
  EXPECT_EQ(on_architecture("CGAERRBAR 2, LD 1 | LD 1", 80), "LD 1 | LD 1");
}

TEST(on_architecture, reduces_to_the_least_in_another_unit_on_blackwell_of_data_centres) {
  constexpr auto least = "RED.MIN 1 | RED.MIN 1, REDUX.MIN 1, VOTEU.ANY 1";
  EXPECT_EQ(on_architecture(least, 100), "RED.MIN 1 | RED.MIN 1, CREDUX.MIN 1, VOTEU.ANY 1");
  EXPECT_EQ(on_architecture(least, 110), least);
  EXPECT_EQ(on_architecture(least, 120), least);
  EXPECT_EQ(on_architecture("REDUX.SUM 1, REDUX.MAX 2", 100), "REDUX.SUM 1, CREDUX.MAX 2");
}

}  // namespace
}  // namespace syncmeter::cuda
