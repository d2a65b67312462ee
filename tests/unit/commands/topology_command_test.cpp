// What `syncmeter topology` prints, and what it refuses.
#include "driver/commands/commands.hpp"

#include <array>
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>

#include "driver/plan/options.hpp"

namespace syncmeter::topology_command_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string output_of(const std::vector<std::string>& arguments) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  EXPECT_EQ(topology_command(arguments, file.get()), 0);
  std::rewind(file.get());
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), file.get())) {
    text.append(part.data(), got);
  }
  return text;
}

std::string refusal_of(const std::vector<std::string>& arguments) {
  try {
    return "not refused: " + output_of(arguments);
  } catch (const usage_error& refused) {
    return refused.what();
  }
}

TEST(topology_command, prints_the_whole_placement_table) {
  EXPECT_EQ(output_of({"--synthetic", "package:1 core:3 pu:2"}),
            "Machine: 1 package, 1 NUMA node, 3 cores, 6 PUs, 1.0 GiB\n"
            "  Package P#0\n"
            "    NUMANode P#0 1.0 GiB\n"
            "    Core P#0\n"
            "      PU P#0\n"
            "      PU P#1\n"
            "    Core P#1\n"
            "      PU P#2\n"
            "      PU P#3\n"
            "    Core P#2\n"
            "      PU P#4\n"
            "      PU P#5\n"
            "\n"
            "A process there may use\n"
            "  CPUs      0-5 (6 in all)\n"
            "  threads   at most 6 without oversubscribing\n"
            "\n"
            "Placement: the P# of thread 0, 1, ... (a-b: every one, a-b:s: every s-th)\n"
            "  policy  threads  P#\n"
            "  close         1  0\n"
            "  close         2  0 2\n"
            "  close         4  0 2 4 1\n"
            "  close         6  0 2 4 1 3 5\n"
            "  spread        1  0\n"
            "  spread        2  0 2\n"
            "  spread        4  0 2 4 1\n"
            "  spread        6  0 2 4 1 3 5\n"
            "  smt           1  0\n"
            "  smt           2  0 1\n"
            "  smt           4  0-3\n"
            "  smt           6  0-5\n"
            "  none        any  not bound: the operating system places threads\n");
}

TEST(topology_command, prints_what_this_process_may_use_here_only) {
  const std::string here = output_of({});
  EXPECT_THAT(here, AllOf(HasSubstr("This process may use"), HasSubstr("  quota "),
                          HasSubstr("affinity mask")));
  EXPECT_THAT(output_of({"--synthetic", "core:2 pu:1"}),
              AllOf(Not(HasSubstr("quota")), Not(HasSubstr("Mind"))));
}

TEST(topology_command, reads_a_file) {
  const auto file = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() /
                    "data" / "topologies" / "cpuset-hole.xml";
  EXPECT_THAT(output_of({"--topology", file.string()}),
              HasSubstr("CPUs      1-3 8-11 (7 in all)\n"));
}

TEST(topology_command, tells_each_lanes_place_where_lanes_are_asked_for) {
  EXPECT_THAT(
      output_of({"--synthetic", "package:1 core:3 pu:2", "--affinity", "smt", "--threads", "3"}),
      testing::EndsWith("\nThreads: 3 threads, smt (core, caches, node and package by hwloc's L#)\n"
                        "  thread  CPU  core  NUMA node  package  SMT siblings\n"
                        "       0  P#0     0          0        0  P#1 (thread 1)\n"
                        "       1  P#1     0          0        0  P#0 (thread 0)\n"
                        "       2  P#2     1          0        0  P#3\n"
                        "  threads that share a core: 0+1\n"));
  EXPECT_THAT(output_of({"--synthetic", "package:1 core:3 pu:2"}), Not(HasSubstr("SMT siblings")));
}

TEST(topology_command, says_what_an_hwloc_without_cores_cannot_know) {
  EXPECT_THAT(output_of({"--synthetic", "pu:2"}), HasSubstr("hwloc tells CPUs alone"));
}

TEST(topology_command, keeps_lines_within_100_columns) {
  const std::string text = output_of({"--synthetic", "package:2 l3:8 core:8 pu:2"});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 100U) << text.substr(at, end - at);
    at = end + 1;
  }
  // 256 numbers of "spread" that form no runs: broken, and under the first one.
  EXPECT_THAT(
      text, testing::ContainsRegex("spread      256  0 128 16 [0-9 ]*\n                   [0-9]"));
}

TEST(topology_command, help_names_every_option) {
  EXPECT_THAT(output_of({"--help"}), AllOf(HasSubstr("--topology FILE.xml"),
                                           HasSubstr("--synthetic TEXT"), HasSubstr("--help")));
}

TEST(topology_command, refuses_with_the_offending_text_and_what_is_allowed) {
  EXPECT_THAT(refusal_of({"--shape"}),
              AllOf(HasSubstr("--shape"), HasSubstr("allowed: --help, --topology")));
  EXPECT_THAT(refusal_of({"--synth", "pu:1"}), HasSubstr("'--synth'"));
  EXPECT_THAT(refusal_of({"--synthetic", "pu:1", "more"}), HasSubstr("unexpected argument 'more'"));
  EXPECT_THAT(refusal_of({"--topology"}), HasSubstr("--topology needs a value"));
  EXPECT_THAT(refusal_of({"--topology", "no.xml"}), HasSubstr("'no.xml': No such file"));
  EXPECT_THAT(refusal_of({"--synthetic", "core:x"}), HasSubstr("'core:x'"));
  EXPECT_THAT(refusal_of({"--synthetic", "pu:1", "--topology", "a.xml"}), HasSubstr("only one"));
  EXPECT_THAT(refusal_of({"--synthetic", "pu:2", "--threads", "3"}),
              AllOf(HasSubstr("3 threads"), HasSubstr("2 CPUs")));
  EXPECT_THAT(refusal_of({"--synthetic", "pu:2", "--threads", "1-2"}),
              HasSubstr("'1-2' is not one"));
  EXPECT_THAT(refusal_of({"--affinity", "near"}), AllOf(HasSubstr("'near'"), HasSubstr("spread")));
}

TEST(pus_text, compresses_runs_and_keeps_the_order) {
  const auto text = [](const std::vector<int>& pus) { return pus_text(pus); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({7}), "7");
  EXPECT_EQ(text({0, 1}), "0 1");
  EXPECT_EQ(text({0, 1, 2, 8, 10, 12, 14, 5}), "0-2 8-14:2 5");
  EXPECT_EQ(text({0, 2, 4, 5, 6, 7}), "0 2 4-7");
  EXPECT_EQ(text({3, 2, 1, 0}), "3 2 1 0");
  EXPECT_EQ(text({-1, -1, -1}), "-1 -1 -1");
}

}  // namespace
}  // namespace syncmeter::topology_command_test
