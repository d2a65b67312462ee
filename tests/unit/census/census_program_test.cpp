// The census of a real program: this one, whose loops below are written in assembly, so that no
// compiler stands between what is expected and what objdump shows.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "driver/census/rule/census_text.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/commands/commands.hpp"
#include "driver/text/messages.hpp"

#if defined(__x86_64__)

// A loop of 4 steps with `ops` lock-adds each, the retry of a failed one behind the return.
asm(R"(
.text
.macro fixture_loop name, ops, extra
.globl \name
.type \name, @function
\name:
1:
.rept \ops
  lock addl $1, (%rdi)
  lock addl $1, (%rdi)
  lock addl $1, (%rdi)
  lock addl $1, (%rdi)
.endr
.rept \extra
  mov (%rdi), %eax
.endr
  decl %esi
  jne 1b
  ret
.size \name, .-\name
.p2align 4
.endm
fixture_loop census_fixture_0, 1, 0
fixture_loop census_fixture_1, 2, 0
fixture_loop census_fixture_2, 3, 0
fixture_loop census_fixture_4, 5, 0
fixture_loop census_fixture_leaky, 2, 1
)");

namespace syncmeter::census_program_test {
namespace {

using testing::HasSubstr;

// Not "/proc/self/exe": there objdump would find itself.
std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

capability fixture(std::string op, std::string second = "census_fixture_1") {
  capability what;
  what.backend = "test";
  what.op = std::move(op);
  what.pairing = "self";
  what.supported = true;
  what.unroll = 4;
  what.code = {"a", "b"};
  what.symbols = {"census_fixture_0", std::move(second), "census_fixture_2", "census_fixture_4"};
  what.declares["x86-64"] = "lock_add 1";
  return what;
}

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

struct outcome {
  int status = 0;
  std::string text;
};

outcome run_census(const census_options& options, const std::vector<worker_info>& workers) {
  const std::unique_ptr<std::FILE, file_closer> out(std::tmpfile());
  outcome seen{census_of_workers(options, workers, out.get()), {}};
  std::rewind(out.get());
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), out.get())) > 0;) {
    seen.text.append(part.data(), n);
  }
  return seen;
}

worker_info worker_with(std::vector<capability> entries) {
  return {.name = "test",
          .path = this_program(),
          .problem = {},
          .backends = {"test"},
          .build = {{"compiler", "as"}},
          .capabilities = std::move(entries)};
}

class CensusProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("objdump --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "objdump is not installed";
  }
};

TEST_F(CensusProgram, ProvesRealCode) {
  const auto census = take_census(this_program(), {fixture("add"), fixture("same")});
  ASSERT_EQ(census.size(), 2U);
  EXPECT_EQ(census[0].verdict, verdict::proven) << census[0].reason;
  EXPECT_EQ(census[0].loops[0].instructions, 6);
  EXPECT_EQ(census[0].loops[1].instructions, 10);
  EXPECT_EQ(census[0].same_code_group, 1U);
  EXPECT_EQ(census[1].same_code_group, 1U);
}

TEST_F(CensusProgram, RefusesACasThatFailsWithTheCodeOfOneThatPasses) {
  capability pass = fixture("atomic_cas_pass"), fail = fixture("atomic_cas_fail");
  const auto equal = take_census(this_program(), {pass, fail, fixture("add")});
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(equal[i].verdict, verdict::wrong);
    EXPECT_THAT(equal[i].reason, HasSubstr("atomic_cas_pass and atomic_cas_fail are the same"));
  }
  EXPECT_EQ(equal[2].verdict, verdict::proven);

  fail.code = {"a", "c"};
  for (const census_entry& entry : take_census(this_program(), {pass, fail}))
    EXPECT_EQ(entry.verdict, verdict::proven) << entry.reason;
}

TEST_F(CensusProgram, CatchesOneLoadPerTrip) {
  const auto census = take_census(this_program(), {fixture("leaky", "census_fixture_leaky")});
  EXPECT_EQ(census.front().verdict, verdict::wrong);
  EXPECT_THAT(census.front().reason, HasSubstr("seen load 0.25, lock_add 1"));
}

TEST_F(CensusProgram, NamesASymbolThatIsNotThere) {
  const auto census = take_census(this_program(), {fixture("gone", "census_fixture_3")});
  EXPECT_EQ(census.front().verdict, verdict::not_proven);
  EXPECT_THAT(census.front().reason,
              HasSubstr("census_fixture_3: not in the program's symbol tables"));
}

TEST_F(CensusProgram, TakesPathsWithBlanksAndQuotes) {
  const auto copy =
      std::filesystem::path(testing::TempDir()) / fmt::format("-a worker's $(copy) {}", ::getpid());
  std::filesystem::copy_file("/proc/self/exe", copy,
                             std::filesystem::copy_options::overwrite_existing);
  const auto census = take_census(copy.string(), {fixture("add")});
  std::filesystem::remove(copy);
  EXPECT_EQ(census.front().verdict, verdict::proven) << census.front().reason;
}

