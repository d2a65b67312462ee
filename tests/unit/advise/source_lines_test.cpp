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

TEST(where_text, has_what_a_thread_or_a_std_function_runs) {
  const auto text_of = [](const std::string& name) { return where_text(in_function(name)); };
  EXPECT_EQ(text_of("std::thread::_State_impl<std::thread::_Invoker<std::tuple<app::serve(std::map<"
                    "int, int>)::{lambda()#1}, int> > >::_M_run()"),
            "app::serve(std::map<int, int>)::{lambda()#1} liblog.so.3+0x10");
  EXPECT_EQ(
      text_of("std::_Function_handler<void (int, char), main::{lambda(int, char)#2}>::_M_invoke("
              "std::_Any_data const&, int&&, char&&)"),
      "main::{lambda(int, char)#2} liblog.so.3+0x10");
  // The function is not in its type.
  EXPECT_THAT(text_of("std::thread::_State_impl<std::thread::_Invoker<std::tuple<void (*)(int), int"
                      "> > >::_M_run()"),
              HasSubstr("_M_run()"));
  EXPECT_THAT(text_of("std::_Function_handler<void ("), HasSubstr("_Function_handler"));
}

TEST(where_text, passes_by_the_headers_of_kokkos_and_begins_with_the_label) {
  site of{.kind = "region",
          .frames = {{.function = "execute",
                      .file = "/opt/OpenMP/Kokkos_OpenMP_Parallel.hpp",
                      .line = 91},
                     {.function = "step()", .file = "/home/app.cpp", .line = 12}},
          .label = kokkos_label{.text = "axpy"}};
  EXPECT_EQ(where_text(of), "\"axpy\" at step() app.cpp:12");
  EXPECT_FALSE(is_in_kokkos(of));
  of.frames[0] = {.function = "void Kokkos::Impl::ParallelFor<step()::{lambda(int)}>::execute()",
                  .file = "/home/app.cpp",
                  .line = 14};
  EXPECT_EQ(where_text(of), "\"axpy\" at step() app.cpp:12");
  of.frames[0] = {.function = "execute", .file = "/opt/OpenMP/Kokkos_OpenMP.hpp", .line = 91};
  // A kernel without a label has the name of its type, as the compiler has it.
  of.label->text = "4step";
  EXPECT_EQ(where_text(of), "\"step\" at step() app.cpp:12");
  of.label->text = std::string(41, 'x');
  EXPECT_THAT(where_text(of), HasSubstr(std::string(40, 'x') + "...\""));
  of.frames.pop_back();
  EXPECT_THAT(where_text(of), HasSubstr("Kokkos_OpenMP.hpp:91"));
  EXPECT_TRUE(is_in_kokkos(of));
}

TEST(where_text, marks_locks_of_kokkos_wherever_its_headers_are) {
  for (const std::string folder : {"/opt/", "/usr/include/kokkos/"}) {
    site of{.kind = "mutex_lock",
            .frames = {{.function = "lock", .file = "/usr/include/c++/12/mutex", .line = 1},
                       {.function = "execute", .file = folder + "Kokkos_OpenMP.hpp", .line = 2}}};
    EXPECT_TRUE(is_in_kokkos(of)) << where_text(of);
    EXPECT_EQ(where_text(of), "execute Kokkos_OpenMP.hpp:2 (of Kokkos)");
    of.frames.push_back({.function = "step()", .file = "/home/app.cpp", .line = 3});
    EXPECT_EQ(where_text(of), "step() app.cpp:3 (of Kokkos)");
  }
}

TEST(find_source_lines, what_kokkos_calls_is_where_the_program_calls_it) {
  const source_frame header{.function = "execute", .file = "/opt/Kokkos_Parallel.hpp", .line = 91};
  const source_frame app{.function = "step", .file = "/home/app.cpp", .line = 12};
  const kokkos_label label{.text = "axpy", .module = "/bin/app", .offset = 0x10};
  site call{
      .kind = "kokkos_for", .module = "/bin/app", .offset = 0x10, .frames = {app}, .label = label};
  site region{
      .kind = "region", .module = "/bin/app", .offset = 0x20, .frames = {header}, .label = label};
  site own = region;  // of the program's own code in the kernel
  own.frames = {{.function = "body", .file = "/home/app.cpp", .line = 14}};
  site other = region;
  other.label->offset = 0x30;
  std::vector<site> sites{call, region, own, other};
  EXPECT_THAT(find_source_lines(sites), IsEmpty());
  ASSERT_EQ(sites.size(), 4U);
  EXPECT_EQ(where_text(sites[1]), "\"axpy\" at step app.cpp:12");
  EXPECT_EQ(where_text(sites[2]), "\"axpy\" at body app.cpp:14");
  EXPECT_EQ(where_text(sites[3]), "\"axpy\" at execute Kokkos_Parallel.hpp:91");
}

TEST(unnamed_sites_text, tells_once_for_each_file_where_names_come_from) {
  const site named = in_function("log_write"), unnamed = in_function("");
  EXPECT_THAT(unnamed_sites_text({named}, ""), IsEmpty());
  EXPECT_THAT(unnamed_sites_text({named, unnamed, unnamed}, ""),
              HasSubstr("Sites of liblog.so.3 without a name are in functions"));
  site other = unnamed;
  other.module = "/lib/libother.so.1";
  EXPECT_THAT(unnamed_sites_text({unnamed, other}, ""),
              HasSubstr("Sites of liblog.so.3 and libother.so.1 without a name"));
  std::vector<site> many(10, named);
  many.push_back(unnamed);
  EXPECT_THAT(unnamed_sites_text(many, ""), IsEmpty()) << "where nobody looks";
  EXPECT_THAT(unnamed_sites_text({unnamed}, "addr2line not found"), IsEmpty())
      << "its file may have the name";
}

TEST(find_source_lines, copies_of_a_line_take_what_all_of_them_take_in_each_run) {
  site copy = in_function("work");
  copy.frames[0].file = "app.cpp", copy.frames[0].line = 7;
  site other = copy;
  copy.cost_of_runs = {{.lateness_s = 0.1, .mechanism_s = 0.01, .run = 3},
                       {.lateness_s = 0.3, .mechanism_s = 0.03, .run = 7}};
  other.cost_of_runs = {{.lateness_s = 0.2, .run = 5},
                        {.lateness_s = 0.4, .mechanism_s = 0.04, .run = 7, .is_disturbed = true}};
  std::vector<site> sites{copy, other};
  EXPECT_THAT(find_source_lines(sites), IsEmpty());
  ASSERT_EQ(sites.size(), 1U);
  const std::vector<site_cost>& runs = sites[0].cost_of_runs;
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].lateness_s, 0.1);
  EXPECT_EQ(runs[1].run, 5U);
  EXPECT_EQ(runs[1].lateness_s, 0.2);
  EXPECT_DOUBLE_EQ(runs[2].lateness_s, 0.7);
  EXPECT_DOUBLE_EQ(runs[2].mechanism_s, 0.07);
  EXPECT_TRUE(runs[2].is_disturbed);
}

TEST(find_source_lines, copies_of_a_line_are_called_by_the_threads_of_all) {
  site copy = in_function("work");
  copy.frames[0].file = "app.cpp", copy.frames[0].line = 7;
  copy.threads = 2, copy.callers = {0, 3};
  site other = copy;
  other.callers = {1, 3};
  std::vector<site> sites{copy, other};
  EXPECT_THAT(find_source_lines(sites), IsEmpty());
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].threads, 3U);
}

}  // namespace
}  // namespace syncmeter::source_lines_test
