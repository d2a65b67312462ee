// What topology reads from hwloc: indices, holes, kinds, missing objects, its text, and its errors;
// and what is refused before hwloc takes too much memory for it.
#include "core/machine/topology.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>

#include "core/machine/load_topology.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::topology_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

std::string data_file(const std::string& name) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return (tests / "data" / "topologies" / name).string();
}

template <class Member> std::vector<int> all(const topology& machine, Member member) {
  std::vector<int> values;
  for (const processing_unit& unit : machine.units()) values.push_back(unit.*member);
  return values;
}

template <class Call> std::string message_of(Call call) {
  try {
    (void)call();
  } catch (const std::runtime_error& failure) {
    return failure.what();
  }
  return "nothing thrown";
}

/// Sets a variable while it lives.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~variable() { unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
};

TEST(topology, reads_every_index_of_a_pu) {
  const auto machine = topology::synthetic("package:2 numa:2 l3:1 l2:2 core:1 pu:2");
  EXPECT_THAT(all(machine, &processing_unit::os),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_THAT(all(machine, &processing_unit::package),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(all(machine, &processing_unit::numa),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
  EXPECT_THAT(all(machine, &processing_unit::l3),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
  EXPECT_THAT(all(machine, &processing_unit::l2),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
  EXPECT_THAT(all(machine, &processing_unit::core),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
  EXPECT_THAT(all(machine, &processing_unit::thread_in_core),
              ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_TRUE(machine.has_smt());
  EXPECT_EQ(machine.kinds(), 1);
}

TEST(topology, says_minus_one_where_there_is_no_object) {
  const auto machine = topology::synthetic("pu:2");
  for (const processing_unit& unit : machine.units()) {
    EXPECT_THAT(unit, AllOf(Field(&processing_unit::core, -1), Field(&processing_unit::package, -1),
                            Field(&processing_unit::l2, -1), Field(&processing_unit::l3, -1),
                            Field(&processing_unit::numa, 0)));
  }
  EXPECT_FALSE(machine.has_smt());
  EXPECT_GE(machine.line_bytes(), 16U);
}

TEST(topology, ranks_the_kinds_of_a_hybrid_part) {
  const auto machine = topology::from_xml(data_file("hybrid.xml"));
  EXPECT_EQ(machine.kinds(), 2);
  EXPECT_THAT(all(machine, &processing_unit::kind), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(machine.describe(), HasSubstr("PU P#4, kind 1 of 0..1 (IntelCore)\n"));
}

TEST(topology, leaves_out_what_the_cpuset_does_not_allow) {
  const auto machine = topology::from_xml(data_file("cpuset-hole.xml"));
  EXPECT_THAT(all(machine, &processing_unit::os), ElementsAre(1, 2, 3, 8, 9, 10, 11));
  EXPECT_EQ(machine.units()[0].thread_in_core, 1);
  EXPECT_THAT(machine.describe(),
              AllOf(HasSubstr("PU P#0 (not allowed)\n"), HasSubstr("PU P#1\n"),
                    HasSubstr("Machine: 2 packages, 1 NUMA node, 6 cores, 12 PUs")));
}

TEST(topology, describes_one_object_a_line) {
  const auto machine =
      topology::synthetic("package:1 l3:1(size=33554432) l2:1(size=524288) core:1 pu:1");
  EXPECT_EQ(machine.describe(), "Machine: 1 package, 1 NUMA node, 1 core, 1 PU, 1.0 GiB\n"
                                "  Package P#0\n"
                                "    NUMANode P#0 1.0 GiB\n"
                                "    L3 L#0 32 MiB, line 64 B\n"
                                "      L2 L#0 512 KiB, line 64 B\n"
                                "        Core P#0\n"
                                "          PU P#0\n");
}

TEST(topology, names_what_cannot_be_read) {
  EXPECT_THAT(message_of([] { return topology::synthetic("core:4 socks:2"); }),
              AllOf(HasSubstr("'core:4 socks:2'"), HasSubstr("Invalid argument")));
  EXPECT_THAT(message_of([] { return topology::from_xml("/nowhere/machine.xml"); }),
              AllOf(HasSubstr("'/nowhere/machine.xml'"), HasSubstr("No such file")));
  EXPECT_THAT(message_of([] { return topology::from_xml(__FILE__); }),
              HasSubstr("topology_test.cpp"));
}

using topology_files = test::in_temporary_folder;

TEST_F(topology_files, says_which_number_of_a_pu_in_a_file_cannot_be) {
  std::ifstream in(data_file("hybrid.xml"));
  const std::string well(std::istreambuf_iterator<char>(in), {});
  for (const auto& [index, said] : {std::pair{"3", "two CPUs have the os_index 3"},
                                    std::pair{"9", "the cpuset of CPU 9 is not that CPU alone"}}) {
    write("machine.xml", std::regex_replace(well, std::regex("(\"PU\" os_index=)\"6\""),
                                            fmt::format("$1\"{}\"", index)));
    EXPECT_THAT(message_of([&] { return topology::from_xml(path("machine.xml")); }),
                HasSubstr(said));
  }
}

TEST(topology, refuses_another_machine_in_place_of_this_one) {
  const variable set("HWLOC_SYNTHETIC", "package:1 core:4 pu:1");
  EXPECT_THAT(message_of([] { return topology::of_this_machine(); }), HasSubstr("HWLOC_SYNTHETIC"));
}

TEST(topology, of_this_machine_is_what_the_mask_allows_whatever_openmp_is_told) {
  const variable places("OMP_PLACES", "{0}");
  const variable bind("OMP_PROC_BIND", "true");
  const auto machine = topology::of_this_machine();
  EXPECT_THAT(all(machine, &processing_unit::os),
              testing::UnorderedElementsAreArray(read_cpu_grant().allowed));
}

TEST(topology, has_the_pus_of_the_mask_where_hwloc_can_discover_nothing) {
  for (const char* const components : {"stop", "no_os,stop"}) {
    const variable set("HWLOC_COMPONENTS", components);
    const auto machine = topology::of_this_machine();
    EXPECT_THAT(all(machine, &processing_unit::os),
                testing::UnorderedElementsAreArray(read_cpu_grant().allowed))
        << components;
    EXPECT_FALSE(machine.knows_cores());
    EXPECT_TRUE(machine.is_this_machine()) << "lanes can be bound all the same";
  }
}

TEST(topology, names_kinds_by_their_type_of_core) {
  const auto machine = topology::from_xml(data_file("hybrid.xml"));
  EXPECT_EQ(machine.kind_name(0), "IntelAtom");
  EXPECT_EQ(machine.kind_name(1), "IntelCore");
  EXPECT_EQ(topology::synthetic("core:2 pu:1").kind_name(0), "") << "there is one kind";
}

TEST(topology, applies_an_affinity_mask_that_no_cgroup_sets) {
  const std::vector<int> allowed = read_cpu_grant().allowed;
  if (allowed.size() < 2) GTEST_SKIP() << "a mask cannot be narrowed on one PU";
  std::vector<int> seen;
  std::string text;
  std::thread([&] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(static_cast<unsigned>(allowed.back()), &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
    const auto machine = topology::of_this_machine();
    for (const processing_unit& unit : machine.units()) seen.push_back(unit.os);
    text = machine.describe();
  }).join();
  EXPECT_THAT(seen, ElementsAre(allowed.back()));
  EXPECT_THAT(text, HasSubstr("(not allowed)"));
}

TEST(binding, moves_a_thread_and_gives_its_mask_back) {
  const auto machine = topology::of_this_machine();
  std::thread([&] {
    const std::vector<int> before = read_cpu_grant().allowed;
    for (const processing_unit& unit : machine.units()) {
      EXPECT_EQ(bind_this_thread(machine, unit.os), std::nullopt);
      EXPECT_EQ(current_pu(), unit.os);
      EXPECT_THAT(read_cpu_grant().allowed, ElementsAre(unit.os));
    }
    EXPECT_EQ(unbind_this_thread(machine), std::nullopt);
    EXPECT_EQ(read_cpu_grant().allowed, before);
  }).join();
}

TEST(binding, says_which_pu_and_why_not) {
  const auto here = topology::of_this_machine();
  EXPECT_THAT(bind_this_thread(here, 100'000).value_or("bound"),
              AllOf(HasSubstr("100000"), HasSubstr("no such CPU")));
  EXPECT_THAT(bind_this_thread(here, -1).value_or("bound"), HasSubstr("CPU -1"));
  const auto elsewhere = topology::synthetic("core:2 pu:1");
  EXPECT_THAT(bind_this_thread(elsewhere, 1).value_or("bound"),
              AllOf(HasSubstr("PU 1"), HasSubstr("another machine")));
  EXPECT_THAT(unbind_this_thread(elsewhere).value_or("unbound"), HasSubstr("another machine"));
}

TEST(pus_described, is_the_product_outside_brackets) {
  EXPECT_EQ(pus_described("package:2 core:4 pu:2"), 16);
  EXPECT_EQ(pus_described("2 4 pu:2"), 16) << "hwloc takes numbers without a type, too";
  EXPECT_EQ(pus_described("[numa(memory=16)] l3:2 pu:8(indexes=2*4:4*1)"), 16);
  EXPECT_GT(pus_described("pu:99999999999999999999"), 1e18);
}

TEST(xml_indices, are_those_that_a_machine_can_have) {
  for (const char* xml :
       {"", "<object", "<object type=\"PU\" os_index=\"7\"/>", "<object type='PU' os_index='7'/>",
        "<object os_index=\"1048576\" type=\"NUMANode\">", "<object type=\"Core\">",
        "<object type=\"Package\" os_index=\"4294967295\">", "<info type=\"PU\"/>"})
    EXPECT_EQ(flaw_in_indices(xml), "") << xml;
}

TEST(xml_indices, that_are_missing_or_too_large_are_told) {
  constexpr const char* well = "<object type=\"PU\" os_index=\"0\"/>";
  for (const auto& [xml, said] :
       {std::pair{"<object type=\"PU\" gp_index=\"3\"/>", "a PU has no os_index"},
        std::pair{"<object type=\"NUMANode\" xos_index=\"0\">", "a NUMANode has no os_index"},
        std::pair{"<object type=\"PU\" os_index=\"1048577\"/>",
                  "the os_index of a PU is not a number from 0 to 1048576"},
        std::pair{"<object type=\"PU\" os_index=\"-1\"/>",
                  "the os_index of a PU is not a number from 0 to 1048576"},
        std::pair{"<object type=\"PU\" os_index=\"0", ""}})
    EXPECT_EQ(flaw_in_indices(std::string(well) + xml), said) << xml;
}

}  // namespace
}  // namespace syncmeter::topology_test
