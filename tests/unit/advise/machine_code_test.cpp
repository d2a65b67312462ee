// Which instructions synchronize, and to which one the time of a sample went.
#include "driver/advise/machine_code.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/census/tools/disassembler.hpp"

namespace syncmeter::machine_code_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<instruction> code(const std::vector<std::string_view>& lines) {
  std::vector<instruction> found;
  for (const std::string_view line : lines) found.push_back(parse_instruction(line).value());
  return found;
}

/// Kind and operation of the sites among these lines.
std::vector<std::pair<std::string, std::string>>
sites_of(enum machine m, const std::vector<std::string_view>& lines) {
  const std::vector<instruction> body = code(lines);
  const auto classes = classes_of(body, m);
  std::vector<std::pair<std::string, std::string>> found;
  for (std::size_t i = 0; i < body.size(); ++i)
    if (const site here = site_of(body[i], classes[i]); !here.kind.empty())
      found.emplace_back(here.kind, here.operation);
  return found;
}

TEST(MachineCode, LockedInstructionsAreSites) {
  EXPECT_THAT(sites_of(machine::x86_64, {"  10:\tlock addq $0x1,0x2b97(%rip)        # 4078 <n>",
                                         "  19:\taddq   $0x1,(%rax)", "  1d:\txchg   %eax,(%rdx)",
                                         "  1f:\txchg   %ax,%ax", "  21:\tmfence",
                                         "  24:\tlock cmpxchg %ecx,(%rdi)", "  28:\tpause"}),
              ElementsAre(Pair("atomic", "lock_add"), Pair("atomic", "xchg_mem"),
                          Pair("atomic", "mfence"), Pair("atomic", "lock_cmpxchg")));
  EXPECT_THAT(
      sites_of(machine::aarch64, {"  10:\tldaddal\tw1, w0, [x2]", "  14:\tldr\tw1, [x2]",
                                  "  18:\tldaxr\tw1, [x2]", "  1c:\tstxr\tw3, w1, [x2]",
                                  "  20:\tdmb\tish", "  24:\tbl\t100 <__aarch64_ldadd4_acq_rel>"}),
      ElementsAre(Pair("atomic", "lse_ldaddal"), Pair("atomic", "ldaxr"), Pair("atomic", "stxr"),
                  Pair("atomic", "dmb_ish"), Pair("atomic", "call:__aarch64_ldadd4_acq_rel")));
}

TEST(MachineCode, CallsThatTheProbeCountsAreSites) {
  EXPECT_THAT(sites_of(machine::x86_64,
                       {"  10:\tcall   1030 <pthread_mutex_lock@plt>",
                        "  15:\tcall   *0x2fe2(%rip)        # 3fd0 <GOMP_barrier@GOMP_1.0>",
                        "  1b:\tjmp    1040 <__kmpc_barrier@plt>",
                        "  20:\tcall   2040 <___pthread_mutex_lock>",
                        "  25:\tcall   1050 <GOMP_parallel_loop_dynamic@plt>"}),
              ElementsAre(Pair("mutex_lock", "pthread_mutex_lock"), Pair("barrier", "GOMP_barrier"),
                          Pair("barrier", "__kmpc_barrier"),
                          Pair("mutex_lock", "pthread_mutex_lock"),
                          Pair("region", "GOMP_parallel_loop_dynamic")));
  EXPECT_THAT(sites_of(machine::aarch64, {"  10:\tbl\t1030 <sem_wait@plt>"}),
              ElementsAre(Pair("sem_wait", "sem_wait")));
}

TEST(MachineCode, OtherCallsAndJumpsInsideAFunctionAreNone) {
  EXPECT_THAT(sites_of(machine::x86_64,
                       {"  10:\tjmp    1030 <pthread_mutex_lock+0x30>",
                        "  15:\tjne    1030 <pthread_mutex_lock>", "  1a:\tcall   1040 <puts@plt>",
                        "  1f:\tcall   1050 <syscall@plt>", "  24:\tcall   *%rax",
                        "  26:\tcall   1060 <pthread_mutex_unlock@plt>"}),
              IsEmpty());
}

/// What a sample at the second line is: address, kind and operation.
std::tuple<std::uint64_t, std::string, std::string> sampled(std::string_view before,
                                                            std::string_view at) {
  const std::vector<instruction> body = code({before, at});
  const auto classes = classes_of(body, machine::x86_64);
  const sampled_code found = code_of_sample(body[1], classes[1], body[0], classes[0]);
  return {found.address, found.kind, found.operation};
}

TEST(MachineCode, ASampleBelongsToTheLockedInstructionBeforeIt) {
  EXPECT_EQ(sampled("  10:\tlock addq $0x1,(%rax)", "  15:\tsub    $0x1,%rbx"),
            std::tuple(0x10U, "atomic", "lock_add"));
  // Also where it is locked itself: it had not begun.
  EXPECT_EQ(sampled("  10:\txchg   %eax,(%rdx)", "  12:\tlock addq $0x1,(%rax)"),
            std::tuple(0x10U, "atomic", "xchg_mem"));
  EXPECT_EQ(sampled("  10:\tmov    (%rax),%rbx", "  13:\tlock addq $0x1,(%rax)"),
            std::tuple(0x13U, "atomic", "lock_add"));
}

TEST(MachineCode, ALoadIsNamedByWhatNeedsItsValue) {
  EXPECT_EQ(sampled("  10:\tmov    (%rax),%rbx", "  13:\tadd    $0x1,%rbx"),
            std::tuple(0x13U, "memory", "load"));
  EXPECT_EQ(sampled("  10:\tadd    $0x1,%rbx", "  14:\tmov    %rbx,(%rax)"),
            std::tuple(0x14U, "memory", "store"));
  EXPECT_EQ(sampled("  10:\tadd    $0x1,%rbx", "  14:\tmov    %rbx,0x8(%rsp)"),
            std::tuple(0x14U, "", ""));
}

TEST(MachineCode, AConstantIsNoMemoryThatThreadsWriteTo) {
  const std::vector<instruction> body =
      code({"  10:\tmulsd  0xe5c(%rip),%xmm0        # 2010 <k>",
            "  18:\tmulsd  0x2e5c(%rip),%xmm0        # 4010", "  20:\tmov    (%rax),%rbx"});
  const auto classes = classes_of(body, machine::x86_64);
  std::vector<bool> constant;
  for (std::size_t i = 0; i < body.size(); ++i)
    constant.push_back(without_constant(body[i], classes[i], {{0x2000, 0x100}}).name == "constant");
  EXPECT_THAT(constant, ElementsAre(true, false, false));
}

}  // namespace
}  // namespace syncmeter::machine_code_test
