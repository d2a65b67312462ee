// What an op compiled to, in one word, from the text of disassemblers for each machine.
#include "driver/census/rule/census.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "driver/census/tools/disassembler.hpp"

namespace syncmeter::code_kind_test {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

/// A loop of these lines, closed by a branch: "L0" in a line stands for the first one, and so on.
loop_code loop_of(const std::vector<std::string>& lines, enum machine m, const std::string& close) {
  std::vector<instruction> body;
  std::vector<std::string> all = lines;
  all.push_back(close);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string line = all[i];
    if (const auto label = line.rfind('L'); label != std::string::npos) {
      const auto to = 4096 + 16 * std::stoul(line.substr(label + 1));
      line = fmt::format("{}{:x} <f+0x{:x}>", line.substr(0, label), to, to - 4096);
    }
    const auto one = parse_instruction(fmt::format("  {:x}:\t{}", 4096 + 16 * i, line));
    if (!one) ADD_FAILURE() << line;
    else body.push_back(*one);
  }
  return read_loop(body, m, true);
}

struct judged {
  code_kind kind;
  std::map<std::string, double> instructions;
};

/// An op of one step whose test loop has `op` before the baseline's `common`.
judged judge_op(const std::vector<std::string>& op, enum machine m) {
  const std::string close = m == machine::x86_64    ? "jne L0"
                            : m == machine::aarch64 ? "b.ne L0"
                                                    : "bne a1,a2,L0";
  std::vector<std::string> common{m == machine::x86_64    ? "add $0x1,%rcx"
                                  : m == machine::aarch64 ? "add x9, x9, #0x1"
                                                          : "addi t1,t1,1"};
  const loop_code baseline = loop_of(common, m, close);
  std::vector<std::string> test = op;
  test.insert(test.end(), common.begin(), common.end());
  capability what;
  what.op = "op";
  what.pairing = "self";
  what.symbols = {"baseline", "test"};
  const census_entry entry = judge(what, {baseline, loop_of(test, m, close)}, m);
  return {kind_of(entry, what), instructions_per_op(entry, what)};
}

code_kind kind(const std::vector<std::string>& op, enum machine m) { return judge_op(op, m).kind; }

TEST(code_kind, one_instruction_is_told_with_its_registers_by_kind) {
  EXPECT_EQ(kind({"lock add %eax,(%rdx)"}, machine::x86_64), code_kind::one_instruction);
  EXPECT_EQ(kind({"ldaddal w3, w4, [x0]"}, machine::aarch64), code_kind::one_instruction);
  const judged amo = judge_op({"mv a3,a5", "amoadd.w.aqrl zero,a5,(a4)"}, machine::riscv64);
  EXPECT_EQ(amo.kind, code_kind::one_instruction) << "a move beside it is bookkeeping";
  EXPECT_THAT(amo.instructions,
              UnorderedElementsAre(Pair("mv x,x", 1), Pair("amoadd.w.aqrl zero,x,(x)", 1)));
}

TEST(code_kind, a_pair_of_exclusive_accesses_that_goes_around) {
  EXPECT_EQ(kind({"ldaxr w3, [x0]", "add w3, w3, w1", "stlxr w4, w3, [x0]", "cbnz w4, L0"},
                 machine::aarch64),
            code_kind::ll_sc_loop);
  EXPECT_EQ(kind({"lr.w.aqrl a5,(a4)", "bne a5,a3,L4", "sc.w.rl a6,a7,(a4)", "bnez a6,L0"},
                 machine::riscv64),
            code_kind::ll_sc_loop);
  EXPECT_EQ(kind({"ldaxr w3, [x0]", "stlxr w4, w3, [x0]"}, machine::aarch64),
            code_kind::instructions)
      << "a weak one that is not tried again";
}

