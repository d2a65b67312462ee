// The census of GPU code, from made-up text to verdicts.
#include "driver/census/rule/worker_census.hpp"

#include <unistd.h>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/census/rule/census_text.hpp"
#include "driver/commands/commands.hpp"
#include "tests/unit/census/sass_fixtures.hpp"

namespace syncmeter::sass_census_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t unroll = 4;

capability barrier(std::string declared = "BAR.SYNC 1") {
  capability what;
  what.backend = "cuda";
  what.op = "barrier";
  what.pairing = "self";
  what.supported = true;
  what.unroll = unroll;
  what.symbols = {"k0", "k1", "k2", "k4"};
  what.declares["sass"] = std::move(declared);
  return what;
}

/// The four kernels of an op that is this instruction, on one architecture.
std::string kernels_of(const std::string& architecture, const std::string& text,
                       std::array<std::size_t, 4> in_step = {1, 2, 3, 5}) {
  std::string functions;
  const std::array names{"k0", "k1", "k2", "k4"};
  for (std::size_t i = 0; i < names.size(); ++i)
    functions += sass_function(names[i], sass_kernel(repeated(text, unroll * in_step[i])));
  return sass_section(architecture, functions);
}

sass_source printing(std::string text) {
  return [text = std::move(text)](const std::string&, const kernel_names& names,
                                  const sass_sink& sink) {
    read_sass_text(text, [&](std::string_view architecture, std::string_view function,
                             std::span<const instruction> body) {
      const std::string name = names.wanted(function);
      if (!name.empty()) sink(architecture, name, body);
    });
  };
}

census_entry census_of(const capability& what, const std::string& text) {
  return take_sass_census("worker", {&what}, printing(text)).front();
}

const std::string barriers = kernels_of("sm_90", "BAR.SYNC.DEFER_BLOCKING 0x0");

TEST(SassCensus, ProvesWhatIsDeclaredAndCatchesWhatIsNot) {
  const census_entry good = census_of(barrier(), barriers);
  EXPECT_EQ(good.verdict, verdict::proven) << good.reason;
  EXPECT_EQ(good.architecture, "sm_90");
  EXPECT_EQ(to_text(good.per_op), "BAR.SYNC 1");

  EXPECT_EQ(census_of(barrier("WARPSYNC 1"), barriers).verdict, verdict::wrong);
  EXPECT_EQ(census_of(barrier("BAR.SYNC 2 | BAR.SYNC 1"), barriers).verdict, verdict::proven);
  EXPECT_EQ(census_of(barrier("nothing"), barriers).verdict, verdict::wrong);
  EXPECT_EQ(census_of(barrier(""), barriers).verdict, verdict::not_declared);
  const std::string merged = kernels_of("sm_90", "VOTE.ANY R0, PT, P0", {1, 1, 1, 1});
  EXPECT_EQ(census_of(barrier("VOTE.ANY 1"), merged).verdict, verdict::wrong);
  EXPECT_EQ(census_of(barrier("nothing"), merged).verdict, verdict::elided);
}

TEST(SassCensus, AMultiplyAddIsBookkeepingUnlessItIsNamed) {
  const std::string multiplies = kernels_of("sm_90", "IMAD R2, R3, R4, R5");
  EXPECT_EQ(census_of(barrier("imad 1"), multiplies).verdict, verdict::proven);
  EXPECT_EQ(census_of(barrier("imad 2"), multiplies).verdict, verdict::wrong);
  EXPECT_EQ(census_of(barrier("nothing"), multiplies).verdict, verdict::wrong);
  EXPECT_EQ(census_of(barrier("BAR.SYNC 1"), multiplies).verdict, verdict::wrong);
}

TEST(SassCensus, TakesEntriesWithoutAdditivity) {
  capability two = barrier();
  two.symbols.resize(2);
  EXPECT_EQ(census_of(two, barriers).verdict, verdict::proven);
  two.symbols.resize(1);
  EXPECT_EQ(census_of(two, barriers).verdict, verdict::not_proven);
}

TEST(SassCensus, GivesTheWorstOfSeveralArchitectures) {
  const std::string both = kernels_of("sm_100", "BAR.SYNC 0x0") + barriers;
  EXPECT_EQ(census_of(barrier(), both).verdict, verdict::proven);
  EXPECT_EQ(census_of(barrier(), both).architecture, "sm_90,sm_100");

  const std::string other = barriers + kernels_of("sm_80", "MEMBAR.SC.GPU");
  const census_entry worst = census_of(barrier(), other);
  EXPECT_EQ(worst.verdict, verdict::wrong);
  EXPECT_EQ(worst.architecture, "sm_80");
  EXPECT_THAT(worst.reason, HasSubstr("sm_80: expected BAR.SYNC 1, seen MEMBAR.SC.GPU 1"));

  capability declared = barrier();
  declared.declares["sm_80"] = "MEMBAR.SC.GPU 1";
  EXPECT_EQ(census_of(declared, other).verdict, verdict::proven);
}

