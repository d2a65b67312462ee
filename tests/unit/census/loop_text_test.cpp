// Loops of two builds: what a compiler is free to choose makes no difference, all else does.
#include "driver/census/isa/loop_code.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "driver/census/rule/census_diff.hpp"
#include "driver/census/tools/cuda_tools.hpp"

namespace syncmeter::loop_text_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using code = std::vector<std::string>;

std::vector<loop_line> lines_of(const code& text, enum machine m = machine::x86_64) {
  std::vector<instruction> body;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto one =
        m == machine::sass
            ? parse_sass_instruction(fmt::format("        /*{:04x}*/  {} ;", 16 * i, text[i]))
            : parse_instruction(fmt::format("  {:x}:\t{}", 4096 + 16 * i, text[i]));
    if (!one) ADD_FAILURE() << text[i];
    else body.push_back(*one);
  }
  return loop_text(body, classes_of(body, m), m, [](std::size_t) { return true; });
}

change changed(const code& a, const code& b, enum machine m = machine::x86_64) {
  return compare_loops(lines_of(a, m), lines_of(b, m)).what;
}

TEST(loop_text, numbers_registers_and_labels_as_they_appear) {
  const auto lines =
      lines_of({"lock xadd %eax,(%rdx)", "nop", "add $0x1,%rdx", "jne 1020 <f+0x10>"});
  ASSERT_THAT(lines, SizeIs(3)) << "alignment is none of it";
  EXPECT_EQ(lines[0].shape, "lock xadd r32,(r64)");
  EXPECT_EQ(lines[0].text, "lock xadd r32.0,(r64.1)");
  EXPECT_EQ(lines[1].text, "add $0x1,r64.1");
  EXPECT_EQ(lines[2].shape, "jne L");
  EXPECT_EQ(lines[2].text, "jne L1") << "the line that it goes to";
}

TEST(loop_text, what_a_compiler_chose_makes_no_difference) {
  const code here{"mov %ebx,%eax", "lock cmpxchg %r10d,(%r9)", "add 0x18(%rsp),%rdi",
                  "movsd 0x2f31(%rip),%xmm1"};
  const code there{"mov %r8d,%eax", "lock cmpxchg %ecx,0x0(%r13)", "add 0x40(%rsp),%rsi",
                   "movsd 0x11(%rip),%xmm7"};
  EXPECT_EQ(changed(here, there), change::none);
  EXPECT_EQ(changed({"ldaxr w0, [x1]", "str x2, [sp, #16]", "adrp x3, 4a0000 <x>"},
                    {"ldaxr w9, [x20]", "str x4, [sp, #64]", "adrp x5, 4b1000 <y>"},
                    machine::aarch64),
            change::none);
  EXPECT_EQ(
      changed({"amoadd.w a5,a4,(a3)", "sd a1,8(sp)", "auipc a2,0x4d", "ld a2,432(a2) # 5000 <x>"},
              {"amoadd.w t1,s4,(s3)", "sd a7,24(sp)", "auipc t2,0x51", "ld t2,-12(t2) # 9000 <x>"},
              machine::riscv64),
      change::none);
  EXPECT_EQ(
      changed(
          {"@!P0 ATOMG.E.ADD.STRONG.GPU PT, R4, [R2.64], R5", "IADD3 R6, R4, c[0x0][0x210], RZ"},
          {"@!P1 ATOMG.E.ADD.STRONG.GPU PT, R8, [R10.64], R7", "IADD3 R9, R8, c[0x0][0x380], RZ"},
          machine::sass),
      change::none);
}

TEST(loop_text, other_ways_of_values_and_another_order_are_told_apart) {
  EXPECT_EQ(changed({"add %rax,%rbx", "add %rbx,%rcx"}, {"add %rax,%rbx", "add %rax,%rcx"}),
            change::registers);
  EXPECT_EQ(changed({"mfence", "mov (%rax),%rbx"}, {"mov (%rax),%rbx", "mfence"}), change::order);
}

TEST(loop_text, offsets_and_kinds_of_registers_count_on_riscv) {
  EXPECT_EQ(changed({"lw a5,8(a4)"}, {"lw a5,16(a4)"}, machine::riscv64), change::instructions);
  EXPECT_EQ(changed({"fmv.s fa5,fa4"}, {"fmv.s fs5,ft4"}, machine::riscv64), change::none);
  EXPECT_EQ(changed({"add a5,a4,a3"}, {"add a5,a4,zero"}, machine::riscv64), change::instructions);
}

