// The table of commands: what completion offers for a value is what the parser takes.
#include "driver/commands/commands.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/text/messages.hpp"

namespace syncmeter::commands_test {
namespace {

using testing::HasSubstr;

// Workers add to these, so that any name may be right.
bool is_open(const std::string& option) { return option == "--backend" || option == "--op"; }

TEST(Commands, TakeEveryValueThatIsOfferedAndNoOther) {
  std::size_t closed = 0;
  for (const command& c : commands()) {
    for (const option_row& row : c.options) {
      if (row.values.empty()) continue;
      const std::string option = spellings(row).front();
      SCOPED_TRACE(c.name + " " + option);
      for (const std::string& value : row.values) EXPECT_NO_THROW(row.take(option, value)) << value;
      if (row.value == "LIST") {
        EXPECT_NO_THROW(row.take(option, join(row.values, ",")));
      }
      if (is_open(option)) continue;
      EXPECT_THROW(row.take(option, "nonsense"), usage_error);
      EXPECT_THROW(row.take(option, "nonsense," + row.values.front()), usage_error);
      ++closed;
    }
  }
  EXPECT_EQ(closed, 30U)
      << "run: study, type, placement, affinity, home, order, wait, scope, "
         "flavour, space; ab: those of run, format, blind and better; topology: "
         "affinity; show: type, sort; census: type, order, and format of its diff; "
         "advise: better";
}

// Completion offers nothing for an option whose values nobody gave it, and nobody would notice.
TEST(Commands, NameTheValuesOfEveryOptionWhoseParserKnowsThem) {
  for (const command& c : commands()) {
    for (const option_row& row : c.options) {
      if (row.value.empty() || !row.values.empty() || row.value.starts_with("FILE")) continue;
      const std::string option = spellings(row).front();
      try {
        row.take(option, "nonsense");
      } catch (const usage_error& error) {
        EXPECT_THAT(error.what(), testing::Not(HasSubstr("llowed: "))) << c.name << " " << option;
      }
    }
  }
}

// --help and the manual page are written by hand where completion is not.
TEST(Commands, HelpOfRunNamesTheValuesOfClosedSets) {
  const command& run = commands().front();
  ASSERT_EQ(run.name, "run");
  for (const option_row& row : run.options) {
    const std::string option = spellings(row).front();
    if (is_open(option)) continue;
    for (const std::string& value : row.values) EXPECT_THAT(row.help, HasSubstr(value)) << option;
  }
}

TEST(Commands, HaveHelpAmongTheirOptions) {
  for (const command& c : commands()) {
    ASSERT_FALSE(c.options.empty()) << c.name;
    EXPECT_THAT(spellings(c.options.front()), testing::ElementsAre("--help", "-h")) << c.name;
  }
}

}  // namespace
}  // namespace syncmeter::commands_test
