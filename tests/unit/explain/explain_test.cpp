// One point on a page: loops written once for each step, and words that mean one point.
#include "driver/commands/explain.hpp"

#include <gmock/gmock.h>

namespace syncmeter::explain_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

using code = std::vector<std::string>;

code repeated(const code& piece, std::size_t times) {
  code all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

TEST(folded_code, a_step_stands_once_with_its_number) {
  code loop = repeated({"load", "lock add", "jne L"}, 32);
  loop.insert(loop.end(), {"add $1,r32", "cmp r32,r32"});
  EXPECT_THAT(folded(loop), ElementsAre(repeated_code{32, {"load", "lock add", "jne L"}},
                                        repeated_code{1, {"add $1,r32", "cmp r32,r32"}}));
}

TEST(folded_code, the_shortest_of_equal_steps_is_taken) {
  EXPECT_THAT(folded(repeated({"mfence"}, 6)), ElementsAre(repeated_code{6, {"mfence"}}));
}

TEST(folded_code, nothing_is_lost_nor_moved) {
  const code loop{"a", "b", "a", "b", "c", "d", "d", "e"};
  code unfolded;
  for (const repeated_code& piece : folded(loop)) {
    const code lines = repeated(piece.lines, piece.times);
    unfolded.insert(unfolded.end(), lines.begin(), lines.end());
  }
  EXPECT_EQ(unfolded, loop);
}

std::vector<loop_line> lines(const code& shapes) {
  std::vector<loop_line> made;
  for (const std::string& shape : shapes) made.push_back({shape, shape});
  return made;
}

point_summary summary(std::string op, unsigned lanes) {
  point_summary s;
  s.what = {.backend = "omp", .op = std::move(op), .lanes = lanes};
  s.visits = 5;
  s.cost_ns = {10, 9.5, 10.5};
  s.resolved = true;
  return s;
}

TEST(explain, words_are_values_of_axes) {
  const std::vector<point_summary> points{summary("atomic_add", 1), summary("atomic_add", 2),
                                          summary("barrier", 2)};
  EXPECT_THAT(points_that_fit(points, "atomic_add"), SizeIs(2));
  EXPECT_THAT(points_that_fit(points, "atomic_add 2"), SizeIs(1));
  EXPECT_THAT(points_that_fit(points, "lanes=2 op=barrier"), SizeIs(1));
  EXPECT_THAT(points_that_fit(points, "atomic"), SizeIs(0)) << "whole values";
}

TEST(explain, the_measured_op_is_marked) {
  const std::string text = explain_text(
      summary("atomic_add", 1), {},
      {.lines = {lines(repeated({"mfence"}, 2)), lines(repeated({"mfence", "xchg"}, 2))},
       .missing = {}},
      80);
  EXPECT_THAT(text, HasSubstr("2 x   mfence")) << "once a step in both loops";
  EXPECT_THAT(text, HasSubstr("> xchg"));
  EXPECT_THAT(text, HasSubstr("More in the test loop (>): 2 xchg."));
}

TEST(explain, says_the_cost_and_what_is_missing) {
  const std::string text = explain_text(summary("atomic_add", 1), {},
                                        {.lines = {}, .missing = "The worker is not here."}, 80);
  EXPECT_THAT(text, HasSubstr("10.00 ns/op (9.500..10.50)"));
  EXPECT_THAT(text, HasSubstr("The worker is not here."));
  EXPECT_THAT(text, Not(HasSubstr("Visits")));
}

}  // namespace
}  // namespace syncmeter::explain_test
