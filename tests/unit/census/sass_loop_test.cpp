// The timed loop among the loops of a kernel.
#include "driver/census/isa/loop_code.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/census/sass_fixtures.hpp"

namespace syncmeter::sass_loop_test {
namespace {

using testing::HasSubstr;

loop_code loop_of(const std::vector<std::string>& texts) {
  std::vector<instruction> body;
  std::istringstream in(sass_lines(texts));
  for (std::string line; std::getline(in, line);) {
    if (const auto parsed = parse_sass_instruction(line)) body.push_back(*parsed);
  }
  return read_timed_loop(body);
}

TEST(SassLoop, IsTheOneBetweenTheReadingsOfTheClock) {
  const loop_code loop = loop_of(sass_kernel(repeated("REDG.E.ADD.STRONG.GPU [R2], R5", 4)));
  EXPECT_EQ(loop.problem, "");
  EXPECT_TRUE(loop.has_loop);
  EXPECT_EQ(loop.inside, (class_counts{{"RED.ADD", 4}, {"alu", 2}, {"branch", 1}}));
  EXPECT_FALSE(loop.outside.contains("LDG.STRONG.SYS")) << "the gate is not timed";
  EXPECT_EQ(loop.instructions, 7);
}

TEST(SassLoop, HoldsTheRetryInsideAndTheOneBehindTheExit) {
  const loop_code inside = loop_of(
      sass_kernel({"LDG.E.STRONG.SYS R8, [R4]", "BSSY B1, 0xb0", "FMUL R9, R8, 1.5",
                   "ATOMG.E.CAS.STRONG.GPU PT, R9, [R4], R8, R9", "@P1 BRA 0x70", "BSYNC B1"}));
  EXPECT_EQ(inside.problem, "");
  EXPECT_EQ(inside.inside, (class_counts{{"LDG.STRONG.SYS", 1},
                                         {"reconverge", 2},
                                         {"FMUL", 1},
                                         {"ATOMG.CAS", 1},
                                         {"branch", 2},
                                         {"alu", 2}}));

  const loop_code behind = loop_of({"CS2R R6, SR_CLOCKLO",           // 00
                                    "ATOMG.E.CAS PT, R9, [R4], R8",  // 10
                                    "@P1 BRA 0x60",                  // 20
                                    "@P0 BRA 0x10",                  // 30
                                    "CS2R R8, SR_CLOCKLO",           // 40
                                    "EXIT",                          // 50
                                    "NANOSLEEP 0x20",                // 60
                                    "BRA 0x10"});                    // 70
  EXPECT_EQ(behind.problem, "");
  EXPECT_EQ(behind.inside,
            (class_counts{{"ATOMG.CAS", 1}, {"branch", 2}, {"NANOSLEEP", 1}, {"jump", 1}}));
}

TEST(SassLoop, IsNotTheOneThatDoesAllOfItAgain) {
  const loop_code loop = loop_of({"LDG.E.STRONG.SYS R4, desc[UR4][R2.64]",  // 00
                                  "@P2 BRA 0x0",                            // 10
                                  "CS2R R6, SR_CLOCKLO",                    // 20
                                  "BAR.SYNC.DEFER_BLOCKING 0x0",            // 30
                                  "@P0 BRA 0x30",                           // 40
                                  "CS2R R8, SR_CLOCKLO",                    // 50
                                  "STG.E.64 desc[UR4][R2.64], R8",          // 60
                                  "@P1 BRA 0x0",                            // 70
                                  "EXIT"});                                 // 80
  EXPECT_EQ(loop.problem, "");
  EXPECT_EQ(loop.inside, (class_counts{{"BAR.SYNC", 1}, {"branch", 1}}));
}

TEST(SassLoop, IsRefusedWithoutTwoReadingsOfTheClock) {
  auto texts = sass_kernel({"BAR.SYNC.DEFER_BLOCKING 0x0"});
  for (std::string& text : texts) {
    if (text == "CS2R R8, SR_CLOCKLO") text = "CS2R R8, SR_GLOBALTIMERLO";
  }
  EXPECT_THAT(loop_of(texts).problem, HasSubstr("reads the clock 1 times"));
}

TEST(SassLoop, IsRefusedWhereTheCompilerRemovedIt) {
  const loop_code loop =
      loop_of({"@P0 BRA 0x0", "CS2R R6, SR_CLOCKLO", "CS2R R8, SR_CLOCKLO", "EXIT", "BRA 0x40"});
  EXPECT_FALSE(loop.has_loop);
  EXPECT_EQ(loop.problem, "there is no loop between the readings of the clock");
}

TEST(SassLoop, IsRefusedWhereThereAreTwoOrAnIndirectJump) {
  EXPECT_THAT(loop_of({"CS2R R6, SR_CLOCKLO", "FADD R0, R0, 1", "@P0 BRA 0x10", "FADD R0, R0, 1",
                       "@P0 BRA 0x30", "CS2R R8, SR_CLOCKLO", "EXIT"})
                  .problem,
              HasSubstr("2 separate loops"));
  auto texts = sass_kernel({"BAR.SYNC.DEFER_BLOCKING 0x0"});
  texts.emplace_back("BRX R2 -0x80");
  EXPECT_EQ(loop_of(texts).problem, "it holds an indirect jump");
}

}  // namespace
}  // namespace syncmeter::sass_loop_test
