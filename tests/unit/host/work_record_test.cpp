// What a construct's threads did: a lost iteration, a task done twice, a thread that did not come
// and a gap that was none fail the sample.
#include "core/host/work_record.hpp"

#include <array>
#include <cstring>
#include <set>

#include <gmock/gmock.h>

namespace syncmeter::work_record_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned lanes = 3;

// Each of `ops` loops hands out its items in turn.
work_record after_loops(std::uint64_t ops, std::uint64_t items) {
  work_record record{{.lanes = lanes}};
  for (std::uint64_t op = 0; op < ops; ++op)
    for (std::uint64_t i = 0; i < items; ++i) record.of(static_cast<unsigned>(i % lanes)).add(i);
  return record;
}

TEST(work_record, every_item_once) {
  EXPECT_THAT(after_loops(5, 7).check_items(5, 7), IsEmpty());
  EXPECT_THAT(after_loops(5, 8).check_items(5, 8), IsEmpty());
  EXPECT_THAT(after_loops(4, 7).check_items(5, 7), HasSubstr("28 of 35 pieces of work"));
  work_record twice = after_loops(5, 7);
  twice.of(0U).add(3);
  EXPECT_THAT(twice.check_items(5, 7), HasSubstr("36 of 35 pieces of work"));
  work_record exchanged = after_loops(5, 7);
  exchanged.of(1U).add(0, 1);  // as if another one's number had been done in place of it
  EXPECT_THAT(exchanged.check_items(5, 7), HasSubstr("done twice"));
}

TEST(work_record, items_out_of_order_are_noticed) {
  work_record record{{.lanes = lanes}};
  for (const std::uint64_t i : {0U, 1U, 2U, 0U, 1U, 2U}) record.take_turn(record.of(0U), i, 3);
  EXPECT_THAT(record.check_items(0, 3), IsEmpty());
  record.take_turn(record.of(1U), 1, 3);
  EXPECT_THAT(record.check_items(0, 3), HasSubstr("out of order"));
}

TEST(work_record, a_wrong_result_is_noticed) {
  work_record record{{.lanes = lanes}};
  record.add_result(true);
  EXPECT_THAT(record.check_items(1, 1), IsEmpty());
  record.add_result(false);
  EXPECT_THAT(record.check_items(2, 1), HasSubstr("1 wrong results"));
}

TEST(work_record, each_thread_enters_each_region) {
  work_record record{{.lanes = lanes}};
  for (unsigned lane = 0; lane < lanes; ++lane) record.of(lane).entered = 4;
  EXPECT_THAT(record.check_entered(4, lanes), IsEmpty());
  EXPECT_THAT(record.check_entered(4, 2), HasSubstr("thread 2 took part 4 times, expected 0"));
  record.of(1U).entered = 3;
  EXPECT_THAT(record.check_entered(4, lanes), HasSubstr("thread 1 took part 3 times, expected 4"));
}

// A line that threads read in each region, and lane 0 writes in each gap, is fetched by all of
// them.
TEST(work_record, what_a_gap_changes_lies_on_no_line_that_threads_read) {
  work_record record{{.lanes = lanes, .gap_us = 1}};
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&record);
  const auto seen = [&] {
    std::array<unsigned char, sizeof record> now{};
    std::memcpy(now.data(), bytes, now.size());
    return now;
  };
  const auto before = seen();
  record.spend_gap();
  record.work_in_team();
  const auto after = seen();
  const thread_work* const read = &record.of(0U);
  std::set<std::size_t> read_lines, written_lines;
  constexpr std::size_t line = 128;
  for (std::size_t i = 0; i + sizeof read <= sizeof record; i += sizeof read)
    if (std::memcmp(bytes + i, &read, sizeof read) == 0) read_lines.insert(i / line);
  for (std::size_t i = 0; i < sizeof record; ++i)
    if (before[i] != after[i]) written_lines.insert(i / line);
  EXPECT_THAT(read_lines, testing::SizeIs(1));
  EXPECT_THAT(written_lines, testing::SizeIs(1));
  EXPECT_NE(read_lines, written_lines);
}

TEST(work_record, a_gap_lasts_as_long_as_it_should) {
  work_record record{{.lanes = lanes, .gap_us = 20}};
  for (unsigned lane = 0; lane < lanes; ++lane) record.of(lane).entered = 1;
  record.spend_gap();
  record.spend_gap();
  EXPECT_THAT(record.check_gaps(2, 0), IsEmpty());
  EXPECT_THAT(record.check_gaps(3, 0), HasSubstr("2 gaps"));
  for (unsigned lane = 0; lane < lanes; ++lane) record.of(lane).entered = 3;
  EXPECT_THAT(record.check_gaps(2, 2), IsEmpty());
  record.of(1U).entered = 2;
  EXPECT_THAT(record.check_gaps(2, 2), HasSubstr("thread 1"));
}

TEST(work_record, regions_that_never_ran_are_not_taken_for_a_baseline) {
  work_record record{{.lanes = lanes, .gap_us = 1}};
  for (unsigned lane = 0; lane < lanes; ++lane) record.of(lane).entered = 1;
  record.spend_gap();
  EXPECT_THAT(record.check_gaps(1, 1), HasSubstr("thread 0 took part 1 times, expected 2"));
  for (unsigned lane = 0; lane < lanes; ++lane) record.of(lane).entered = 2;
  EXPECT_THAT(record.check_gaps(1, 0), HasSubstr("thread 0 took part 2 times, expected 1"));
}

TEST(work_record, a_team_works_once_when_asked) {
  work_record record{{.lanes = lanes, .section_ns = 20}};
  EXPECT_FALSE(record.take_team());
  record.work_in_team();
  EXPECT_TRUE(record.take_team());
  EXPECT_FALSE(record.take_team());
}

}  // namespace
}  // namespace syncmeter::work_record_test