TEST(code_kind, a_compare_and_swap_is_a_loop_only_where_it_goes_around) {
  EXPECT_EQ(kind({"lock cmpxchg %ecx,(%rdx)", "jne L0"}, machine::x86_64), code_kind::cas_loop);
  EXPECT_EQ(kind({"casal w3, w4, [x0]", "cmp w3, w5", "b.ne L0"}, machine::aarch64),
            code_kind::cas_loop);
  // g++ 16 looks first, and leaves it out where the value differs.
  EXPECT_EQ(kind({"cmp %eax,(%rdx)", "jne L3", "lock cmpxchg %ecx,(%rdx)"}, machine::x86_64),
            code_kind::instructions);
  EXPECT_EQ(kind({"ldar w3, [x0]", "cmp w3, w5", "b.ne L0"}, machine::aarch64),
            code_kind::other_loop)
      << "it waits";
}

TEST(code_kind, calls_of_locks_and_of_other_functions) {
  EXPECT_EQ(kind({"bl 5000 <__aarch64_ldadd4_acq_rel>"}, machine::aarch64), code_kind::call);
  EXPECT_EQ(kind({"call 5000 <GOMP_atomic_start@plt>", "add $0x1,%eax",
                  "call 5010 <GOMP_atomic_end@plt>"},
                 machine::x86_64),
            code_kind::lock);
  EXPECT_EQ(kind({"jal 5000 <pthread_mutex_lock@plt>"}, machine::riscv64), code_kind::lock);
}

TEST(code_kind, a_call_that_only_closes_a_trip_is_none_of_an_op) {
  capability what;
  what.unroll = 32;
  what.ops_per_step = 2;
  census_entry entry;
  entry.verdict = verdict::wrong;
  entry.per_op = {{"RED.ADD", 1}, {"call:(inside)", 1.0 / 64}};
  EXPECT_EQ(kind_of(entry, what), code_kind::one_instruction);
  entry.per_op["call:(inside)"] = 1.0 / 2;
  EXPECT_EQ(kind_of(entry, what), code_kind::call);
}

TEST(code_kind, nothing_and_what_cannot_be_read) {
  EXPECT_EQ(kind({}, machine::x86_64), code_kind::nothing);
  EXPECT_THAT(judge_op({}, machine::x86_64).instructions, IsEmpty());
  EXPECT_EQ(kind({"jmp *%rax"}, machine::x86_64), code_kind::unknown) << "an indirect jump";
}

TEST(code_kind, riscv_instructions_have_classes) {
  const auto name = [](const std::string& text) {
    return riscv64_set.classify(*parse_instruction("  1000:\t" + text), {}).name;
  };
  EXPECT_EQ(name("fence rw,w"), "fence_rw_w");
  EXPECT_EQ(name("fence"), "fence");
  EXPECT_EQ(name("fence iorw,iorw"), "fence");
  EXPECT_EQ(name("amoswap.d.aq a5,a4,(a3)"), "amoswap.aq");
  EXPECT_EQ(name("sc.w a6,a7,(a4)"), "sc");
  EXPECT_EQ(name("lw a5,0(a4)"), "load");
  EXPECT_EQ(name("sd a5,8(sp)"), "spill");
  EXPECT_EQ(name("fsd fa5,0(a4)"), "store");
  EXPECT_EQ(name("fadd.d fa5,fa5,fa4"), "fp_add");
  EXPECT_EQ(name("fmv.w.x fa5,a5"), "move");
  EXPECT_EQ(name("addi sp,sp,-16"), "frame");
  EXPECT_EQ(name("add sp,sp,16"), "frame");
  EXPECT_EQ(name("sext.w a5,a5"), "alu");
  EXPECT_EQ(name("beqz a5,1000 <f>"), "branch");
  EXPECT_EQ(name("jalr a5"), "call:(indirect)");
  EXPECT_EQ(name("vsetvli a0,a1"), "other:vsetvli");
}

TEST(code_kind, of_each_machine_its_own_disassembler) {
  EXPECT_EQ(objdump_for(machine::riscv64), "riscv64-linux-gnu-objdump");
  EXPECT_EQ(objdump_for(machine::other), "objdump");
}

}  // namespace
}  // namespace syncmeter::code_kind_test
