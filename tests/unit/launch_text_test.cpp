// The parts of the kernel boundary from costs made by hand.
#include "cli/launch_text.hpp"

#include <gmock/gmock.h>

#include "cli/figures.hpp"

namespace syncmeter::launch_text_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

point_summary launched(const std::string& op, double ns, unsigned size = 0, unsigned blocks = 1,
                       unsigned lanes = 32, home from = home::none) {
  point_summary s;
  s.what = {
      .backend = "cuda", .op = op, .lanes = lanes, .blocks = blocks, .size = size, .home = from};
  s.device = 0;
  s.visits = 3;
  s.cost_ns = {.value = ns, .low = 0.99 * ns, .high = 1.01 * ns};
  return s;
}

TEST(launch_text, the_boundary_is_taken_apart) {
  const std::string text = launch_text(
      {launched("launch", 6000), launched("launch_call", 2100), launched("additional_launch", 2200),
       launched("graph_launch", 7000, 1), launched("graph_launch", 15000, 9),
       launched("additional_graph_launch", 4000, 1), launched("additional_graph_launch", 12000, 9),
       launched("launch", 9000, 0, 132, 1024)});
  EXPECT_THAT(text, AllOf(HasSubstr("1 x 32"), HasSubstr("132 x 1024")));
  EXPECT_THAT(text, HasSubstr("the call returns after 2100 (35 %), the kernel and the wait are the "
                              "other 3900"));
  EXPECT_THAT(text, HasSubstr("a further kernel costs 2200 (37 %), about what its call takes"));
  EXPECT_THAT(text, HasSubstr("each further kernel of a graph costs 1000 ns, one launched by "
                              "itself 2200: a graph is the cheaper from 3 kernels on"))
      << "4000 + 2 x 1000 < 3 x 2200, and 4000 + 1000 > 2 x 2200";
}

TEST(launch_text, a_graph_that_saves_nothing_is_not_praised) {
  const std::string text =
      launch_text({launched("additional_launch", 900), launched("additional_graph_launch", 4000, 1),
                   launched("additional_graph_launch", 12000, 9)});
  EXPECT_THAT(text, AllOf(HasSubstr("costs no less than one launched"), Not(HasSubstr("cheaper"))));
}

TEST(launch_text, near_and_far_are_columns_of_their_own) {
  const std::string text = launch_text({launched("launch", 6000, 0, 1, 32, home::first),
                                        launched("launch", 7000, 0, 1, 32, home::other)});
  EXPECT_THAT(text, AllOf(HasSubstr("1 x 32, near"), HasSubstr("1 x 32, far")));
}

TEST(launch_text, other_campaigns_get_none) {
  EXPECT_THAT(launch_text({launched("launch", 6000)}), IsEmpty()) << "nothing to take apart";
  point_summary failed = launched("additional_launch", 2000);
  failed.status = status::failed;
  EXPECT_THAT(launch_text({launched("launch", 6000), failed}), IsEmpty());
  EXPECT_THAT(launch_text({launched("barrier", 10), launched("launch_for", 20)}), IsEmpty());
}

TEST(launch_text, one_launch_is_of_all_blocks) {
  point_summary s = launched("launch", 1000, 0, 132, 1024);
  s.said = facts_of("launch", "launch", false, false);
  ASSERT_TRUE(rates_of(s).has_value());
  EXPECT_DOUBLE_EQ(rates_of(s)->total, 1e6);
}

TEST(launch_text, a_slope_needs_two_sizes) {
  EXPECT_EQ(graph_costs_of({4}, {5000}).each_ns, 0);
  EXPECT_EQ(graph_costs_of({4, 4}, {5000, 5001}).each_ns, 0);
  const graph_costs one_off = graph_costs_of({1, 2, 3, 4, 5}, {5000, 6000, 7000, 8000, 20000});
  EXPECT_DOUBLE_EQ(one_off.each_ns, 1000) << "an outlier is none of the median's";
  EXPECT_DOUBLE_EQ(one_off.first_ns, 5000);
  EXPECT_DOUBLE_EQ(graph_costs_of({16, 4}, {19000, 7000}).first_ns, 4000);
}

}  // namespace
}  // namespace syncmeter::launch_text_test
