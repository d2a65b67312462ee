// The options of `syncmeter run` that only GPUs have.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/plan/options.hpp"

namespace syncmeter::gpu_options_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string mistake(const std::string& argument) {
  try {
    (void)parse_run({argument});
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(gpu_options, are_read_and_kept_in_a_results_file) {
  const run_options o =
      parse_run({"--blocks=1,3-5,sm/2,sm,2sm,max", "--scope=block,system", "--api=ptx",
                 "--space=global,shared_memory", "--active=1,32", "--device=3", "--waves"})
          .options;
  using block_symbol = count_range::symbol;
  EXPECT_THAT(
      o.blocks,
      ElementsAre(count_range{1, 1, block_symbol::none}, count_range{3, 5, block_symbol::none},
                  count_range{1, 1, block_symbol::half_sm}, count_range{1, 1, block_symbol::sm},
                  count_range{1, 1, block_symbol::two_sm}, count_range{1, 1, block_symbol::max}));
  EXPECT_THAT(o.scopes, ElementsAre(scope::block, scope::system));
  EXPECT_THAT(o.flavours, ElementsAre(flavour::ptx));
  EXPECT_THAT(o.spaces, ElementsAre(space::global, space::shared_memory));
  EXPECT_THAT(o.actives, ElementsAre(1U, 32U));
  EXPECT_EQ(o.devices, std::vector{3U});
  EXPECT_TRUE(o.waves);
  const auto again = nlohmann::json::parse(nlohmann::json(o).dump()).get<run_options>();
  EXPECT_EQ(nlohmann::json(again), nlohmann::json(o));
  EXPECT_EQ(again.blocks, o.blocks);
  EXPECT_EQ(again.scopes, o.scopes);
  EXPECT_EQ(again.flavours, o.flavours);
  EXPECT_EQ(again.spaces, o.spaces);
  EXPECT_EQ(again.actives, o.actives);
  EXPECT_EQ(again.devices, o.devices);
  EXPECT_EQ(again.waves, o.waves);
}

TEST(gpu_options, several_gpus_are_read_and_kept_and_one_is_kept_as_before) {
  const auto kept = [](const std::string& text) {
    return nlohmann::json(parse_run({"--device=" + text}).options).at("device").dump();
  };
  EXPECT_EQ(kept("2"), "2");
  EXPECT_EQ(kept("1,3"), "[1,3]");
  EXPECT_EQ(kept("all"), "\"all\"");
  for (const char* text : {"2", "1,3", "all"}) {
    const nlohmann::json written = parse_run({fmt::format("--device={}", text)}).options;
    EXPECT_EQ(nlohmann::json(written.get<run_options>()), written);
  }
}

TEST(gpu_options, visits_are_the_devices_own_unless_given_and_stay_so_in_a_file) {
  const run_options none = nlohmann::json(parse_run({}).options).get<run_options>();
  EXPECT_FALSE(none.visits);
  const run_options seven =
      nlohmann::json(parse_run({"--repetitions=7"}).options).get<run_options>();
  EXPECT_EQ(seven.visits, 7U);
}

TEST(gpu_options, mistakes_say_what_is_allowed) {
  EXPECT_EQ(mistake("--blocks=4x"),
            "--blocks: '4x' is not a number, a range such as 4-8, sm/2, sm, 2sm or max");
  EXPECT_THAT(mistake("--blocks=sm/4"), HasSubstr("'sm/4'"));
  EXPECT_THAT(mistake("--blocks=0"), HasSubstr("out of range: blocks go from 1 to"));
  EXPECT_THAT(mistake("--blocks=8-4"), HasSubstr("is a descending range; write 4-8"));
  EXPECT_THAT(mistake("--scope=none"), AllOf(HasSubstr("'none' cannot be chosen"),
                                             HasSubstr("allowed: block, device, system")));
  EXPECT_THAT(mistake("--scope=grid"), HasSubstr("unknown scope 'grid'"));
  EXPECT_THAT(mistake("--api=functoin"), HasSubstr("did you mean 'function'?"));
  EXPECT_THAT(mistake("--active=33"), HasSubstr("'33' is not a whole number from 1 to 32"));
  EXPECT_THAT(mistake("--device=-1"), HasSubstr("--device"));
}

}  // namespace
}  // namespace syncmeter::gpu_options_test
