// Where the report is looked for, and what is said when it is not as it should be.
#include "driver/show/report_program.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

namespace syncmeter::report_program_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class report_program : public testing::Test {
 protected:
  void SetUp() override {
    std::string made = (fs::temp_directory_path() / "report-XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    home_ = made;
  }
  void TearDown() override { fs::remove_all(home_); }

  fs::path program(const fs::path& where, const std::string& script = "#!/bin/sh\n") const {
    const fs::path path = home_ / where;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << script;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  // What stands in the stream after a first word and the report, and what is said of it.
  std::pair<std::string, std::string>
  printed(const fs::path& by, std::chrono::milliseconds at_most = std::chrono::seconds(20)) const {
    const fs::path path = home_ / "out";
    std::FILE* const out = std::fopen(path.c_str(), "w");
    std::fputs("table|", out);
    const std::string said = print_report(by, {.file = "a b.jsonl"}, out, at_most);
    std::fputs("|end", out);
    std::fclose(out);
    std::ifstream in(path);
    return {{std::istreambuf_iterator<char>(in), {}}, said};
  }

  fs::path home_;
};

TEST_F(report_program, is_looked_for_beside_the_driver_first_then_on_path) {
  const std::string usual = std::getenv("PATH");
  fs::create_directories(home_ / "repo/build/release/bin");
  const fs::path bin = home_ / "repo/build/release/bin";
  const fs::path elsewhere = program("elsewhere/syncmeter-report");
  ::setenv("PATH", elsewhere.parent_path().c_str(), 1);
  EXPECT_THAT(find_report(bin), Optional(elsewhere));
  const fs::path beside = program("repo/build/release/bin/syncmeter-report");
  EXPECT_THAT(find_report(bin), Optional(beside));
  fs::permissions(beside, fs::perms::owner_read);
  EXPECT_THAT(find_report(bin), Optional(elsewhere)) << "no program";
  ::setenv("PATH", "relative:/nowhere", 1);
  EXPECT_EQ(find_report({}), std::nullopt);
  ::setenv("PATH", usual.c_str(), 1);
}

TEST_F(report_program, writes_between_what_was_printed_before_and_after) {
  const auto [text, said] = printed(program("r", "#!/bin/sh\necho \"$1 of $2\"; echo hm >&2\n"));
  EXPECT_EQ(text, "table|text of a b.jsonl\n|end");
  EXPECT_THAT(said, IsEmpty()) << "a remark is no problem";
}

TEST_F(report_program, that_fails_is_told_in_one_sentence_with_its_last_line) {
  const std::string script = "#!/bin/sh\necho Traceback >&2; echo 'KeyError: 1' >&2; exit 3\n";
  const auto [text, said] = printed(program("r", script));
  EXPECT_EQ(text, "table||end");
  EXPECT_THAT(said, HasSubstr("/r ended with status 3: 'KeyError: 1'"));
  EXPECT_THAT(printed(program("r", "#!/bin/sh\nkill -9 $$\n")).second,
              HasSubstr("was ended by signal 9"));
}

TEST_F(report_program, that_cannot_be_started_is_told) {
  EXPECT_THAT(printed(home_ / "none").second,
              AllOf(HasSubstr((home_ / "none").string()), HasSubstr("No such file")));
  EXPECT_THAT(printed(program("r", "neither a script nor a program")).second,
              HasSubstr("cannot start"));
}

TEST_F(report_program, that_hangs_is_stopped) {
  const auto [text, said] = printed(program("r", "#!/bin/sh\necho some\nexec sleep 600\n"),
                                    std::chrono::milliseconds(300));
  EXPECT_EQ(text, "table|some\n|end");
  EXPECT_THAT(said, HasSubstr("was stopped: it took longer than 0.3 s"));
}

// More than a pipe holds.
TEST_F(report_program, that_writes_many_errors_does_not_wait_for_a_reader) {
  const auto [text, said] =
      printed(program("r", "#!/bin/sh\nhead -c 300000 /dev/zero >&2; echo done\n"));
  EXPECT_EQ(text, "table|done\n|end");
}

}  // namespace
}  // namespace syncmeter::report_program_test
