// Which PUs are near to a device, from files as Linux has them.
#include "core/machine/topology.hpp"

#include <gmock/gmock.h>

#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::near_pus_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class near_pus : public test::in_temporary_folder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    in_temporary_folder::write("sys/bus/pci/devices/0000:3b:00.0/" + name, text);
  }
  [[nodiscard]] device_neighbours of(const std::vector<int>& allowed) const {
    return neighbours_of("0000:3B:00.0", allowed, folder());
  }
};

TEST_F(near_pus, what_may_be_used_is_near_or_far) {
  write("local_cpulist", "4-7,12-15");
  write("numa_node", "1");
  const device_neighbours found = of({14, 0, 1, 4, 5});
  EXPECT_THAT(found.near, ElementsAre(4, 5, 14));
  EXPECT_THAT(found.far, ElementsAre(0, 1));
  EXPECT_EQ(found.numa_node, 1);
  EXPECT_EQ(found.problem, "");
  EXPECT_THAT(pus_for(home::none, found), IsEmpty());
  EXPECT_THAT(pus_for(home::first, found), ElementsAre(4, 5, 14));
  EXPECT_THAT(pus_for(home::other, found), ElementsAre(0, 1));
  EXPECT_THROW((void)pus_for(home::second, found), std::invalid_argument);
}

TEST_F(near_pus, with_one_node_there_is_no_near_and_far) {
  write("local_cpulist", "0-7");
  write("numa_node", "-1");
  const device_neighbours found = of({0, 1, 2});
  EXPECT_EQ(found.numa_node, -1);
  EXPECT_THAT(found.problem, HasSubstr("one NUMA node"));
  EXPECT_THAT(pus_for(home::none, found), IsEmpty()) << "the thread may be anywhere all the same";
  for (const home where : {home::first, home::other}) {
    try {
      (void)pus_for(where, found);
      ADD_FAILURE() << to_text(where);
    } catch (const std::invalid_argument& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("one NUMA node"));
    }
  }
}

TEST_F(near_pus, what_the_system_does_not_tell_is_said) {
  EXPECT_THAT(of({0, 1}).problem, HasSubstr("0000:3b:00.0/local_cpulist"));
  write("local_cpulist", "8-15");
  EXPECT_THAT(of({0, 1}).problem, HasSubstr("none of the allowed CPUs"));
}

}  // namespace
}  // namespace syncmeter::near_pus_test
