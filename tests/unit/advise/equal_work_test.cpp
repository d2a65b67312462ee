// How late threads come that have the same work: measured on this machine, and taken for a site.
#include "driver/advise/equal_work.hpp"

#include <gmock/gmock.h>

#include "driver/advise/rules.hpp"

namespace syncmeter {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

/// A barrier of two threads that a thread reaches 100 us late in each ms, 1000 times.
site late_barrier() {
  site of{.kind = "barrier", .module = "/bin/app", .team = 2, .count = 1000, .threads = 2};
  of.times = site_times{.timed = 2000, .threads = 2};
  of.times->lateness = {.sum_ns = 2 * 1000 * 1e5, .median_ns = 2e5};
  of.times->mechanism = {.sum_ns = 1000, .median_ns = 1};
  return of;
}

price late(unsigned threads, unsigned work_ns, double late_ns) {
  price one;
  one.what.op = equal_work_name;
  one.what.lanes = threads;
  one.what.section_ns = work_ns;
  one.cost_ns = {late_ns, late_ns, late_ns};
  return one;
}

TEST(lateness_of_equal_work, threads_that_share_a_processor_come_one_after_the_other) {
  const topology machine = topology::of_this_machine();
  const int pu = machine.units().front().os;
  constexpr unsigned work_ns = 4'000'000;
  EXPECT_GT(lateness_of_equal_work(machine, {pu, pu}, 2, work_ns, 0), 1e5);
}

TEST(lateness_of_equal_work, a_thread_alone_is_never_late) {
  EXPECT_EQ(lateness_of_equal_work(topology::of_this_machine(), {}, 1, 1000, 0), 0);
}

TEST(latest_of_equal_work, is_that_of_the_nearest_work_for_as_long_as_the_sites) {
  const meeting_pace pace{.before_barrier_ns = 1e6};
  EXPECT_THAT(latest_of_equal_work(late_barrier(), pace, {}), Eq(std::nullopt));
  EXPECT_THAT(latest_of_equal_work(late_barrier(), pace, {late(3, 1'000'000, 7)}),
              Eq(std::nullopt));
  EXPECT_THAT(latest_of_equal_work(late_barrier(), pace,
                                   {late(2, 1'000'000, 50), late(2, 1'000'000, 90),
                                    late(2, 1'000'000, 70), late(2, 9'000, 400)}),
              Optional(90.0));
  EXPECT_THAT(latest_of_equal_work(late_barrier(), pace, {late(2, 500'000, 30)}), Optional(60.0));
}

TEST(advise_on, as_late_as_equal_work_is_no_imbalance) {
  advice_setting setting{.wall_s = 1.1, .prices = {late(2, 1'000'000, 99'000)}};
  std::vector<std::string> notes;
  const std::vector<advice> all = advise_on({late_barrier()}, setting, notes);
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all.front().rule, "imbalance");
  EXPECT_THAT(all.front().text, HasSubstr("With equal work threads wait up to 0.099 s"));
  EXPECT_THAT(notes, IsEmpty());
  setting.prices.push_back(late(2, 1'000'000, 101'000));
  EXPECT_THAT(advise_on({late_barrier()}, setting, notes), IsEmpty());
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr("a thread waits 0.1 s of 1.1 s for the last one (barrier)")));
  // Where each thread has no processing unit, that is why they wait.
  notes.clear();
  setting.usable_pus = 1;
  EXPECT_EQ(advise_on({late_barrier()}, setting, notes).front().rule, "oversubscription");
  EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace syncmeter
