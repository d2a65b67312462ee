// cuobjdump's text: single lines, functions and architectures.
#include "driver/census/sass_text.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/census/sass_fixtures.hpp"

namespace syncmeter::sass_text_test {
namespace {

instruction read(const std::string& line) { return parse_sass_instruction(line).value(); }

TEST(SassText, ReadsAPredicateAnOpcodeAndOperands) {
  const instruction one = read("        /*0040*/              @!P0 ATOMG.E.ADD.STRONG.GPU PT, R3, "
                               "desc[UR4][R2.64], R5 ;   /* "
                               "0x000000050203798a */");
  EXPECT_EQ(one.address, 0x40U);
  EXPECT_EQ(one.prefixes, "@!P0");
  EXPECT_EQ(one.mnemonic, "ATOMG.E.ADD.STRONG.GPU");
  EXPECT_EQ(one.operands, "PT, R3, desc[UR4][R2.64], R5");
  EXPECT_FALSE(one.target_address);

  const instruction glued = read("        /*0120*/                   ERRBAR;    /* 0x00ab */");
  EXPECT_EQ(glued.mnemonic, "ERRBAR");
  EXPECT_EQ(glued.prefixes + glued.operands, "");
}

TEST(SassText, ReadsTargetsOfBranchesAndOnlyOfThose) {
  EXPECT_EQ(read("  /*0070*/  @!P0 BRA 0x50 ;  /* 0xff */").target_address, 0x50U);
  EXPECT_EQ(read("  /*0070*/  BRA.DIV UR4, 0x2250 ;").target_address, 0x2250U);
  EXPECT_EQ(read("  /*0070*/  CALL.REL.NOINC 0x330 ;").target_address, 0x330U);
  EXPECT_EQ(read("  /*0070*/  CALL.ABS.NOINC `(vprintf) ;").target, "vprintf");
  EXPECT_FALSE(read("  /*0070*/  BSSY B0, 0x1350 ;").target_address);
  EXPECT_FALSE(read("  /*0070*/  VIADD R2, R2, 0x1 ;").target_address);
}

TEST(SassText, TakesEncodingsAndHeadersForNoInstructions) {
  for (const char* line :
       {"", "         /* 0x000fe20000000800 */", "\t\tFunction : _Z1kv", "        /*0040*/",
        "\t.headerflags\t@\"EF_CUDA_SM90\"", "arch = sm_90"}) {
    EXPECT_FALSE(parse_sass_instruction(line)) << line;
  }
}

TEST(SassText, HandsOverFunctionsWithTheirArchitecture) {
  std::istringstream in(sass_section("sm_80", sass_function("a", {"NOP", "EXIT"})) +
                        sass_section("sm_90", "") +
                        sass_section("sm_90", sass_function("a", {"EXIT"}) +
                                                  sass_function("b", {"NOP", "NOP", "EXIT"})));
  std::vector<std::string> seen;
  sass_reader reader([&](std::string_view architecture, std::string_view function,
                         std::span<const instruction> body) {
    seen.push_back(fmt::format("{} {} {}", architecture, function, body.size()));
  });
  for (std::string line; std::getline(in, line);) reader.add_line(line);
  reader.finish();
  EXPECT_THAT(seen, testing::ElementsAre("sm_80 a 2", "sm_90 a 1", "sm_90 b 3"));
}

}  // namespace
}  // namespace syncmeter::sass_text_test
