// One cost over another, visit by visit, against ratios computed by hand.
#include "cli/visit_ratios.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace syncmeter::visit_ratios_test {
namespace {

using testing::DoubleNear;

costs_by_state in_state(unsigned state, double ns, std::size_t rounds = 20) {
  return {{{state, false}, {.ns = ns, .rounds = rounds}}};
}

TEST(visit_ratios, a_drift_of_both_cancels) {
  costs_by_visit a, b;
  for (unsigned n = 1; n <= 5; ++n) {
    a[n] = in_state(0, 30 * std::pow(1.1, n) * (n % 2 == 0 ? 1.01 : 0.99));
    b[n] = in_state(0, 10 * std::pow(1.1, n));
  }
  const visit_ratio r = ratio_in_one_state(a, b);
  EXPECT_EQ(r.visits, 5U);
  EXPECT_THAT(r.ratio.value, DoubleNear(3 * 0.99, 1e-9));
  EXPECT_GT(r.ratio.low, 2.8);
  EXPECT_LT(r.ratio.high, 3.1);
  const visit_ratio other = inverse(r);
  EXPECT_DOUBLE_EQ(other.ratio.value, 1 / r.ratio.value);
  EXPECT_DOUBLE_EQ(other.ratio.low, 1 / r.ratio.high) << "the bounds change places";
  EXPECT_DOUBLE_EQ(times(2, r).ratio.high, 2 * r.ratio.high);
  EXPECT_EQ(ratio_with_bounds(r), "2.97 (" + bounds_text(r) + ")");
}

TEST(visit_ratios, only_the_likeliest_crosses_states) {
  costs_by_visit a{{1, in_state(0, 30)}, {2, in_state(0, 30)}};
  costs_by_visit b{{1, in_state(1, 10)}, {2, in_state(1, 10)}};
  EXPECT_EQ(ratio_in_one_state(a, b).visits, 0U);
  EXPECT_EQ(ratio_with_bounds(ratio_in_one_state(a, b)), "unknown");
  b[1][{0, false}] = {.ns = 15, .rounds = 5};
  EXPECT_EQ(ratio_in_one_state(a, b).visits, 1U);
  EXPECT_DOUBLE_EQ(ratio_in_one_state(a, b).ratio.value, 2);
  EXPECT_EQ(ratio_with_bounds(ratio_in_one_state(a, b)), "2.00 (one visit)");
  EXPECT_EQ(ratio_of_likeliest(a, b).visits, 2U);
  EXPECT_DOUBLE_EQ(ratio_of_likeliest(a, b).ratio.value, 3) << "the state with most rounds";
}

}  // namespace
}  // namespace syncmeter::visit_ratios_test
