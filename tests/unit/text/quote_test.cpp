// Texts of others, as words of a shell.
#include "driver/text/quote.hpp"

#include <gtest/gtest.h>

namespace syncmeter::quote_test {
namespace {

TEST(shell_word, is_taken_as_one_word) {
  EXPECT_EQ(shell_word("a/b-c.jsonl"), "a/b-c.jsonl");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace syncmeter::quote_test
