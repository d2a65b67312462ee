// Numbers of PUs and NUMA nodes that hwloc would take too much memory for.
#include "core/machine/load_topology.hpp"

#include <gtest/gtest.h>

namespace syncmeter::xml_indices_test {
namespace {

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
}  // namespace syncmeter::xml_indices_test