TEST_F(CensusProgram, ChecksByExitStatus) {
  census_options check;
  check.check = true;
  const outcome good = run_census(check, {worker_with({fixture("add")})});
  EXPECT_EQ(good.status, 0) << good.text;
  EXPECT_THAT(good.text, HasSubstr("lock_add 1"));
  EXPECT_THAT(good.text, HasSubstr("1 entry: 1 proven"));

  const worker_info defective =
      worker_with({fixture("add"), fixture("leaky", "census_fixture_leaky")});
  const outcome bad = run_census(check, {defective});
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.text, HasSubstr("leaky: wrong: expected lock_add 1, seen load 0.25"));
  EXPECT_EQ(run_census({}, {defective}).status, 1) << "wrong without --check too";

  check.ops = {"add"};
  EXPECT_EQ(run_census(check, {defective}).status, 0);
}

TEST_F(CensusProgram, WritesJsonThatReadsBack) {
  census_options options;
  options.json = true;
  const auto read =
      nlohmann::json::parse(run_census(options, {worker_with({fixture("add")})}).text);
  const auto& entry = read.at("workers").at(0).at("entries").at(0);
  EXPECT_EQ(entry.at("verdict"), "proven");
  EXPECT_EQ(entry.at("per_op").at("lock_add"), 1.0);
  EXPECT_EQ(entry.at("loops").at(1).at("lock_add"), 8);
  EXPECT_EQ(entry.at("loop_instructions"), nlohmann::json({6, 10, 14, 22}));
}

TEST(CensusWithout, ObjdumpSaysWhatToInstall) {
  const char* path = std::getenv("PATH");
  const std::string kept = path == nullptr ? "" : path;
  setenv("PATH", "/nonexistent", 1);
  const auto census = take_census(this_program(), {fixture("add"), fixture("again")});
  const outcome seen = run_census({}, {worker_with({fixture("add"), fixture("again")})});
  setenv("PATH", kept.c_str(), 1);
  EXPECT_EQ(census.front().verdict, verdict::not_proven);
  EXPECT_EQ(census.front().reason, "objdump not found, install binutils");
  EXPECT_THAT(seen.text,
              HasSubstr("\nnot proven: 2 entries: objdump not found, install binutils\n\n"));
  EXPECT_EQ(seen.status, 0);
}

TEST(CensusWithout, SymbolsOrSupportIsNoFault) {
  capability nameless = fixture("nameless");
  nameless.symbols.clear();
  capability unsupported = fixture("unsupported");
  unsupported.supported = false;
  const auto census = take_census(this_program(), {nameless, unsupported});
  ASSERT_EQ(census.size(), 1U);
  EXPECT_EQ(census.front().verdict, verdict::no_symbol);
}

TEST(CensusWithout, AnythingToCheckTheCheckFails) {
  census_options check;
  check.check = true;
  EXPECT_EQ(run_census(check, {}).status, 1);
  worker_info broken = worker_with({});
  broken.problem = "it crashed";
  const outcome seen = run_census(check, {broken});
  EXPECT_EQ(seen.status, 1);
  EXPECT_THAT(seen.text, HasSubstr("worker test: it crashed"));
}

std::string usage_message(const std::vector<std::string>& arguments) {
  try {
    (void)run_census(parse_census_options(arguments), {worker_with({fixture("add")})});
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CensusOptions, NameWhatIsWrongAndWhatIsAllowed) {
  EXPECT_THAT(usage_message({"--type", "int32,int"}),
              HasSubstr("--type: unknown type 'int'; allowed: int32, uint32"));
  EXPECT_THAT(usage_message({"--order", "strong"}), HasSubstr("allowed: unordered, relaxed"));
  EXPECT_EQ(usage_message({"--op", "addd"}), "--op: 'addd' is not one of add");
  EXPECT_EQ(usage_message({"--backend", "cuda"}), "--backend: 'cuda' is not one of test");
  EXPECT_THAT(usage_message({"--op", "add,,x"}), HasSubstr("--op: 'add,,x'"));
  EXPECT_THAT(usage_message({"--chek"}), HasSubstr("did you mean '--check'?"));
  EXPECT_THAT(usage_message({"add"}), HasSubstr("unexpected argument 'add'"));
  const census_options all =
      parse_census_options({"--op", "a,b", "--order", "seq_cst", "--json", "--check"});
  EXPECT_EQ(all.ops, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(all.orders, (std::vector<order>{order::seq_cst}));
  EXPECT_TRUE(all.json && all.check);
}

}  // namespace
}  // namespace syncmeter::census_program_test

#endif
