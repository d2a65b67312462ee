// Kernels of a cubin, by a cuobjdump and an nvdisasm that are scripts here.
#include "driver/census/tools/cuda_tools.hpp"

#include <elf.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::sass_code_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t word = 16;

template <class T> void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

Elf64_Shdr section_of(std::uint32_t type, std::uint64_t offset, std::uint64_t size,
                      std::uint64_t name = 0) {
  Elf64_Shdr section{};
  section.sh_name = static_cast<Elf64_Word>(name);
  section.sh_type = type;
  section.sh_offset = sizeof(Elf64_Ehdr) + offset;
  section.sh_size = size;
  return section;
}

/// An ELF file with the code of these functions, of one letter for each instruction.
std::string cubin_of(const std::vector<std::pair<std::string, std::string>>& functions) {
  std::string names(1, '\0'), code;
  std::vector<Elf64_Shdr> sections(1);
  for (const auto& [name, letters] : functions) {
    sections.push_back(section_of(SHT_PROGBITS, code.size(), letters.size() * word, names.size()));
    names += ".text." + name + '\0';
    for (const char letter : letters) code.append(word, letter);
  }
  sections.push_back(section_of(SHT_STRTAB, code.size(), names.size()));
  Elf64_Ehdr header{};
  std::copy_n(ELFMAG, SELFMAG, header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = sizeof(header) + code.size() + names.size();
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::string bytes;
  append(bytes, header);
  bytes += code + names;
  for (const Elf64_Shdr& section : sections) append(bytes, section);
  return bytes;
}

/// nvdisasm for letters: B branches one instruction back, I adds 0x8, anything else does nothing.
constexpr const char* nvdisasm = R"sh(#!/bin/sh
for last; do :; done
while [ $# -gt 1 ]; do [ "$1" = --base-address ] && at=$(($2)); shift; done
echo run >>"$0.log"
fold -b -w 16 "$last" | while read -r letters || [ -n "$letters" ]; do
  case $letters in
  B*) text="@P0 BRA $(printf '0x%x' $((at - 16)))" ;;
  I*) text='VIADD R1, R1, 0x8' ;;
  *) text="NOP" ;;
  esac
  printf '        /*%04x*/                   %s ;\n' "$at" "$text"
  at=$((at + 16))
done
)sh";

class sass_code : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH");
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
    write("nvdisasm", nvdisasm);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  void holds(const std::string& cubin, const std::string& architecture = "sm_90") {
    write("cubin", cubin);
    write("cuobjdump", "#!/bin/sh\ncp " + file("cubin") + " worker.1." + architecture + ".cubin\n");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    fs::permissions(file(name), fs::perms::owner_all);
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  [[nodiscard]] static std::vector<std::string> read(const std::vector<std::string>& wanted) {
    kernel_names names;
    for (const std::string& name : wanted) names.add(name);
    std::vector<std::string> seen;
    read_sass("/bin/worker", names,
              [&](std::string_view architecture, std::string_view function,
                  std::span<const instruction> body) {
                std::string text = std::string(architecture) + " " + std::string(function) + ":";
                for (const instruction& one : body) {
                  text += " " + one.mnemonic + " " + one.operands;
                  if (one.target_address) text += " to " + std::to_string(*one.target_address);
                  EXPECT_EQ(one.address, word * static_cast<std::size_t>(&one - body.data()));
                }
                seen.push_back(text);
              });
    return seen;
  }

  [[nodiscard]] static std::string failure() {
    try {
      (void)read({"a"});
    } catch (const disassembly_error& error) {
      return error.what();
    }
    return {};
  }

 private:
  scratch_folder folder_;
  std::string path_;
};

TEST_F(sass_code, a_branch_goes_where_it_goes_from_each_of_its_places) {
  holds(cubin_of({{"a", "NIBB"}, {"other", "I"}, {"b", "BI"}}));
  EXPECT_THAT(read({"a", "b"}),
              ElementsAre("sm_90 a: NOP  VIADD R1, R1, 0x8 BRA 0x10 to 16 BRA 0x20 to 32",
                          "sm_90 b: BRA 0xfffffffffffffff0 to 18446744073709551600 "
                          "VIADD R1, R1, 0x8"));
}

TEST_F(sass_code, a_kernel_has_the_name_that_it_was_asked_for_by) {
  holds(cubin_of({{"_Z6launchI4teamIN3ops3addELi1EEEvT_", "I"}}));
  EXPECT_THAT(read({"team<ops::add, 1>"}),
              ElementsAre("sm_90 team<ops::add, 1>: VIADD R1, R1, 0x8"));
}

TEST_F(sass_code, nothing_is_disassembled_for_kernels_that_are_not_there) {
  holds(cubin_of({{"other", "I"}}));
  EXPECT_THAT(read({"a"}), ElementsAre());
  EXPECT_FALSE(fs::exists(file("nvdisasm.log")));
}

TEST_F(sass_code, names_what_it_cannot_read) {
  holds(cubin_of({{"a", "I"}}), "sm_61");
  EXPECT_THAT(failure(), HasSubstr("/bin/worker: machine code for sm_61 cannot be read"));
  holds(cubin_of({{"a", "I"}}).substr(0, 70));
  EXPECT_THAT(failure(), HasSubstr("worker.1.sm_90.cubin: the ELF file is cut short"));
  holds(cubin_of({{"a", "IN"}}));
  write("nvdisasm", "#!/bin/sh\necho '  /*0000*/ NOP ;'\n");
  EXPECT_THAT(failure(), HasSubstr("/bin/worker: nvdisasm printed 1 instructions of 2"));
  write("nvdisasm", "#!/bin/sh\necho 'nvdisasm fatal   : it is raining' >&2\nexit 1\n");
  EXPECT_THAT(failure(), HasSubstr("nvdisasm could not read /bin/worker: nvdisasm fatal"));
}

}  // namespace
}  // namespace syncmeter::sass_code_test
