// Going on only where a file was begun.
#include "driver/results/resume.hpp"

#include "driver/campaign/campaign_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/text/messages.hpp"

namespace syncmeter::resume_test {
namespace {

using testing::HasSubstr;

struct resumed_file : testing::Test {
  results_file file = [] {
    results_file f;
    f.path = "old.jsonl";
    f.campaign = {{"schema", {{"major", 1}}},
                  {"machine", {{"cpu_model", "Z80"}}},
                  {"allowed_pus", {3, 0, 1}}};
    f.workers = {{{"worker", "omp"}, {"build", {{"id", "b1"}}}}};
    return f;
  }();
  campaign_identity now{.cpu_model = "Z80",
                        .allowed_pus = {0, 1, 3},
                        .builds = {{{"omp", ""}, "b1"}, {{"cuda", ""}, "c1"}}};

  std::string refusal() const {
    try {
      require_same_identity(file, now);
    } catch (const usage_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(resumed_file, goes_on_where_it_was_begun) { EXPECT_EQ(refusal(), ""); }

TEST_F(resumed_file, not_on_another_cpu) {
  now.cpu_model = "6502";
  EXPECT_THAT(refusal(),
              testing::AllOf(HasSubstr("'old.jsonl'"), HasSubstr("'Z80'"), HasSubstr("'6502'")));
}

TEST_F(resumed_file, not_with_other_pus) {
  now.allowed_pus = {0, 1, 2};
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("'0-1,3'"), HasSubstr("'0-2'")));
}

TEST_F(resumed_file, not_with_another_build) {
  now.builds[{"omp", ""}] = "b2";
  EXPECT_THAT(refusal(),
              testing::AllOf(HasSubstr("'b1'"), HasSubstr("'b2'"), HasSubstr("syncmeter-omp")));
}

TEST_F(resumed_file, not_on_another_gpu) {
  now.gpus["cuda"] = "GPU B";
  EXPECT_EQ(refusal(), "") << "the file has no points of it";
  file.campaign["gpus"] = {{"cuda", "GPU A"}};
  EXPECT_THAT(refusal(),
              testing::AllOf(HasSubstr("on the GPU"), HasSubstr("'GPU A'"), HasSubstr("'GPU B'")));
  now.gpus["cuda"] = "GPU A";
  EXPECT_EQ(refusal(), "");
}

TEST_F(resumed_file, not_with_another_schema) {
  file.campaign["schema"]["major"] = 2;
  EXPECT_THAT(refusal(), HasSubstr("schema"));
}

TEST_F(resumed_file, not_when_it_does_not_say) {
  file.campaign.erase("machine");
  EXPECT_THAT(refusal(), HasSubstr("(none)"));
}

}  // namespace
}  // namespace syncmeter::resume_test
