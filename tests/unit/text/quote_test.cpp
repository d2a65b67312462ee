// Texts of others as words of a shell and on a terminal; and how a set of numbers is printed.
#include "driver/text/messages.hpp"

#include <gtest/gtest.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter::quote_test {
namespace {

using namespace std::string_literals;

TEST(shell_word, is_taken_as_one_word) {
  EXPECT_EQ(shell_word("a/b-c.jsonl"), "a/b-c.jsonl");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(printable, leaves_what_a_terminal_only_draws) {
  EXPECT_EQ(printable("a \xc2\xb5s, \xe2\x82\xac"), "a \xc2\xb5s, \xe2\x82\xac");
  EXPECT_EQ(printable("a\nb", true), "a\nb");
}

TEST(printable, escapes_what_a_terminal_acts_on) {
  EXPECT_EQ(printable("\x1b[31m\r\0\x7f\n\t"s), "\\x1b[31m\\x0d\\x00\\x7f\\x0a\\x09");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b") << "a control character of two bytes";
  EXPECT_EQ(printable("\xe2\x80\xae!"), "\\u202e!") << "from right to left";
  EXPECT_EQ(printable("\xe2\x81\xa6\xd8\x9c"), "\\u2066\\u061c");
}

TEST(printable, escapes_what_is_no_utf_8) {
  EXPECT_EQ(printable("\xff\xc0\x9b\xe2\x80"), "\\xff\\xc0\\x9b\\xe2\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a surrogate";
}

TEST(shortened, cuts_words_and_texts_that_nobody_reads) {
  const std::string path(400, 'a');
  EXPECT_EQ(shortened("no '" + path.substr(2) + "' here"), "no '" + path.substr(2) + "' here");
  EXPECT_EQ(shortened("no " + path + "b\nhere"), "no " + path + "...(401 bytes)\nhere");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "word ";
  EXPECT_EQ(shortened(many).size(), 8004);
}

TEST(unknown_name, says_where_nothing_is_allowed_and_cuts_what_was_given) {
  EXPECT_EQ(unknown_name("--backend", "backend", "omp", {}),
            "--backend: unknown backend 'omp'; there is none here");
  EXPECT_LT(unknown_name("--op", "op", std::string(5000, 'x'), {"barrier"}).size(), 150);
}

TEST(as_ranges, joins_neighbours) {
  EXPECT_EQ(as_ranges({}), "");
  EXPECT_EQ(as_ranges({5}), "5");
  EXPECT_EQ(as_ranges({8, 2, 1, 0, 10, 9}), "0-2,8-10");
}

}  // namespace
}  // namespace syncmeter::quote_test
