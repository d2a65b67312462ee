// Compressed results files: every line can be read as soon as it is written, and a file that was
// cut off anywhere goes on.
#include "driver/text/zstd_text.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/results/results.hpp"
#include "driver/results/results_writer.hpp"
#include "driver/results/resume.hpp"
#include "driver/text/messages.hpp"
#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::zstd_file_test {
namespace {

using fixtures::atomic_add;
using fixtures::visit;
using testing::HasSubstr;
using testing::SizeIs;

class zstd_file : public test::in_temporary_folder {
 protected:
  results_writer begun(unsigned visits) const {
    results_writer writer = results_writer::create(path_);
    writer.write(fixtures::campaign_line());
    write_visits(writer, 1, visits);
    return writer;
  }
  static void write_visits(results_writer& writer, unsigned first, unsigned last) {
    for (unsigned n = first; n <= last; ++n) writer.write(visit(atomic_add(), n, "ok", {{}}));
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string path_ = path("results.jsonl.zst");
};

TEST(zstd_text, that_becomes_longer_than_results_can_be_is_refused) {
  zstd_packer packer;
  const std::string some(std::size_t{1} << 20U, ' ');
  EXPECT_EQ(unpacked(packer.packed(some)).text, some);
  const std::string much = zstd_packer().packed(std::string(std::size_t{32} << 20U, ' '));
  try {
    (void)unpacked(much);
    FAIL() << much.size() << " bytes";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("more than 1000 times as long as the file"));
  }
}

TEST_F(zstd_file, has_every_line_as_soon_as_it_is_written) {
  results_writer writer = begun(0);
  for (unsigned n = 1; n <= 3; ++n) {
    write_visits(writer, n, n);
    const results_file file = read_results(path_);
    EXPECT_THAT(file.visits, SizeIs(n));
    EXPECT_TRUE(file.compressed && file.open_frame);
    EXPECT_FALSE(file.torn);
  }
  writer.flush();
  EXPECT_FALSE(read_results(path_).open_frame);
}

TEST_F(zstd_file, is_smaller_by_what_lines_have_in_common) {
  begun(200).flush();
  const std::size_t text = text_of_file(path_).text.size();
  EXPECT_GT(text, 200U * visit(atomic_add(), 1, "ok", {{}}).dump().size());
  EXPECT_LT(8 * bytes().size(), text);
}

TEST_F(zstd_file, cut_off_anywhere_it_loses_at_most_the_line_under_way) {
  results_writer writer = begun(3);
  const std::string before = bytes();
  write_visits(writer, 4, 4);
  const std::string whole = bytes();
  std::size_t least = 4;
  for (std::size_t size = whole.size(); size > before.size(); --size) {
    put(whole.substr(0, size));
    const std::size_t visits = read_results(path_).visits.size();
    EXPECT_LE(visits, least) << size;
    least = std::min(least, visits);
  }
  EXPECT_EQ(least, 3U);
}

TEST_F(zstd_file, goes_on_behind_a_frame_without_its_end) {
  begun(3);
  put(bytes().substr(0, bytes().size() - 5));
  ASSERT_THAT(read_results(path_).visits, SizeIs(2));
  std::string note;
  results_writer writer = results_writer::append_to(path_);
  (void)reopen(writer, {.cpu_model = "(none)", .allowed_pus = {}, .builds = {}}, note);
  write_visits(writer, 3, 5);
  EXPECT_THAT(read_results(path_).visits, SizeIs(5)) << "before the frame has its end";
  writer.flush();
  EXPECT_THAT(read_results(path_).visits, SizeIs(5));
  EXPECT_FALSE(read_results(path_).open_frame);
}

TEST_F(zstd_file, is_rewritten_over_no_other_file) {
  begun(2);
  write("precious", "text");
  std::filesystem::create_symlink(path("precious"), path_ + ".rewritten");
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  put(bytes().substr(0, bytes().size() - 5));
  results_writer::append_to(path_).rewrite(text_of_file(path_).text);
  EXPECT_EQ(text_of("precious"), "text");
  EXPECT_TRUE(std::filesystem::is_symlink(path_ + ".rewritten"));
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms::owner_all);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder()), {}), 3);
}

TEST_F(zstd_file, goes_on_behind_a_frame_with_its_end) {
  begun(3).flush();
  const std::string before = bytes();
  std::string note;
  results_writer writer = results_writer::append_to(path_);
  (void)reopen(writer, {.cpu_model = "(none)", .allowed_pus = {}, .builds = {}}, note);
  write_visits(writer, 4, 4);
  EXPECT_EQ(note, "");
  EXPECT_TRUE(bytes().starts_with(before)) << "what was whole is not written again";
  EXPECT_THAT(read_results(path_).visits, SizeIs(4));
}

TEST_F(zstd_file, rewritten_it_is_still_locked) {
  begun(1);
  results_writer writer = results_writer::append_to(path_);
  writer.rewrite(text_of_file(path_).text);
  EXPECT_THROW((void)results_writer::append_to(path_), usage_error);
}

TEST_F(zstd_file, torn_inside_a_line_longer_than_a_block_drops_that_line) {
  {
    results_writer writer = begun(2);
    std::string noise(400'000, ' ');
    for (std::size_t i = 0; i < noise.size(); ++i)
      noise[i] = static_cast<char>('!' + (i * i * 2654435761U >> 7U) % 90);
    writer.write({{"kind", "worker"}, {"noise", noise}});
  }
  put(bytes().substr(0, bytes().size() - 1000));
  const results_file file = read_results(path_);
  EXPECT_TRUE(file.torn);
  EXPECT_THAT(file.visits, SizeIs(2));
  EXPECT_THAT(file.workers, SizeIs(0));
}

TEST_F(zstd_file, is_known_by_what_it_holds_not_by_its_name) {
  begun(1).flush();
  std::filesystem::rename(path_, path_ + ".jsonl");
  EXPECT_THAT(read_results(path_ + ".jsonl").visits, SizeIs(1));
  std::filesystem::remove(path_ + ".jsonl");
  put(fixtures::campaign_line().dump() + "\n");
  EXPECT_FALSE(read_results(path_).compressed);
  results_writer::append_to(path_).write(visit(atomic_add(), 1, "ok", {{}}));
  EXPECT_THAT(read_results(path_).visits, SizeIs(1));
}

TEST_F(zstd_file, damaged_it_is_refused) {
  begun(40).flush();
  std::string damaged = bytes();
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  put(damaged);
  try {
    (void)read_results(path_);
    FAIL() << "read";
  } catch (const usage_error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr(path_), HasSubstr("damaged: zstd")));
  }
}

TEST(zstd_text, a_byte_that_changed_is_noticed) {
  std::minstd_rand numbers;
  std::string text(1000, ' ');
  for (char& c : text) c = static_cast<char>(numbers() >> 16U);
  zstd_packer packer;
  std::string bytes = packer.packed(text);
  bytes += packer.ended();
  ASSERT_EQ(unpacked(bytes).text, text);
  // Such text is stored as it is: nothing but its checksum tells.
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  EXPECT_THROW((void)unpacked(bytes), std::runtime_error);
}

}  // namespace
}  // namespace syncmeter::zstd_file_test
