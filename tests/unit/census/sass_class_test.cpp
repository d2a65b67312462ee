// SASS opcodes and the classes that the census counts them in.
#include <gtest/gtest.h>

#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/cuda_tools.hpp"

namespace syncmeter::sass_class_test {
namespace {

instruction_class class_of(const std::string& text) {
  return sass_set.classify(parse_sass_instruction("  /*0010*/  " + text + " ;").value(), {});
}

struct classified {
  std::string text, name;
};
void PrintTo(const classified& one, std::ostream* out) { *out << one.text; }

class SassClass : public testing::TestWithParam<classified> {};

TEST_P(SassClass, IsWhatTheCensusCounts) {
  EXPECT_EQ(class_of(GetParam().text).name, GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(
    Opcodes, SassClass,
    testing::Values(
        classified{"RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", "RED.ADD"},
        classified{"REDG.E.ADD.F64.RN.STRONG.SYS desc[UR4][R2.64], R4", "RED.ADD.SYS"},
        classified{"@P0 ATOMG.E.ADD.64.STRONG.GPU PT, R2, desc[UR4][R2.64], R4", "ATOMG.ADD"},
        classified{"ATOMG.E.CAS.STRONG.GPU PT, R9, [R4], R8, R9", "ATOMG.CAS"},
        classified{"ATOMG.E.EXCH.STRONG.SM PT, R9, [R4], R8", "ATOMG.EXCH.SM"},
        classified{"ATOM.E.CAS.STRONG.SYS PT, R5, [R2], R4, R5", "ATOM.CAS.SYS"},
        classified{"REDG.E.ADD.F16x2.RN.STRONG.GPU desc[UR4][R2.64], R7", "RED.ADD.F16x2"},
        classified{"REDG.E.ADD.BF16x8.RN.STRONG.SYS desc[UR4][R2.64], R8", "RED.ADD.BF16x8.SYS"},
        classified{"ATOMG.E.ADD.F32x4.FTZ.RN.STRONG.GPU PT, R8, [R2], R8", "ATOMG.ADD.F32x4"},
        classified{"ATOMS.POPC.INC.32 RZ, [UR4]", "ATOMS.POPC.INC"},
        classified{"ATOMS.CAST.SPIN R5, [R2], R4, R5", "ATOMS.CAST.SPIN"},
        classified{"UBLKRED.G.S.ADD.F32.RN [UR4], [UR6], UR8", "UBLKRED.G.S.ADD"},
        classified{"UTMACMDFLUSH", "UTMACMDFLUSH"}, classified{"PREEXIT", "PREEXIT"},
        classified{"ACQBULK", "ACQBULK"}, classified{"REDAS.E.ADD.S32 [R4], R5", "REDAS.ADD"},
        classified{"UBLKCP.S.S [UR4], [UR6], UR8", "UBLKCP.S.S"},
        classified{"ATOM.E.MAX.S32.STRONG.GPU PT, R3, [R2.64], R5", "ATOM.MAX"},
        classified{"REDUX.SUM.S32 UR4, R5", "REDUX.SUM"}, classified{"REDUX UR4, R5", "REDUX.AND"},
        classified{"SHFL.BFLY PT, R0, R0, 0x1, 0x1f", "SHFL.BFLY"},
        classified{"VOTE.ANY R0, PT, P0", "VOTE.ANY"},
        classified{"VOTEU.ANY UR4, UPT, PT", "VOTEU.ANY"},
        classified{"MATCH.ALL PT, R0, R0", "MATCH.ALL"},
        classified{"BAR.SYNC.DEFER_BLOCKING 0x0", "BAR.SYNC"},
        classified{"BAR.RED.POPC.DEFER_BLOCKING 0x0, P0", "BAR.RED.POPC"},
        classified{"BAR.ARV 0x1, 0x40", "BAR.ARV"}, classified{"B2R.RESULT R0", "B2R.RESULT"},
        classified{"MEMBAR.SC.GPU", "MEMBAR.SC.GPU"},
        classified{"MEMBAR.ALL.CTA", "MEMBAR.ALL.CTA"}, classified{"CCTL.IVALL", "CCTL.IVALL"},
        classified{"ERRBAR", "ERRBAR"},
        classified{"SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ", "SYNCS.ARRIVE"},
        classified{"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R5", "SYNCS.PHASECHK"},
        classified{"ARRIVES.LDGSTSBAR.64.TRANSCNT [UR4]", "ARRIVES.LDGSTSBAR"},
        classified{"LDG.E.64.STRONG.GPU R4, desc[UR4][R2.64]", "LDG.STRONG.GPU"},
        classified{"LDG.E R4, desc[UR4][R2.64]", "LDG"}, classified{"STS.64 [R2], R4", "STS"},
        classified{"ST.E.STRONG.SYS desc[UR4][R2.64], R4", "ST.STRONG.SYS"},
        classified{"LDL.LU R4, [R1]", "spill"}, classified{"STL.64 [R1], R4", "spill"},
        classified{"WARPSYNC.ALL", "WARPSYNC"}, classified{"WARPSYNC R5", "WARPSYNC"},
        classified{"WARPSYNC.COLLECTIVE R5, 0x80", "WARPSYNC.COLLECTIVE"},
        classified{"BSSY B0, 0x80", "reconverge"}, classified{"BSYNC B0", "reconverge"},
        classified{"NANOSLEEP.SYNCS 0x80", "NANOSLEEP"}, classified{"YIELD", "YIELD"},
        classified{"UCGABAR_ARV", "UCGABAR_ARV"},
        classified{"CALL.REL.NOINC 0x80", "call:(inside)"},
        classified{"CALL.ABS.NOINC `(vprintf)", "call:vprintf"},
        classified{"FADD R0, R0, 1", "FADD"}, classified{"DMUL R0, R0, R2", "DMUL"},
        classified{"FSETP.GT.AND P0, PT, R0, R1, PT", "fp_compare"},
        classified{"FMNMX R0, R0, R1, PT", "fp_minmax"},
        classified{"I2F.F64.S64 R0, R2", "convert"}, classified{"IMAD R0, R1, R2, R3", "imad"},
        classified{"IMAD.WIDE.U32 R0, R1, 0x10, R2", "imad"},
        classified{"IMAD.MOV.U32 R0, RZ, RZ, R3", "alu"},
        classified{"IMAD.X R0, RZ, RZ, R3, P0", "alu"},
        classified{"IMAD.SHL.U32 R0, R1, 0x4, RZ", "alu"},
        classified{"HFMA2.MMA R5, -RZ, RZ, 0, 0", "alu"},
        classified{"HFMA2.MMA.BF16_V2 R5, R4, 1, 1, R0", "HADD2"},
        classified{"HFMA2.MMA R5, R4, 2, 2, R0", "HFMA2"},
        classified{"QSPC.E.S P0, RZ, [R2]", "QSPC"},
        classified{"ISETP.NE.AND P0, PT, R4, RZ, PT", "alu"},
        classified{"ULOP3.LUT UR4, UR4, 0x1, URZ", "alu"}, classified{"CS2R R6, SR_CLOCKLO", "alu"},
        classified{"ULDC.64 UR4, c[0x0][0x208]", "alu"},
        classified{"LDCU.64 UR4, c[0x0][0x358]", "alu"}, classified{"@!PT LDS RZ, [RZ]", "nop"},
        classified{"NOP", "nop"},
        classified{"HGMMA.64x8x16.F32 R0, gdesc[UR4], R0", "other:HGMMA.64x8x16.F32"}));

TEST(SassFlow, FollowsBranchesByPredicateAndOperand) {
  EXPECT_EQ(class_of("BRA 0x80").flow, flow::jump);
  EXPECT_EQ(class_of("@P0 BRA 0x80").flow, flow::branch);
  EXPECT_EQ(class_of("BRA.U UP0, 0x80").flow, flow::branch);
  EXPECT_EQ(class_of("BRA.DIV UR4, 0x80").name, "BRA.DIV");
  EXPECT_EQ(class_of("BRA.DIV UR4, 0x80").flow, flow::branch);
  EXPECT_EQ(class_of("BRA.CONV UR4, 0x80").name, "BRA.DIV")
      << "the same question, asked the other way";
  EXPECT_EQ(class_of("BRX R2 -0x80").flow, flow::indirect);
  EXPECT_EQ(class_of("EXIT").flow, flow::stop);
  EXPECT_EQ(class_of("@P0 EXIT").flow, flow::next);
  EXPECT_EQ(class_of("RET.REL.NODEC R2 0x0").flow, flow::stop);
  EXPECT_EQ(class_of("BSSY B0, 0x80").flow, flow::next);
  EXPECT_EQ(class_of("@P0 CALL.REL.NOINC 0x80").flow, flow::next);
  EXPECT_EQ(class_of("CALL.REL.NOINC 0x30").name, "call:(inside)");
  EXPECT_EQ(class_of("@P0 CALL.REL.NOINC 0x30").name, "branch") << "over the jump behind it";
  EXPECT_EQ(class_of("@P0 CALL.REL.NOINC 0x30").flow, flow::branch);
}

}  // namespace
}  // namespace syncmeter::sass_class_test
