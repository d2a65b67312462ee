// What libFuzzer begins with and what it found once, through the same targets: crashes and broken
// promises of old do not come back.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::corpora_test {
namespace {

namespace fs = std::filesystem;

const fs::path corpora =
    fs::path(__FILE__).parent_path().parent_path().parent_path() / "fuzz" / "corpus";

class corpus_test : public testing::TestWithParam<fuzz::named_target> {};

TEST_P(corpus_test, breaks_no_promise) {
  std::size_t inputs = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(corpora / GetParam().name)) {
    std::ifstream in(entry.path(), std::ios::binary);
    ASSERT_TRUE(in) << entry.path();
    const std::string input{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NO_THROW(GetParam().run(input)) << entry.path();
    ++inputs;
  }
  EXPECT_GE(inputs, 2U) << "a fuzzer with nothing to begin with finds little";
}

TEST_P(corpus_test, has_no_promise_that_an_empty_input_breaks) {
  EXPECT_NO_THROW(GetParam().run(""));
}

INSTANTIATE_TEST_SUITE_P(fuzz, corpus_test, testing::ValuesIn(fuzz::all_targets),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(corpora, are_those_of_the_targets) {
  std::set<std::string> named, there;
  for (const fuzz::named_target& target : fuzz::all_targets) named.emplace(target.name);
  for (const fs::directory_entry& entry : fs::directory_iterator(corpora))
    there.insert(entry.path().filename());
  EXPECT_EQ(there, named);
}

TEST(promise, is_broken_by_another_error_and_by_one_without_a_message) {
  using fuzz::broken_promise, fuzz::ends_or_throws, fuzz::promise;
  const auto ends = [](const auto& error) {
    return ends_or_throws<std::runtime_error>([&] { throw error; });
  };
  EXPECT_FALSE(ends(std::runtime_error("said")));
  EXPECT_THROW((void)ends(std::runtime_error("")), broken_promise);
  EXPECT_THROW((void)ends(std::invalid_argument("of another kind")), std::invalid_argument);
  EXPECT_THROW((void)ends_or_throws<std::exception>([] { promise(false, "this"); }),
               broken_promise);
}

}  // namespace
}  // namespace syncmeter::corpora_test
