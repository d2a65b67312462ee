#include <gmock/gmock.h>

#include "core/declaration_text.hpp"

namespace syncmeter {
namespace {

TEST(declaration_text, what_is_shared_stands_in_front_of_each_alternative) {
  EXPECT_EQ(with("a 1", "b 1 | c 2, d 1"), "a 1, b 1 | a 1, c 2, d 1");
  EXPECT_EQ(with("a 1", "b 1"), "a 1, b 1");
  EXPECT_EQ(with("", "b 1 | c 2"), "b 1 | c 2");
}

}  // namespace
}  // namespace syncmeter
