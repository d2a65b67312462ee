// Loops as compilers really wrote them (g++ 12, clang 14, g++ 12 for AArch64): classes and counts.
#include "driver/census/isa/loop_code.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/census/tools/disassembler.hpp"

namespace syncmeter::loop_code_test {
namespace {

using testing::HasSubstr;

loop_code loop_of(const std::string& text, enum machine m = machine::x86_64) {
  std::vector<instruction> body;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (const auto parsed = parse_instruction(line)) body.push_back(*parsed);
  }
  return read_loop(body, m);
}

TEST(LoopCode, AddsWithALockPrefix) {
  const loop_code loop = loop_of(R"(
    1110:	xor    %eax,%eax
    1112:	test   %edx,%edx
    1114:	je     112d <add_loop+0x1d>
    1116:	cs nopw 0x0(%rax,%rax,1)
    1120:	lock add %esi,(%rdi)
    1123:	lock addl $0x1,(%rdi)
    1126:	add    $0x1,%eax
    1129:	cmp    %eax,%edx
    112b:	jne    1120 <add_loop+0x10>
    112d:	ret
)");
  EXPECT_EQ(loop.inside, (class_counts{{"lock_add", 2}, {"alu", 2}, {"branch", 1}}));
  EXPECT_EQ(loop.outside, (class_counts{{"alu", 2}, {"branch", 1}, {"nop", 1}, {"frame", 1}}));
  EXPECT_EQ(loop.instructions, 5);
  EXPECT_EQ(loop.problem, "");
}

// g++ puts the retry of a compare-exchange behind the return; it is executed as often as the CAS
// fails.
TEST(LoopCode, CountsRetryBlocksBehindTheReturn) {
  const loop_code loop = loop_of(R"(
    1170:	test   %esi,%esi
    1172:	je     11a2 <double_add_loop+0x32>
    1174:	xor    %ecx,%ecx
    1180:	mov    (%rdi),%rdx
    1183:	movq   %rdx,%xmm1
    1188:	mov    %rdx,%rax
    118b:	addsd  %xmm0,%xmm1
    118f:	movq   %xmm1,%r8
    1194:	lock cmpxchg %r8,(%rdi)
    1199:	jne    11a3 <double_add_loop+0x33>
    119b:	add    $0x1,%ecx
    119e:	cmp    %ecx,%esi
    11a0:	jne    1180 <double_add_loop+0x10>
    11a2:	ret
    11a3:	mov    %rax,%rdx
    11a6:	jmp    1183 <double_add_loop+0x13>
)");
  EXPECT_EQ(loop.inside, (class_counts{{"load", 1},
                                       {"move", 4},
                                       {"fp_add", 1},
                                       {"lock_cmpxchg", 1},
                                       {"branch", 2},
                                       {"alu", 2},
                                       {"jump", 1}}));
}

TEST(LoopCode, KnowsCallsAndTheFrameAroundThem) {
  const loop_code gnu = loop_of(R"(
    11f0:	test   %edi,%edi
    11f2:	je     1218 <barrier_loop+0x28>
    11f4:	push   %rbp
    11f5:	mov    %edi,%ebp
    11f7:	push   %rbx
    11f8:	xor    %ebx,%ebx
    11fa:	sub    $0x8,%rsp
    11fe:	xchg   %ax,%ax
    1200:	call   1030 <GOMP_barrier@plt>
    1205:	add    $0x1,%ebx
    1208:	cmp    %ebx,%ebp
    120a:	jne    1200 <barrier_loop+0x10>
    120c:	add    $0x8,%rsp
    1210:	pop    %rbx
    1211:	pop    %rbp
    1212:	ret
    1218:	ret
)");
  EXPECT_EQ(gnu.inside, (class_counts{{"call:GOMP_barrier", 1}, {"alu", 2}, {"branch", 1}}));
  EXPECT_EQ(gnu.outside.at("frame"), 8);
  EXPECT_EQ(gnu.outside.at("nop"), 1);

  const loop_code clang = loop_of(R"(
    1320:	mov    %r14d,%eax
    1323:	xchg   %eax,0x0(%rbp)
    1326:	mov    %r15,%rdi
    1329:	call   1040 <__kmpc_flush@plt>
    132e:	add    $0xffffffff,%ebx
    1331:	jne    1320 <exchange_loop+0x20>
)");
  EXPECT_EQ(
      clang.inside,
      (class_counts{
          {"xchg_mem", 1}, {"move", 2}, {"call:__kmpc_flush", 1}, {"alu", 1}, {"branch", 1}}));
}

TEST(LoopCode, ReadsAArch64WithAndWithoutLargeSystemExtensions) {
  const loop_code lse = loop_of(R"(
   c:	nop
  10:	ldadd	w3, w4, [x0]
  14:	ldaddalb	w3, w4, [x0]
  18:	add	w2, w2, #0x1
  1c:	cmp	w1, w2
  20:	b.ne	10 <add_loop+0x10>  // b.any
  24:	ret
)",
                                machine::aarch64);
  EXPECT_EQ(lse.inside,
            (class_counts{{"lse_ldadd", 1}, {"lse_ldaddal", 1}, {"alu", 2}, {"branch", 1}}));

