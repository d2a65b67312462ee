// The text of single instructions.
#include "driver/census/tools/cuda_tools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(SassText, ReadsWhatNamesAPlaceAndNothingElse) {
  EXPECT_EQ(read("  /*0070*/  @!P0 BRA 0x50 ;  /* 0xff */").target_address, 0x50U);
  EXPECT_EQ(read("  /*0070*/  BRA.DIV UR4, 0x2250 ;").target_address, 0x2250U);
  EXPECT_EQ(read("  /*0070*/  CALL.REL.NOINC 0x330 ;").target_address, 0x330U);
  EXPECT_EQ(read("  /*0070*/  CALL.ABS.NOINC `(vprintf) ;").target, "vprintf");
  EXPECT_EQ(read("  /*0070*/  BSSY B0, 0x1350 ;").target_address, 0x1350U);
  EXPECT_EQ(read("  /*0070*/  RET.REL.NODEC R2 0x10 ;").target_address, 0x10U);
  EXPECT_EQ(read("  /*0070*/  WARPSYNC.COLLECTIVE R0, 0x840 ;").target_address, 0x840U);
  EXPECT_FALSE(read("  /*0070*/  WARPSYNC 0xff ;").target_address) << "a mask";
  EXPECT_FALSE(read("  /*0070*/  VIADD R2, R2, 0x1 ;").target_address);
}

TEST(SassText, TakesEncodingsAndHeadersForNoInstructions) {
  for (const char* line :
       {"", "         /* 0x000fe20000000800 */", "\t\tFunction : _Z1kv", "        /*0040*/",
        "\t.headerflags\t@\"EF_CUDA_SM90\"", "arch = sm_90"}) {
    EXPECT_FALSE(parse_sass_instruction(line)) << line;
  }
}

TEST(SassText, KnowsTheNumberOfAnArchitecture) {
  EXPECT_EQ(architecture_number("sm_90a"), 90);
  EXPECT_EQ(architecture_number("sm_100"), 100);
  EXPECT_EQ(architecture_number("other"), 0);
}

}  // namespace
}  // namespace syncmeter::sass_text_test
