#include "driver/campaign/visit_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::lost_visits_test {
namespace {

using kind = exchange_outcome::kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct lost : ::testing::Test {
  planned_point barrier, add;
  lost_visits visits;

  lost() {
    barrier.what.backend = add.what.backend = "omp";
    barrier.what.op = "barrier";
    add.what.op = "atomic_add";
  }
  lost_visits::loss lose(const planned_point& point, kind what, const std::string& why = "gone") {
    return visits.lose(point, 1, "a point", {.what = what, .line = {}, .reason = why});
  }
};

TEST_F(lost, after_three_crashes_or_timeouts_in_a_row_the_rest_of_an_op_is_not_tried) {
  for (const kind what : {kind::crashed, kind::timed_out}) {
    (void)lose(barrier, what);
    EXPECT_FALSE(visits.not_tried(barrier, 2));
  }
  EXPECT_THAT(
      lose(barrier, kind::crashed).sentences,
      ElementsAre("3 crashes or timeouts in a row of omp barrier: the rest of it is not tried"));
  const auto line = visits.not_tried(barrier, 2);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->at("stopped_by"), "not_tried");
  EXPECT_FALSE(visits.not_tried(add, 1)) << "another op";
}

TEST_F(lost, an_answer_or_a_refusal_ends_the_row) {
  for (const bool refused : {false, true}) {
    (void)lose(barrier, kind::crashed);
    (void)lose(barrier, kind::crashed);
    if (refused) (void)lose(barrier, kind::refused);
    else visits.answered(barrier);
    (void)lose(barrier, kind::crashed);
    EXPECT_FALSE(visits.not_tried(barrier, 5)) << refused;
    visits.answered(barrier);
  }
}

TEST_F(lost, each_kind_has_a_status_and_a_cause_of_its_own) {
  const auto line_of = [&](kind what) {
    const nlohmann::json line = lose(add, what).line;
    return line.at("status").get<std::string>() + ' ' + line.at("stopped_by").get<std::string>();
  };
  EXPECT_EQ(line_of(kind::crashed), "failed crash");
  EXPECT_EQ(line_of(kind::timed_out), "timeout timeout");
  EXPECT_EQ(line_of(kind::given_up), "failed not_tried");
  EXPECT_EQ(line_of(kind::refused), "failed failure");
}

TEST_F(lost, a_cause_is_told_once) {
  EXPECT_THAT(lose(add, kind::refused, "no memory").sentences, ElementsAre(HasSubstr("no memory")));
  EXPECT_THAT(lose(barrier, kind::refused, "no memory").sentences, IsEmpty());
}

}  // namespace
}  // namespace syncmeter::lost_visits_test
