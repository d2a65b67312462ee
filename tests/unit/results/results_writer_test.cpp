// A results file whose name goes while it is written: nothing is lost, and it is said.
#include "driver/results/results_writer.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::results_writer_test {
namespace {

using testing::HasSubstr;

class results_writer_test : public test::in_temporary_folder {
 protected:
  static void write(results_writer& writer, int number) { writer.write({{"number", number}}); }
};

TEST_F(results_writer_test, a_removed_file_is_written_anew_with_the_next_line) {
  results_writer writer = results_writer::create(path("file"));
  write(writer, 1);
  std::filesystem::remove(path("file"));
  write(writer, 2);
  EXPECT_EQ(text_of("file"), "{\"number\":1}\n{\"number\":2}\n");
  EXPECT_THAT(writer.restore(), HasSubstr("was removed during the run"));
  EXPECT_THROW((void)results_writer::append_to(path("file")), std::runtime_error) << "locked";
}

TEST_F(results_writer_test, a_removed_file_is_written_beside_what_took_its_name) {
  results_writer writer = results_writer::create(path("file"));
  write(writer, 1);
  std::filesystem::remove(path("file"));
  in_temporary_folder::write("file", "of somebody else");
  EXPECT_THAT(writer.restore(), HasSubstr("written anew in '" + path("file.1") + "'"));
  EXPECT_EQ(writer.path(), path("file.1"));
  write(writer, 2);
  EXPECT_EQ(text_of("file.1"), "{\"number\":1}\n{\"number\":2}\n");
  EXPECT_EQ(text_of("file"), "of somebody else");
}

TEST_F(results_writer_test, a_moved_file_is_named_by_its_new_name) {
  results_writer writer = results_writer::create(path("file"));
  write(writer, 1);
  std::filesystem::rename(path("file"), path("other"));
  write(writer, 2);
  EXPECT_THAT(writer.restore(), HasSubstr("was moved during the run"));
  EXPECT_EQ(writer.path(), path("other"));
  EXPECT_EQ(text_of("other"), "{\"number\":1}\n{\"number\":2}\n");
}

TEST_F(results_writer_test, a_file_whose_folder_is_gone_stops_the_campaign) {
  results_writer writer = results_writer::create(path("file"));
  write(writer, 1);
  std::filesystem::remove_all(folder());
  EXPECT_THROW(write(writer, 2), output_error);
}

TEST_F(results_writer_test, nothing_is_said_where_nothing_happened) {
  results_writer writer = results_writer::create(path("file"));
  write(writer, 1);
  EXPECT_EQ(writer.restore(), "");
}

}  // namespace
}  // namespace syncmeter::results_writer_test
