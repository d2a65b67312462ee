// Results files read back: what is refused, and what a kill may leave behind.
#include "driver/results/results.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/plan/options.hpp"
#include "driver/results/packed_results.hpp"
#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::results_file_test {
namespace {

using fixtures::atomic_add;
using fixtures::visit;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class results_file_test : public test::in_temporary_folder {
 protected:
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  [[nodiscard]] std::string mistake() const {
    try {
      (void)read_results(path_);
    } catch (const usage_error& error) {
      return error.what();
    }
    return "no mistake";
  }

  std::string path_ = path("results.jsonl");
  std::string campaign_ = fixtures::campaign_line().dump() + "\n";
  std::string visit_ = visit(atomic_add(), 1, "ok", {{}}).dump() + "\n";
};

TEST_F(results_file_test, lines_go_where_their_kind_says) {
  const nlohmann::json same{
      {"kind", "same"}, {"point", atomic_add(2)}, {"measured_as", atomic_add()}, {"why", "w"}};
  const nlohmann::json refused{
      {"kind", "refused"}, {"point", atomic_add(3)}, {"status", "elided"}, {"reason", "r"}};
  const std::string text =
      campaign_ + R"({"kind":"worker","worker":"omp"})" + "\n" + visit_ + same.dump() + "\n" +
      refused.dump() + "\n" + R"({"kind":"from a newer minor schema"})" + "\n" +
      R"({"kind":"end","reason":"budget"})" + "\n" + R"({"kind":"end","reason":"complete"})" + "\n";
  write(text);
  const results_file file = read_results(path_);
  EXPECT_THAT(file.workers, SizeIs(1));
  EXPECT_THAT(file.visits, SizeIs(1));
  EXPECT_THAT(file.same, SizeIs(1));
  EXPECT_THAT(file.refused, SizeIs(1));
  EXPECT_EQ(file.end.at("reason"), "complete") << "the last one counts";
  EXPECT_FALSE(file.torn);
  EXPECT_EQ(file.whole_bytes, text.size());
}

TEST_F(results_file_test, what_has_no_end_is_refused) {
  path_ = "/dev/zero";
  EXPECT_THAT(mistake(), HasSubstr("/dev/zero: cannot be read: File too large"));
  path_ = path("results.jsonl");
  write(campaign_ + std::string((std::size_t{64} << 20U) + 1, ' ') + "\n");
  EXPECT_THAT(mistake(), HasSubstr("line 2: longer than 64 MiB"));
}

TEST_F(results_file_test, what_others_compressed_is_named) {
  write("\xfd"
        "7zXZ and so on");
  EXPECT_THAT(mistake(), HasSubstr("compressed by xz, which this program does not read"));
  write("\x1f\x8b and so on");
  EXPECT_THAT(mistake(), HasSubstr("compressed by gzip"));
}

TEST_F(results_file_test, what_xz_or_gzip_packed_is_shown) {
  for (const auto& [program, ending] : {std::pair{"xz", ".xz"}, std::pair{"gzip", ".gz"}}) {
    path_ = path("results.jsonl");
    write(campaign_ + visit_);
    if (std::system(fmt::format("{} -f {}", program, path_).c_str()) != 0)
      GTEST_SKIP() << program << " is not installed";
    EXPECT_THAT(read_results_to_show(path_ + ending).visits, SizeIs(1));
    path_ += ending;
    write("damaged");
    EXPECT_THROW((void)read_results_to_show(path_), usage_error);
  }
}

TEST_F(results_file_test, a_missing_xz_is_named_with_its_package) {
  path_ = path("results.jsonl.xz");
  write("packed");
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  std::string said;
  try {
    (void)read_results_to_show(path_);
  } catch (const usage_error& error) {
    said = error.what();
  }
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_THAT(said, HasSubstr("xz not found, install xz-utils"));
}

TEST_F(results_file_test, a_torn_last_line_costs_only_itself) {
  for (const std::string& tail : {std::string("{\"kind\":\"vis"), std::string("{\"kind\":\"end\"}"),
                                  std::string("{\"kind\":\n")}) {
    write(campaign_ + visit_ + tail);
    const results_file file = read_results(path_);
    EXPECT_TRUE(file.torn) << tail;
    EXPECT_THAT(file.visits, SizeIs(1)) << tail;
    EXPECT_TRUE(file.end.is_null()) << "a line without its end may be half a line: " << tail;
    EXPECT_EQ(file.whole_bytes, campaign_.size() + visit_.size()) << tail;
  }
}

TEST_F(results_file_test, a_broken_line_in_the_middle_is_named_by_number) {
  write(campaign_ + "{broken\n" + visit_);
  EXPECT_THAT(mistake(), AllOf(HasSubstr(path_), HasSubstr("line 2: not JSON")));
}

TEST_F(results_file_test, a_second_campaign_is_named_by_its_line) {
  write(campaign_ + visit_ + campaign_ + visit_);
  EXPECT_THAT(mistake(), HasSubstr("line 3: a second run begins here"));
}

TEST_F(results_file_test, a_line_that_cannot_be_used_costs_itself_alone) {
  nlohmann::json strange_point = visit(atomic_add(), 1, "ok", {{}});
  strange_point["point"]["type"] = "int33";
  const nlohmann::json strange_status = visit(atomic_add(), 1, "splendid", {{}});
  const nlohmann::json same{{"kind", "same"}, {"point", atomic_add(2)}, {"measured_as", 7}};
  const nlohmann::json refused{{"kind", "refused"}, {"point", "none"}};
  write(campaign_ + strange_point.dump() + "\n" + visit_ + strange_status.dump() + "\n" +
        same.dump() + "\n" + refused.dump() + "\n");
  const results_file file = read_results(path_);
  EXPECT_THAT(file.visits, SizeIs(1));
  EXPECT_THAT(file.left_out,
              testing::ElementsAre(AllOf(HasSubstr("line 2: "), HasSubstr("int33")),
                                   AllOf(HasSubstr("line 4: "), HasSubstr("splendid")),
                                   HasSubstr("line 5: "), HasSubstr("line 6: ")));
}

TEST_F(results_file_test, what_is_not_a_results_file_is_refused) {
  EXPECT_THAT(mistake(), AllOf(HasSubstr(path_), HasSubstr("No such file")));
  write("");
  EXPECT_THAT(mistake(), HasSubstr("empty"));
  write("op,type\nbarrier,\n");
  EXPECT_THAT(mistake(), AllOf(HasSubstr("line 1"), HasSubstr("not")));
  write(visit_);
  EXPECT_THAT(mistake(), HasSubstr("not a campaign line"));
  write("{\"kind\":\"camp");
  EXPECT_THAT(mistake(), HasSubstr("not a campaign line"));
  write(R"({"kind":"campaign","schema":{"major":2,"minor":0}})"
        "\n");
  EXPECT_THAT(mistake(), AllOf(HasSubstr("schema 2"), HasSubstr("only schema 1")));
  write(R"({"kind":"campaign"})"
        "\n");
  EXPECT_THAT(mistake(), HasSubstr("has no schema"));
  write(R"({"kind":"campaign","schema":{"major":1,"minor":99}})"
        "\n");
  EXPECT_EQ(mistake(), "no mistake") << "a newer minor schema only adds";
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(mistake(), HasSubstr("cannot be read"));
}
}  // namespace
}  // namespace syncmeter::results_file_test