TEST(SassCensus, NamesAKernelThatIsMissing) {
  EXPECT_THAT(census_of(barrier(), "").reason, HasSubstr("k0: the program holds no machine code"));
  capability what = barrier();
  what.symbols[2] = "gone";
  const census_entry entry = census_of(what, barriers);
  EXPECT_EQ(entry.verdict, verdict::not_proven);
  EXPECT_EQ(entry.reason, "gone: not in the program's code");
}

TEST(SassCensus, CatchesAPeeledStep) {
  std::string peeled = barriers;
  // A barrier where the clock was read, which is now read one instruction later.
  const auto instruction = [&peeled](const char* text, std::size_t from) {
    const auto at = peeled.find(text, from);
    return std::pair{at, peeled.find(" ;", at) - at};
  };
  const auto kernel = peeled.find("Function : k1");
  const auto [store, store_size] = instruction("STG.E.64", peeled.find("CS2R R8", kernel));
  const auto [reading, reading_size] = instruction("CS2R R8", kernel);
  const std::string clock = peeled.substr(reading, reading_size);
  peeled.replace(store, store_size, clock);
  peeled.replace(reading, reading_size, "BAR.SYNC 0x0");
  EXPECT_EQ(census_of(barrier(), peeled).verdict, verdict::not_proven);
}

TEST(SassCensus, TellsGpuCodeFromLaunchStubs) {
  EXPECT_TRUE(is_gpu_code(barrier()));
  capability undeclared = barrier();
  undeclared.declares.clear();
  EXPECT_TRUE(is_gpu_code(undeclared));
  undeclared.code = {"a", "b"};
  EXPECT_FALSE(is_gpu_code(undeclared));
  undeclared.declares["x86-64"] = "lock_add 1";
  EXPECT_FALSE(is_gpu_code(undeclared));
}

class without_cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (access("/usr/local/cuda/bin/cuobjdump", X_OK) == 0) GTEST_SKIP() << "cuobjdump is there";
    for (const char* name : {"PATH", "CUDA_HOME"}) {
      const char* value = std::getenv(name);
      if (value != nullptr) kept_[name] = value;
    }
    setenv("PATH", "/nonexistent", 1);
    unsetenv("CUDA_HOME");
  }
  void TearDown() override {
    for (const auto& [name, value] : kept_) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> kept_;
};
using SassCensusWithout = without_cuda;

TEST_F(SassCensusWithout, CuobjdumpSaysWhatToInstallAndFailsTheCheck) {
  const auto census = take_census("/proc/self/exe", {barrier()});
  EXPECT_EQ(census.front().verdict, verdict::not_proven);
  EXPECT_THAT(census.front().reason, HasSubstr("cuobjdump not found, install"));
  EXPECT_THAT(census.front().reason, HasSubstr("nvidia-cuda-cuobjdump"));
  EXPECT_THAT(census.front().reason, HasSubstr("nvidia-cuda-nvdisasm"));

  worker_info worker;
  worker.name = "cuda";
  worker.path = "/proc/self/exe";
  worker.backends = {"cuda"};
  worker.capabilities = {barrier()};
  census_options options;
  options.check = true;
  std::FILE* out = std::tmpfile();
  EXPECT_EQ(census_of_workers(options, {worker}, out), 1);
  std::fclose(out);
}

TEST(SassCensusTable, ShowsTheAxesOfGpuOpsOnlyWhereThereAreAny) {
  capability what = barrier();
  EXPECT_THAT(census_table({census_of(what, barriers)}), Not(HasSubstr("flavour")));
  what.scope = scope::block;
  what.flavour = flavour::ptx;
  const std::string table = census_table({census_of(what, barriers)});
  EXPECT_THAT(table, HasSubstr("scope  flavour  code for"));
  EXPECT_THAT(table, HasSubstr("block  ptx      sm_90"));
  EXPECT_THAT(table, Not(HasSubstr("space")));
}

TEST(SassCensusTable, WritesJsonAndASummaryForAResultsFile) {
  const census_entry entry = census_of(barrier(), barriers);
  EXPECT_EQ(census_json({entry}).at(0).at("architecture"), "sm_90");
  EXPECT_TRUE(census_json({entry}).at(0).at("scope").is_null());
  const auto summary = census_summary(entry);
  EXPECT_EQ(summary.at("verdict"), "proven");
  EXPECT_EQ(summary.at("architecture"), "sm_90");
  EXPECT_EQ(summary.at("per_op").at("BAR.SYNC"), 1.0);
  EXPECT_EQ(summary.at("baseline").at("BAR.SYNC"), unroll);
  EXPECT_EQ(summary.at("test").at("BAR.SYNC"), 2 * unroll);
}

}  // namespace
}  // namespace syncmeter::sass_census_test
