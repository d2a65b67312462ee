// What the user sees of the way, on a terminal and off it, at times the test makes up.
#include "driver/campaign/progress.hpp"

#include <unistd.h>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::progress_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

struct progress_line : testing::Test {
  progress_line() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
  ~progress_line() override {
    ::close(read_end);
    ::close(write_end);
  }
  // Everything shown since the last call. Something is always there: it writes a mark first.
  std::string shown() const {
    EXPECT_EQ(::write(write_end, "|", 1), 1);
    std::array<char, 4096> text{};
    const ssize_t got = ::read(read_end, text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(got) - 1};
  }
  int read_end = -1, write_end = -1;
  progress::clock::time_point start = progress::clock::time_point{} + 1000s;
};

TEST_F(progress_line, off_a_terminal_says_every_tenth_once) {
  progress line(write_end, false);
  for (std::size_t done = 0; done <= 100; ++done)
    line.show(done, 100, 100 - static_cast<double>(done), "atomic_add", start + done * 1s);
  const std::string all = shown();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 10);
  EXPECT_THAT(all, HasSubstr("10 of 100 repetitions (10 %, ETA 1:30)\n"));
  EXPECT_THAT(all, Not(HasSubstr("\x1b")));
}

TEST_F(progress_line, off_a_terminal_alone_a_correction_is_a_line) {
  progress(write_end, true).correct(30.2);
  EXPECT_EQ(shown(), "");
  progress(write_end, false).correct(30.2);
  EXPECT_THAT(shown(), HasSubstr("31 s"));
}

TEST_F(progress_line, what_takes_a_while_is_drawn_on_a_terminal_until_the_next_line) {
  progress(write_end, false).show_step("asking");
  EXPECT_EQ(shown(), "");
  progress line(write_end, true);
  line.show_step("asking");
  EXPECT_EQ(shown(), "\rsyncmeter: asking ...\x1b[K");
  line.note("3 configurations");
  EXPECT_EQ(shown(), "\r\x1b[Ksyncmeter: 3 configurations\n");
}

TEST_F(progress_line, on_a_terminal_draws_over_itself_ten_times_a_second_at_most) {
  progress line(write_end, true);
  line.show(0, 100, 6, "atomic_add", start);
  EXPECT_THAT(shown(), HasSubstr("0/100 repetitions (0 %, ETA 0:06)  atomic_add"));
  line.show(1, 100, 6, "barrier", start + 99ms);
  EXPECT_EQ(shown(), "");
  line.show(2, 100, 4.6, "fence", start + 100ms);
  EXPECT_EQ(shown(), "\r2/100 repetitions (2 %, ETA 0:05)  fence\x1b[K");
  line.clear();
  EXPECT_EQ(shown(), "\r\x1b[K");
  line.clear();
  EXPECT_EQ(shown(), "") << "nothing is drawn any more";
}

TEST_F(progress_line, a_note_stays_and_the_line_goes) {
  progress line(write_end, true);
  line.show(0, 9, 1, "a", start);
  (void)shown();
  line.note("a worker crashed");
  EXPECT_EQ(shown(), "\r\x1b[Ksyncmeter: a worker crashed\n");
}

TEST_F(progress_line, never_wraps) {
  progress line(write_end, true);
  line.show(0, 9, 1, std::string(500, 'x'), start);
  EXPECT_LE(shown().size(), 79U + 4U);
}

TEST(as_clock, shows_hours_when_there_are_any) {
  EXPECT_EQ(as_clock(0s), "0:00");
  EXPECT_EQ(as_clock(42s), "0:42");
  EXPECT_EQ(as_clock(3599s), "59:59");
  EXPECT_EQ(as_clock(3723s), "1:02:03");
  EXPECT_EQ(as_clock(-5s), "0:00");
}

}  // namespace
}  // namespace syncmeter::progress_test
