#include "core/named_entry.hpp"

#include <gmock/gmock.h>

namespace syncmeter::named_entry_test {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 2> table{{{"one", 1}, {"two", 2}}};

TEST(named_entry, is_the_value_of_that_name) { EXPECT_EQ(entry_named(table, "two"), 2); }

TEST(named_entry, that_is_not_there_is_an_error_that_lists_what_is) {
  try {
    (void)entry_named(table, "reduce_max_new");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "'reduce_max_new' is not one of one, two");
  }
}

}  // namespace
}  // namespace syncmeter::named_entry_test
