// Which kernel a worker means.
#include "driver/census/tools/cuda_tools.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::kernel_names_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

kernel_names names_of(std::initializer_list<const char*> all) {
  kernel_names names;
  for (const char* name : all) names.add(name);
  return names;
}

TEST(KernelNames, OfALinkerAreMeantLiterally) {
  const kernel_names names = names_of({"_Z1fi", "k0"});
  EXPECT_EQ(names.wanted("k0"), "k0");
  EXPECT_EQ(names.wanted("_Z1fi"), "_Z1fi");
  EXPECT_THAT(names.wanted("k00"), IsEmpty());
  EXPECT_THAT(names.wanted("_Z1fj"), IsEmpty());
}

// void launch<team<ops::add, 1> >(team<ops::add, 1>) and its like
TEST(KernelNames, OfCppStandWithinTheKernelsOwn) {
  const kernel_names names = names_of(
      {"team<ops::add, 0>", "team<ops::add, 1>", "team<ops::add, 10>", "team<ops::sub, 1>", "k0"});
  EXPECT_EQ(names.wanted("_Z6launchI4teamIN3ops3addELi1EEEvT_"), "team<ops::add, 1>");
  EXPECT_EQ(names.wanted("_Z6launchI4teamIN3ops3addELi10EEEvT_"), "team<ops::add, 10>");
  EXPECT_EQ(names.wanted("_Z6launchI4teamIN3ops3subELi1EEEvT_"), "team<ops::sub, 1>");
  EXPECT_THAT(names.wanted("_Z6launchI4teamIN3ops3addELi2EEEvT_"), IsEmpty());
  EXPECT_THAT(names.wanted("_Z6launchI4teamIN3ops5adderELi1EEEvT_"), IsEmpty());
  EXPECT_EQ(names.wanted("k0"), "k0");
}

// What it says ends up in the message, as a disassembler's complaint would.
TEST(ReadSass, OfAScriptAsksItForTheKernelsByName) {
  const scratch_folder folder;
  const std::string script = folder.path() / "syncmeter-script";
  std::ofstream(script) << "#!/bin/sh\n[ -d \"$2\" ] && echo \"$1 a folder $3 $4\" >&2\nexit 1\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  try {
    read_sass(script, names_of({"k0", "k1", "of::cpp"}), [](auto&&...) {});
    ADD_FAILURE() << "no kernel came, and nothing was said";
  } catch (const disassembly_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--machine-code a folder k0 k1"));
  }
}

TEST(KernelNames, StandForNothingWhenThereAreNone) {
  EXPECT_TRUE(kernel_names{}.empty());
  EXPECT_THAT(kernel_names{}.wanted("k0"), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::kernel_names_test
