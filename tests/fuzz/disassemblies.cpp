// What objdump prints of a worker's loops: the first byte chooses the functions that are asked for.
#include "driver/census/isa/loop_code.hpp"
#include "driver/census/tools/disassembler.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

// Functions of one size side by side from 0x1000 on, and one that ends with the address space.
std::vector<code_range> asked_for(unsigned char choice) {
  std::vector<code_range> ranges;
  const std::uint64_t size = 1U << (choice & 7U);
  for (std::uint64_t i = 0; i < choice >> 3U; ++i) ranges.push_back({0x1000 + i * size, size});
  ranges.push_back({~std::uint64_t{0xfff}, 0x1000});
  return ranges;
}

void check_loop(std::span<const instruction> body) {
  for (const enum machine m : {machine::x86_64, machine::aarch64, machine::riscv64}) {
    const loop_code found = read_loop(body, m);
    int counted = 0;
    for (const auto* counts : {&found.inside, &found.outside}) {
      for (const auto& [name, number] : *counts) counted += number;
    }
    // A memory operand counts as an access beside its instruction.
    promise(counted >= std::ssize(body) && counted <= 2 * std::ssize(body),
            "instructions are lost, or counted twice");
    promise(found.instructions <= std::ssize(body), "the loop is longer than the function");
  }
}

}  // namespace

void disassemblies(std::string_view input) {
  if (input.empty()) return;
  const auto lines = lines_of(input.substr(1));
  std::size_t handed_over = 0;
  std::uint64_t last_first = 0;
  disassembly_reader reader(asked_for(static_cast<unsigned char>(input.front())),
                            [&](code_range range, std::span<const instruction> body) {
                              promise(range.first >= last_first, "functions out of order");
                              last_first = range.first;
                              handed_over += body.size();
                              for (const instruction& one : body)
                                promise(one.address - range.first < range.size,
                                        "an instruction of another function");
                              check_loop(body);
                            });
  for (const std::string& line : lines) reader.add_line(line);
  reader.finish();
  promise(handed_over <= lines.size(), "more instructions than lines");
}

}  // namespace syncmeter::fuzz
