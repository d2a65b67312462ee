// Which files may be written: never what must not be lost; what stood there stays until the new
// text is whole.
#include "driver/text/output_file.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "driver/text/messages.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::output_file_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class output_files : public test::in_temporary_folder {
 protected:
  [[nodiscard]] output_file file(const std::string& name, bool force = false) const {
    return {.option = "--csv", .path = path(name), .force = force};
  }
  static void refuses(const output_file& what, const char* why) {
    EXPECT_THAT([&] { require_writable(what); }, ThrowsMessage<usage_error>(HasSubstr(why)));
  }
};

TEST_F(output_files, of_another_text_need_force) {
  write("a.csv", "old");
  refuses(file("a.csv"), "add --force");
  write_whole(file("a.csv", true), "new");
  EXPECT_EQ(text_of("a.csv"), "new");
}

TEST_F(output_files, of_a_campaign_are_never_replaced) {
  const std::string campaign = "{\"kind\":\"campaign\",\"schema\":{\"major\":1}}\n";
  write("a.jsonl", campaign);
  write("b.zst", "\x28\xb5\x2f\xfd and more");
  refuses(file("a.jsonl", true), "holds the results of a run");
  refuses(file("b.zst", true), "holds the results of a run");
  EXPECT_EQ(text_of("a.jsonl"), campaign);
}

TEST_F(output_files, are_none_of_their_commands_own_by_whatever_name) {
  write("in.txt", "read");
  fs::create_hard_link(path("in.txt"), path("also.txt"));
  output_file what = file("also.txt", true);
  what.inputs = {path("in.txt")};
  refuses(what, "is a file of this command already");
  what.path = path("x/../new.txt");
  fs::create_directories(path("x"));
  what.inputs = {path("new.txt")};
  refuses(what, "is a file of this command already");  // before either exists
}

TEST_F(output_files, keep_their_link_and_their_mode) {
  write("target.csv", "old");
  fs::permissions(path("target.csv"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path("target.csv"), path("link.csv"));
  write_whole(file("link.csv", true), "new");
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_EQ(text_of("target.csv"), "new");
  EXPECT_EQ(fs::status(path("target.csv")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(output_files, leave_nothing_beside_them) {
  require_writable(file("a.csv"));
  EXPECT_TRUE(fs::is_empty(folder())) << "to look is not to write";
  write_whole(file("a.csv"), "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace syncmeter::output_file_test
