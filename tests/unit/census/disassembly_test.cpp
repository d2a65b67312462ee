// objdump's text: single lines, whole functions out of a longer listing, and the ELF symbol tables.
#include "driver/census/tools/disassembler.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace syncmeter::disassembly_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

instruction parsed(std::string_view line) {
  const auto found = parse_instruction(line);
  EXPECT_TRUE(found.has_value()) << line;
  return found.value_or(instruction{});
}

TEST(Disassembly, SplitsPrefixesMnemonicAndOperands) {
  const instruction add = parsed("    1120:\tlock add %esi,(%rdi)");
  EXPECT_EQ(add.address, 0x1120U);
  EXPECT_EQ(add.prefixes, "lock");
  EXPECT_EQ(add.mnemonic, "add");
  EXPECT_EQ(add.operands, "%esi,(%rdi)");
  EXPECT_FALSE(add.target_address.has_value());

  const instruction padding = parsed("    1116:\tdata16 cs nopw 0x0(%rax,%rax,1)");
  EXPECT_EQ(padding.prefixes, "data16 cs");
  EXPECT_EQ(padding.mnemonic, "nopw");

  EXPECT_EQ(parsed("  12d5b8:\trepz ret").mnemonic, "ret");
  EXPECT_EQ(parsed("    1344:\tmfence").mnemonic, "mfence");
}

TEST(Disassembly, KnowsWhereJumpsAndCallsGo) {
  const instruction branch = parsed("    1199:\tjne    11a3 <double_add_loop+0x33>");
  EXPECT_EQ(branch.target, "double_add_loop+0x33");
  EXPECT_EQ(branch.target_address, 0x11a3U);

  const instruction call = parsed("    1200:\tcall   1030 <GOMP_barrier@plt>");
  EXPECT_EQ(call.target, "GOMP_barrier@plt");
  EXPECT_EQ(call.target_address, 0x1030U);

  const instruction through_table =
      parsed("    1200:\tcall   *0x2fe2(%rip)        # 3fd0 <GOMP_barrier@GOMP_1.0>");
  EXPECT_EQ(through_table.target, "GOMP_barrier@GOMP_1.0");
  EXPECT_FALSE(through_table.target_address.has_value());
  EXPECT_EQ(through_table.operands, "*0x2fe2(%rip)");

  const instruction bit = parsed("  30:\ttbz\tw0, #3, 10 <wait+0x10>");
  EXPECT_EQ(bit.target_address, 0x10U);
  EXPECT_EQ(bit.operands, "w0, #3, 10");
}

TEST(Disassembly, DropsComments) {
  EXPECT_EQ(parsed("   4:\tmov\tw2, #0x0                   \t// #0").operands, "w2, #0x0");
  const instruction branch = parsed("  20:\tb.ne\t10 <add_loop+0x10>  // b.any");
  EXPECT_EQ(branch.target_address, 0x10U);
  EXPECT_EQ(parsed("   95d0d:\tlea    0x1ddb24(%rip),%r14        # 273838 <counter>").operands,
            "0x1ddb24(%rip),%r14");
}

TEST(Disassembly, IgnoresEverythingThatIsNoInstruction) {
  for (const char* line : {"", "0000000000001110 <add_loop>:", "Disassembly of section .text:",
                           "\t...", "lane-gcc:     file format elf64-x86-64", "    zz:\tnop"}) {
    EXPECT_FALSE(parse_instruction(line).has_value()) << line;
  }
}

constexpr const char* listing = R"(
Disassembly of section .text:

0000000000001110 <first>:
    1110:	xor    %eax,%eax
    1112:	ret
    1113:	nopl   0x0(%rax,%rax,1)

0000000000001120 <second>:
    1120:	mfence
    1123:	ret
    1124:	nop

0000000000001130 <third>:
    1130:	pause
    1132:	ret
)";

std::vector<std::string> mnemonics_of(std::vector<code_range> ranges) {
  std::vector<std::string> seen;
  disassembly_reader reader(std::move(ranges),
                            [&](code_range range, std::span<const instruction> body) {
                              std::ostringstream text;
                              text << std::hex << range.first;
                              for (const instruction& i : body) text << ' ' << i.mnemonic;
                              seen.push_back(text.str());
                            });
  std::istringstream in(listing);
  for (std::string line; std::getline(in, line);) reader.add_line(line);
  reader.finish();
  return seen;
}

TEST(Disassembly, HandsOverTheWantedFunctionsWithoutPadding) {
  EXPECT_THAT(mnemonics_of({{0x1130, 3}, {0x1110, 3}}),
              ElementsAre("1110 xor ret", "1130 pause ret"));
  EXPECT_THAT(mnemonics_of({{0x1110, 3}, {0x1120, 4}}),
              ElementsAre("1110 xor ret", "1120 mfence ret"));
}

TEST(Disassembly, TakesTwoNamesOfOneAddressOnceAndAtTheLargestSize) {
  EXPECT_THAT(mnemonics_of({{0x1120, 4}, {0x1120, 4}}), ElementsAre("1120 mfence ret"));
  EXPECT_THAT(mnemonics_of({{0x1120, 3}, {0x1120, 4}}), ElementsAre("1120 mfence ret"));
}

TEST(Disassembly, SaysNothingOfRangesThatAreNotThere) {
  EXPECT_THAT(mnemonics_of({{0x1000, 4}, {0x1120, 4}, {0x2000, 9}}),
              ElementsAre("1120 mfence ret"));
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const disassembly_error& error) {
    return error.what();
  }
  return "no error";
}

class temporary_file {
 public:
  explicit temporary_file(const std::string& name, const std::string& content)
      : path_(std::filesystem::path(testing::TempDir()) / fmt::format("{}-{}", name, ::getpid())) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(ElfSymbols, RefusesWhatIsNoProgram) {
  EXPECT_THAT(message_of([] { (void)read_elf_symbols("/no/such/worker"); }),
              HasSubstr("/no/such/worker: No such file"));
  const temporary_file script("sm_script",
                              "#!/bin/sh\nexec something else, and long enough for a header\n");
  EXPECT_THAT(message_of([&] { (void)read_elf_symbols(script.path()); }),
              HasSubstr("not an ELF program"));
  const temporary_file shortened("sm_short", "\177ELF");
  EXPECT_THAT(message_of([&] { (void)read_elf_symbols(shortened.path()); }),
              HasSubstr("not an ELF program"));
}

TEST(ElfSymbols, RefusesAProgramThatIsCutShort) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string beginning(4096, '\0');
  self.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  const temporary_file cut("sm_cut", beginning);
  EXPECT_THAT(message_of([&] { (void)read_elf_symbols(cut.path()); }), HasSubstr("cut short"));
}

TEST(Objdump, SaysWhatItCouldNotRead) {
  const temporary_file text("sm no program", "just text");
  EXPECT_THAT(message_of([&] {
                disassemble(text.path(), machine::other, {{0x1000, 16}}, [](auto, auto) {});
              }),
              HasSubstr("objdump could not read " + text.path() + ": objdump: "));
}

}  // namespace
}  // namespace syncmeter::disassembly_test