  const loop_code exclusive = loop_of(R"(
   8:	ldxr	w3, [x0]
   c:	add	w3, w3, #0x1
  10:	stxr	w4, w3, [x0]
  14:	cbnz	w4, 8 <add_loop+0x8>
  18:	stlr	w3, [x0]
  1c:	dmb	ish
  20:	ldr	w3, [x0]
  24:	str	d1, [sp, #8]
  28:	dmb	ishld
  2c:	bl	0 <GOMP_barrier>
  30:	b.ne	8 <add_loop+0x8>  // b.any
)",
                                      machine::aarch64);
  EXPECT_EQ(exclusive.inside, (class_counts{{"ldxr", 1},
                                            {"alu", 1},
                                            {"stxr", 1},
                                            {"branch", 2},
                                            {"store_release", 1},
                                            {"dmb_ish", 1},
                                            {"dmb_ishld", 1},
                                            {"load", 1},
                                            {"spill", 1},
                                            {"call:GOMP_barrier", 1}}));
}

// clang unrolls a loop that nobody forbade it to, and keeps a second one for what is left over.
TEST(LoopCode, RefusesTwoLoops) {
  const loop_code loop = loop_of(R"(
    1150:	lock add %esi,(%rdi)
    1153:	lock add %esi,(%rdi)
    1180:	add    $0xfffffff8,%edx
    1183:	jne    1150 <add_loop+0x20>
    1185:	test   %eax,%eax
    1187:	je     119b <add_loop+0x6b>
    1190:	lock add %esi,(%rdi)
    1196:	add    $0xffffffff,%eax
    1199:	jne    1190 <add_loop+0x60>
    119b:	ret
)");
  EXPECT_THAT(loop.problem, HasSubstr("2 separate loops"));
}

TEST(LoopCode, RefusesAJumpIntoAPartThatWasMovedOut) {
  EXPECT_THAT(loop_of(R"(
    1150:	lock cmpxchg %esi,(%rdi)
    1153:	jne    1020 <add_loop.cold>
    1180:	dec    %edx
    1183:	jne    1150 <add_loop+0x20>
    1185:	ret
)")
                  .problem,
              HasSubstr("jumps out to add_loop.cold"));
  // Before the loop too: the part may come back into it.
  EXPECT_THAT(loop_of(R"(
    1140:	jne    1020 <add_loop.cold>
    1150:	lock add %esi,(%rdi)
    1183:	jne    1150 <add_loop+0x20>
    1185:	ret
)")
                  .problem,
              HasSubstr("jumps out to add_loop.cold"));
  EXPECT_THAT(loop_of(R"(
    1150:	lock add %esi,(%rdi)
    1153:	je     1020 <elsewhere>
    1183:	jne    1150 <add_loop+0x20>
    1185:	ret
)")
                  .problem,
              HasSubstr("jumps out to elsewhere"));
  // The last call of a function may be a jump.
  EXPECT_EQ(loop_of(R"(
    1150:	lock add %esi,(%rdi)
    1183:	jne    1150 <add_loop+0x20>
    1185:	jmp    1020 <finish@plt>
)")
                .problem,
            "");
  EXPECT_THAT(loop_of("    1150:\tjmp    *%rax\n").problem, HasSubstr("indirect jump"));
}

TEST(LoopCode, CountsFoldedOperandsTwiceButTheirInstructionOnceAndPaddingNever) {
  const loop_code loop = loop_of(R"(
    1150:	addsd  0x8(%rsp),%xmm0
    1156:	mulsd  (%rdi),%xmm0
    115a:	nopw   0x0(%rax,%rax,1)
    1160:	jne    1150 <f+0x20>
)");
  EXPECT_EQ(
      loop.inside,
      (class_counts{
          {"fp_add", 1}, {"spill", 1}, {"fp_mul", 1}, {"load", 1}, {"nop", 1}, {"branch", 1}}));
  EXPECT_EQ(loop.instructions, 3);
}