TEST(loop_text, every_planted_change_is_seen) {
  const code loop{"lock xadd %eax,(%rdx)", "mov (%rdx),%ecx", "add $0x1,%rdx",
                  "call 5000 <GOMP_barrier@plt>", "jne 1000"};
  const std::vector<std::pair<std::size_t, std::string>> planted{
      {0, "xadd %eax,(%rdx)"},
      {0, "lock xadd %rax,(%rdx)"},
      {0, "lock xadd %ax,(%rdx)"},
      {0, "lock xadd %al,(%rdx)"},
      {0, "lock add %eax,(%rdx)"},
      {0, "lock xadd %eax,0x40(%rdx)"},
      {0, "lock xadd %eax,(%eax)"},
      {0, "xchg %eax,(%rdx)"},
      {1, "mov %ecx,(%rdx)"},
      {1, "mov (%rdx),%rcx"},
      {1, "movzbl (%rdx),%ecx"},
      {1, "mov 0x8(%rdx),%ecx"},
      {1, "mov (%rdx,%rax,4),%ecx"},
      {2, "add $0x2,%rdx"},
      {2, "sub $0x1,%rdx"},
      {2, "inc %rdx"},
      {3, "call 5000 <GOMP_critical_start@plt>"},
      {3, "mfence"},
      {4, "je 1000"},
      {4, "jmp 1010"}};
  EXPECT_THAT(planted, SizeIs(20));
  for (const auto& [line, text] : planted) {
    code other = loop;
    other[line] = text;
    EXPECT_EQ(changed(loop, other), change::instructions) << text;
  }
}

TEST(loop_text, what_went_and_came_is_counted) {
  const auto found = compare_loops(lines_of({"mfence", "mfence", "mov %eax,(%rbx)"}),
                                   lines_of({"mfence", "xchg %eax,(%rbx)", "xchg %ecx,(%rbx)"}));
  EXPECT_EQ(found.what, change::instructions);
  EXPECT_THAT(found.went, ElementsAre(Pair("mfence", 1), Pair("mov r32,(r64)", 1)));
  EXPECT_THAT(found.came, ElementsAre(Pair("xchg r32,(r64)", 2)));
}

census_entry entry(std::string op, std::string type, const code& test) {
  census_entry made;
  made.backend = "omp";
  made.op = std::move(op);
  made.type = std::move(type);
  made.order = "relaxed";
  made.loops[0].lines = lines_of({"jne 1000"});
  made.loops[1].lines = lines_of(test);
  return made;
}

TEST(census_diff, entries_that_changed_alike_are_one_change) {
  const code add{"lock add %eax,(%rdx)"}, loop{"lock cmpxchg %eax,(%rdx)"};
  const worker_diff diff =
      compare_workers("omp",
                      {entry("atomic_add", "int32", add), entry("atomic_add", "int64", add),
                       entry("atomic_add", "float", loop), entry("old", "", add)},
                      {entry("atomic_add", "int32", loop), entry("atomic_add", "int64", loop),
                       entry("atomic_add", "float", loop)});
  EXPECT_TRUE(diff.changed());
  EXPECT_THAT(diff.loops, ElementsAre(Pair(change::none, 4), Pair(change::instructions, 2)));
  EXPECT_THAT(diff.only_a, ElementsAre("omp old relaxed"));
  EXPECT_THAT(diff.only_b, IsEmpty());
  ASSERT_THAT(diff.changes, SizeIs(1));
  EXPECT_EQ(diff.changes[0].only, "int32 int64");
  EXPECT_THAT(diff.changes[0].loops, ElementsAre(1));
  EXPECT_EQ(diff_text(diff), "omp: 6 loops compared: 4 equal, 2 other instructions\n"
                             "  atomic_add (int32 int64), loops with 1 op: other instructions\n"
                             "    -   1 lock add r32,(r64)\n"
                             "    +   1 lock cmpxchg r32,(r64)\n"
                             "  only in A: omp old relaxed\n");
}

TEST(census_diff, a_loop_that_cannot_be_read_is_not_equal) {
  census_entry unread;
  unread.op = "barrier";
  unread.reason = "objdump is missing";
  const worker_diff diff = compare_workers("omp", {unread}, {unread});
  EXPECT_THAT(diff.loops, IsEmpty());
  EXPECT_THAT(diff.unread, ElementsAre(Pair("objdump is missing", 1)));
}

}  // namespace
}  // namespace syncmeter::loop_text_test
