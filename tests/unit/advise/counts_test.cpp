// Records of the probe, written here by hand: what is read of them.
#include "driver/advise/counts.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "probe/tables.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter {
namespace {

/// A file of the probe, block by block.
class record {
 public:
  record() {
    head_.pid = 1;
    std::memcpy(head_.magic, probe::magic, sizeof head_.magic);
    std::strcpy(head_.program, "/bin/app");
  }
  template <class Block>
  record& add(probe::block_type type, Block block, const std::string& text = "") {
    std::string bytes(sizeof block, '\0');
    const std::size_t with_text = sizeof block + (text.empty() ? 0 : text.size() + 1);
    block.head = {type, static_cast<std::uint32_t>((with_text + 63) / 64 * 64)};
    std::memcpy(bytes.data(), &block, sizeof block);
    bytes += text;
    bytes.resize(block.head.bytes);
    blocks_ += bytes;
    return *this;
  }
  void write_to(const std::string& folder, int number) {
    head_.used_bytes = sizeof head_ + blocks_.size();
    std::ofstream file(folder + "/" + std::to_string(number) + probe::file_suffix,
                       std::ios::binary);
    file.write(reinterpret_cast<const char*>(&head_), sizeof head_);
    file << blocks_;
  }

 private:
  probe::file_header head_{};
  std::string blocks_;
};

using ReadCounts = test::in_temporary_folder;

TEST_F(ReadCounts, WhyCudaIsNotCountedStandsOnceForAllProcesses) {
  for (const int number : {1, 2, 3})
    record()
        .add(probe::block_type::problem, probe::problem_block{},
             number == 3 ? "another tool" : "no libcupti.so")
        .write_to(folder(), number);
  const call_counts all = read_counts(folder(), 0);
  EXPECT_EQ(all.processes, 3U);
  std::vector<std::string> problems = all.problems_of_cuda;
  std::ranges::sort(problems);
  EXPECT_EQ(problems, (std::vector<std::string>{"another tool", "no libcupti.so"}));
}

}  // namespace
}  // namespace syncmeter
