// How a site is named: by its source, its function, or its place in the file.
#include "driver/advise/source_lines.hpp"

#include <gmock/gmock.h>

namespace syncmeter::source_lines_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

site in_function(const std::string& name) {
  return {.kind = "mutex_lock",
          .module = "/lib/liblog.so.3",
          .offset = 0x10,
          .frames = {{.function = name, .file = {}}}};
}

TEST(where_text, has_no_long_list_of_parameters) {
  EXPECT_EQ(where_text(in_function("log_write")), "log_write liblog.so.3+0x10");
  EXPECT_EQ(where_text(in_function("log::put(int, char)")), "log::put(int, char) liblog.so.3+0x10");
  EXPECT_EQ(
      where_text(in_function("log::put(std::pair<int, void (*)(int)>) const [clone .part.0]")),
      "log::put(...) liblog.so.3+0x10");
  site of = in_function("log::put(std::vector<record, allocator>&)");
  of.frames[0].file = "log.cpp", of.frames[0].line = 7;
  EXPECT_EQ(where_text(of), "log::put(...) log.cpp:7");
}

TEST(unnamed_sites_text, tells_once_for_each_file_where_names_come_from) {
  const site named = in_function("log_write"), unnamed = in_function("");
  EXPECT_THAT(unnamed_sites_text({named}), IsEmpty());
  EXPECT_THAT(unnamed_sites_text({named, unnamed, unnamed}),
              HasSubstr("Sites of liblog.so.3 without a name are in functions"));
  std::vector<site> many(10, named);
  many.push_back(unnamed);
  EXPECT_THAT(unnamed_sites_text(many), IsEmpty()) << "where nobody looks";
}

}  // namespace
}  // namespace syncmeter::source_lines_test
