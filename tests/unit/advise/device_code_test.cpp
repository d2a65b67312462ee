// Sites of GPU code, from what nvdisasm prints of kernels.
#include "driver/advise/device_code.hpp"

#include <gmock/gmock.h>

#include "driver/advise/source_lines.hpp"

namespace syncmeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<site> sites_of(const std::vector<std::string>& lines) {
  device_code_reader reader("/bin/app");
  for (const std::string& line : lines) reader.add_line(line, "sm_90");
  return reader.finish();
}

const std::vector<std::string> two_kernels{
    "\t.section\t.text._Z3hotPKii,\"ax\",@progbits",
    "_Z3hotPKii:",
    ".text._Z3hotPKii:",
    "\t//## File \"/src/a.cu\", line 15",
    "        /*0000*/                   LDG.E R0, desc[UR4][R2.64] ;",
    "\t//## File \"/usr/local/cuda/include/cccl/cuda/std/x.h\", line 81 inlined at \"/src/a.cu\", "
    "line 16",
    "\t//## File \"/src/a.cu\", line 16",
    "        /*0010*/                   MEMBAR.SC.SYS ;",
    "        /*0020*/               @P0 ATOM.E.ADD.S32.STRONG.SYS PT, RZ, desc[UR4][R2.64], R5 ;",
    "        /*0030*/              @!PT BAR.SYNC 0x0 ;",
    ".text._Z4bestPf:",
    "        /*0000*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;",
    ".L_x_1:",
    "        /*0010*/                   ATOMG.E.CAS.STRONG.GPU PT, R3, [R4], R6, R7 ;",
    "        /*0020*/               @P0 BRA `(.L_x_1) ;",
    "        /*0030*/                   ATOMS.ADD RZ, [R0], R1 ;"};

TEST(device_code, a_site_has_its_kernel_its_line_and_its_opcode) {
  const std::vector<site> sites = sites_of(two_kernels);
  ASSERT_THAT(sites, SizeIs(5));
  EXPECT_EQ(sites[0].kind, "fence");
  EXPECT_EQ(sites[0].operation, "MEMBAR.SC.SYS");
  EXPECT_EQ(where_text(sites[0]), "hot a.cu:16");
  EXPECT_EQ(sites[1].operation, "ATOM.E.ADD.S32.STRONG.SYS");
  EXPECT_THAT(sites[1].frames, SizeIs(2));
  EXPECT_EQ(sites[2].kind, "barrier");
  EXPECT_EQ(where_text(sites[2]), "best");
  EXPECT_EQ(sites[4].operation, "ATOMS.ADD");
}

TEST(device_code, kernels_of_one_template_are_one) {
  const std::string barrier = "/*0000*/ BAR.SYNC.DEFER_BLOCKING 0x0 ;";
  std::vector<site> sites = sites_of({".text._ZN12_GLOBAL__N_16kernelIiEEvPT_:", barrier,
                                      ".text._ZN12_GLOBAL__N_16kernelIfEEvPT_:", barrier, barrier});
  ASSERT_THAT(sites, SizeIs(3));
  EXPECT_EQ(find_source_lines(sites), "");
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(where_text(sites[0]), "(anonymous namespace)::kernel");
  EXPECT_EQ(sites[0].copies, 3);
}

TEST(device_code, a_branch_that_goes_back_makes_a_loop) {
  const std::vector<site> sites = sites_of(two_kernels);
  ASSERT_THAT(sites, SizeIs(5));
  EXPECT_FALSE(sites[2].in_loop);
  EXPECT_TRUE(sites[3].in_loop);
  EXPECT_FALSE(sites[4].in_loop);
}

TEST(device_code, wide_scopes_fences_and_loops_are_named_with_their_places) {
  EXPECT_THAT(
      sentences_on_device_code(sites_of(two_kernels)),
      ElementsAre(AllOf(HasSubstr("2 operations of the GPU at system scope"), HasSubstr("a.cu:16")),
                  HasSubstr("1 atomic operation of the GPU with a fence before it, hot a.cu:16"),
                  HasSubstr("1 compare-and-swap of the GPU in a loop, best: where"),
                  HasSubstr("syncmeter run --study defaults")));
  EXPECT_THAT(sentences_on_device_code({two_kernels.size(), site{.kind = "atomic", .module = ""}}),
              IsEmpty());
  EXPECT_THAT(sentences_on_device_code(sites_of(
                  {".text.f:", "/*0000*/ ATOMG.E.CAS.STRONG.GPU PT, R3, [R4], R6, R7 ;",
                   "//## File \"/src/a.cu\", line 3", "/*0010*/ MEMBAR.SC.GPU ;",
                   "//## File \"/src/a.cu\", line 4", "/*0020*/ RED.E.ADD.STRONG.GPU [R2], R5 ;"})),
              IsEmpty());
}

}  // namespace
}  // namespace syncmeter
