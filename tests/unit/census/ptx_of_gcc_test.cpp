// PTX that g++ leaves in a program, and which of it a worker means.
#include "driver/census/tools/ptx_of_gcc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::ptx_of_gcc_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_literals;

const std::string begin = "// BEGIN PREAMBLE\n.version 7.0\n.target sm_80\n";

std::string module_of(const std::string& function) {
  return begin + "// BEGIN GLOBAL FUNCTION DEF: " + function + "\n.func " + function + "\n{\n}\n";
}

kernel_names names_of(std::initializer_list<const char*> all) {
  kernel_names names;
  for (const char* name : all) names.add(name);
  return names;
}

TEST(PtxOfGcc, ModulesAreTextsBetweenNullBytesThatDefineWhatIsAskedFor) {
  const std::string program = "\x7f"
                              "ELF\0"s +
                              module_of("_Z4loopv") + "\0"s + module_of("GOMP_barrier") + "\0rest"s;
  EXPECT_THAT(ptx_modules(program, names_of({"_Z4loopv"})), ElementsAre(module_of("_Z4loopv")));
  EXPECT_THAT(ptx_modules(program, names_of({"GOMP_barrier", "_Z4loopv"})),
              ElementsAre(module_of("_Z4loopv"), module_of("GOMP_barrier")));
  EXPECT_THAT(ptx_modules(program, names_of({"_Z4loop", "_Z4loopvv"})), IsEmpty());
}

TEST(PtxOfGcc, AProgramThatOnlyNamesAFunctionHoldsNone) {
  EXPECT_THAT(
      ptx_modules("ELF _Z4loopv\0"s + begin + "call _Z4loopv;\n\0"s, names_of({"_Z4loopv"})),
      IsEmpty());
  EXPECT_THAT(ptx_modules("a text with " + module_of("_Z4loopv"), names_of({"_Z4loopv"})),
              IsEmpty());
}

TEST(PtxOfGcc, AModuleMayDefineOthersFirst) {
  const std::string two = module_of("_Z5otherv") + module_of("_Z4loopv").substr(begin.size() - 1);
  EXPECT_THAT(ptx_modules("\0"s + two, names_of({"_Z4loopv"})), ElementsAre(two));
}

TEST(PtxOfGcc, AFileIsReadOnlyForNames) {
  const std::string unreadable = "/";
  EXPECT_THAT(ptx_modules_of(unreadable, {}), IsEmpty());
  EXPECT_THROW((void)ptx_modules_of(unreadable, names_of({"_Z4loopv"})), disassembly_error);
  EXPECT_THAT(ptx_modules_of("/nonexistent/program", names_of({"_Z4loopv"})), IsEmpty());
}

TEST(PtxOfGcc, WhatAToolReadsIsWrittenWholly) {
  EXPECT_THROW(write_for_tool("/dev/full", "PTX"), disassembly_error);
  EXPECT_NO_THROW(write_for_tool("/dev/null", "PTX"));
}

}  // namespace
}  // namespace syncmeter::ptx_of_gcc_test
