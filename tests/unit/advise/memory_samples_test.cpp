// Loads and stores that take much of the CPU time: what is said of them, and what is not.
#include "driver/advise/memory_samples.hpp"

#include <gmock/gmock.h>

namespace syncmeter::memory_samples_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

site in_memory(double share, double path_share) {
  site of{.kind = "memory", .module = "/bin/app", .threads = 2};
  of.samples = site_samples{.taken = 400,
                            .share = share,
                            .path_share = path_share / 2,
                            .function_share = share,
                            .function_path_share = path_share};
  return of;
}

TEST(most_of_path, is_of_the_function_with_what_chance_may_have_left_out) {
  EXPECT_NEAR(most_of_path(*in_memory(0.6, 0.5).samples), 0.55, 1e-9);
  EXPECT_EQ(most_of_path(*in_memory(0.6, 0.95).samples), 1) << "no more than all of the time";
}

TEST(sentences_on_memory, tell_the_most_that_lines_of_their_own_save) {
  const std::string sentence =
      sentences_on_memory({in_memory(0.6, 0.5)}, interval{0.8, 0.7, 1}).at(0);
  EXPECT_THAT(sentence,
              HasSubstr("lines of its own, and compare: that saves between nothing and 0.55 "
                        "s of 1 s."));
  EXPECT_THAT(sentences_on_memory({in_memory(0.6, 0.5)}, std::nullopt).at(0),
              AllOf(HasSubstr("and compare."), Not(HasSubstr("saves"))));
}

TEST(sentences_on_memory, are_one_for_each_site_and_name_no_cause) {
  site of = in_memory(0.63, 0.5);
  of.frames = {{.function = "work", .file = "app.cpp", .line = 7}};
  site atomic = in_memory(0.9, 0.9);
  atomic.kind = "atomic";
  const std::vector<std::string> sentences = sentences_on_memory({of, atomic}, interval{1, 1, 1});
  ASSERT_THAT(sentences, SizeIs(1));
  EXPECT_THAT(sentences[0],
              HasSubstr("63 % of the CPU time is at work app.cpp:7, a load or store"));
  EXPECT_THAT(sentences[0], HasSubstr("No call explains it"));
  EXPECT_THAT(sentences[0], Not(HasSubstr("false sharing")));
  const std::vector<std::string> two = sentences_on_memory({of, of}, interval{1, 1, 1});
  ASSERT_THAT(two, SizeIs(2));
  EXPECT_EQ(two[0], sentences[0]);
  EXPECT_THAT(two[1], HasSubstr("Likewise 63 % of the CPU time is at work app.cpp:7"));
  EXPECT_THAT(two[1], Not(HasSubstr("No call explains it"))) << "once is enough";
}

}  // namespace
}  // namespace syncmeter::memory_samples_test