TEST(LoopCode, FindsNoLoopInAStraightLine) {
  const loop_code line =
      loop_of("    1340:\ttest   %edi,%edi\n    1344:\tmfence\n    1347:\tret\n");
  EXPECT_FALSE(line.has_loop);
  EXPECT_EQ(line.outside, (class_counts{{"alu", 1}, {"mfence", 1}, {"frame", 1}}));
}

struct classified {
  const char* text;
  const char* name;
  const char* also = "";
};

class X86Class : public testing::TestWithParam<classified> {};

TEST_P(X86Class, Is) {
  const auto what = parse_instruction("    1000:\t" + std::string(GetParam().text));
  ASSERT_TRUE(what.has_value());
  const instruction_class found = x86_64_set.classify(*what, {});
  EXPECT_EQ(found.name, GetParam().name) << GetParam().text;
  EXPECT_EQ(found.also, GetParam().also) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Census, X86Class,
    testing::Values(
        classified{"lock subq $0x8,(%rdi)", "lock_sub"},
        classified{"lock sub %esi,(%rdi)", "lock_sub"},
        classified{"lock xadd %rcx,(%rdi)", "lock_xadd"},
        classified{"lock orq $0x0,(%rsp)", "lock_or"}, classified{"lock incl (%rdi)", "lock_inc"},
        classified{"lock cmpxchg16b (%rdi)", "lock_cmpxchg16b"},
        classified{"xchg   %ecx,(%rdi)", "xchg_mem"}, classified{"xchg   %ax,%ax", "nop"},
        classified{"xchg   %eax,%ebx", "move"}, classified{"cs nopw 0x0(%rax,%rax,1)", "nop"},
        classified{"pause", "pause"}, classified{"sfence", "sfence"},
        classified{"mov    (%rdi),%eax", "load"}, classified{"mov    %eax,0x8(%rdi)", "store"},
        classified{"movl   $0x1,(%rdi)", "store"}, classified{"mov    %fs:0x28,%rax", "load"},
        classified{"mov    $0x1,%eax", "move"}, classified{"movzbl (%rdi),%eax", "load"},
        classified{"movsd  %xmm0,0x8(%rsp)", "spill"},
        classified{"mov    0x18(%rsp),%rax", "spill"}, classified{"mov    -0x8(%rbp),%rax", "load"},
        classified{"movd   %xmm0,%eax", "move"}, classified{"add    %r12d,(%rbx)", "rmw"},
        classified{"addl   $0x1,(%rbx)", "rmw"}, classified{"add    (%rbx),%eax", "load"},
        classified{"addl   $0x1,0x8(%rsp)", "spill"}, classified{"cmp    %eax,(%rdi)", "load"},
        classified{"sub    %eax,%edx", "alu"}, classified{"shl    %eax", "alu"},
        classified{"lea    0x8(%rsp),%rdi", "alu"}, classified{"cmovge %edx,%eax", "alu"},
        classified{"sete   %al", "alu"}, classified{"imul   %esi,%eax", "imul"},
        classified{"imul   (%rdi),%eax", "imul", "load"},
        classified{"addsd  %xmm0,%xmm1", "fp_add"},
        classified{"addsd  (%rdi),%xmm1", "fp_add", "load"},
        classified{"addsd  0x8(%rsp),%xmm1", "fp_add", "spill"},
        classified{"vmulss %xmm0,%xmm1,%xmm1", "fp_mul"},
        classified{"minss  %xmm0,%xmm1", "fp_minmax"},
        classified{"comisd %xmm0,%xmm1", "fp_compare"}, classified{"pxor   %xmm0,%xmm0", "alu"},
        classified{"push   %rbx", "frame"}, classified{"sub    $0x18,%rsp", "frame"},
        classified{"endbr64", "frame"},
        classified{"call   1030 <GOMP_barrier@plt>", "call:GOMP_barrier"},
        classified{"call   *%rax", "call:(indirect)"},
        classified{"call   1030 <_ZN9syncmeter4waitIiEEvRT_i>", "call:void syncmeter::wait<int>"},
        classified{"jne    1010 <f+0x10>", "branch"}, classified{"jmp    1010 <f+0x10>", "jump"},
        classified{"rep stos %al,%es:(%rdi)", "other:rep_stos"},
        classified{"rdtsc", "other:rdtsc"}));

TEST(LoopCode, TakesTheFramePointerForTheStackOnlyWhereItIsOne) {
  EXPECT_EQ(loop_of(R"(
    1000:	push   %rbp
    1001:	mov    %rsp,%rbp
    1004:	mov    -0x8(%rbp),%rax
    1008:	jne    1004 <f+0x4>
)")
                .inside.count("spill"),
            1U);
}

}  // namespace
}  // namespace syncmeter::loop_code_test
