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

}  // namespace
}  // namespace syncmeter::cuda
