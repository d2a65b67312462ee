// Kernels whose threads update one address: blocks of the probe's file, and what is advised.
#include "driver/advise/kernel_rules.hpp"

#include <cstring>

#include <gmock/gmock.h>

#include "driver/advise/advise.hpp"
#include "driver/advise/device_code.hpp"
#include "probe/device_counts.hpp"
#include "probe/tables.hpp"

namespace syncmeter::kernel_rules_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A kernel's block, its instructions and its name, as the probe writes them.
std::string bytes_of(const probe::kernel_block& head,
                     const std::vector<probe::kernel_instruction>& instructions,
                     const std::string& name) {
  probe::kernel_block block = head;
  block.instructions = instructions.size();
  std::string bytes(reinterpret_cast<const char*>(&block), sizeof block);
  for (const probe::kernel_instruction& each : instructions)
    bytes.append(reinterpret_cast<const char*>(&each), sizeof each);
  return bytes + name + std::string(9, '\0');
}

probe::kernel_instruction instruction(probe::counted_event event, std::uint64_t threads,
                                      std::uint64_t parts) {
  return {.offset = 64,
          .event = static_cast<std::uint32_t>(event),
          .unused = 0,
          .threads = threads,
          .warps = 0,
          .parts = parts,
          .uncounted = 0,
          .cells = 0,
          .hottest = 0,
          .hottest_warps = 0};
}

/// Whether each of so many barriers, met on all multiprocessors, has a place as the patches look
/// for it.
bool all_have_places(unsigned barriers) {
  std::vector<std::uint64_t> places(probe::most_instructions);
  const auto has_place = [&](unsigned barrier, std::uint32_t part) {
    const std::uint64_t number = probe::number_of_instruction(
        0x7f00'0000'0000 + 16 * barrier, barrier / 4, probe::counted_event::barrier, part);
    for (std::uint32_t tried = 0; tried < probe::most_tried_of_part(part); ++tried) {
      std::uint64_t& place = places[probe::place_of_part(number, tried, part)];
      if (place == 0) place = number;
      if (place == number) return true;
    }
    return false;
  };
  for (unsigned barrier = 0; barrier < barriers; ++barrier)
    for (std::uint32_t part = 0; part < probe::most_parts; ++part)
      if (!has_place(barrier, part) && !has_place(barrier, 0)) return false;
  return true;
}

TEST(place_of_part, four_thousand_barriers_are_counted_wholly) {
  EXPECT_TRUE(all_have_places(4096));
  EXPECT_FALSE(all_have_places(probe::most_instructions)) << "the rest is said to be lost";
}

TEST(kernel_of_block, counts_are_by_event) {
  probe::kernel_block head{};
  head.launches = 3;
  head.updates = 1000;
  head.cells = 10;
  head.hottest = 900;
  head.hottest_warps = 30;
  const auto third = (std::uint64_t{1} << 32U) / 3;
  const auto found =
      kernel_of_block(bytes_of(head,
                               {instruction(probe::counted_event::update, 1000, 40),
                                instruction(probe::counted_event::shared_update, 500, 100),
                                instruction(probe::counted_event::barrier, 96, 3 * third),
                                instruction(probe::counted_event::cluster_wait, 64, 0),
                                instruction(probe::counted_event::object_wait, 32, 0)},
                               "_Z1kv"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "_Z1kv");
  EXPECT_EQ(found->launches, 3U);
  EXPECT_EQ(found->updates, 1000U);
  EXPECT_EQ(found->addresses, 10U);
  EXPECT_EQ(found->hottest, 900U);
  EXPECT_EQ(found->hottest_warps, 30U);
  EXPECT_EQ(shared_updates(*found), 500U);
  EXPECT_NEAR(found->barriers, 1, 1e-6);
  EXPECT_EQ(found->cluster_waits, 64U);
  EXPECT_EQ(found->object_waits, 32U);
  EXPECT_FALSE(found->is_at_least());
  ASSERT_THAT(found->by_instruction, SizeIs(2));
  EXPECT_EQ(found->by_instruction.front().warp_addresses, 40U);
}

TEST(kernel_of_block, what_had_no_room_is_at_least) {
  probe::kernel_instruction update = instruction(probe::counted_event::update, 10, 10);
  update.uncounted = 1;
  EXPECT_TRUE(kernel_of_block(bytes_of({}, {update}, "k"))->is_at_least());
  probe::kernel_block head{};
  head.is_cut_off = 1;
  EXPECT_TRUE(kernel_of_block(bytes_of(head, {}, "k"))->is_at_least());
  head = {};
  head.lost = 1;
  EXPECT_TRUE(kernel_of_block(bytes_of(head, {}, "k"))->is_at_least());
}

TEST(kernel_of_block, a_block_that_is_cut_short_is_none) {
  const std::string whole =
      bytes_of({}, {instruction(probe::counted_event::update, 10, 10)}, "kernel");
  for (const std::size_t length : {sizeof(probe::kernel_block) - 1, sizeof(probe::kernel_block),
                                   sizeof(probe::kernel_block) + 10})
    EXPECT_FALSE(kernel_of_block(std::string_view(whole).substr(0, length)));
  std::string many = whole;
  const std::uint64_t count = ~std::uint64_t{0};
  std::memcpy(many.data() + offsetof(probe::kernel_block, instructions), &count, sizeof count);
  EXPECT_FALSE(kernel_of_block(many));
}

TEST(kernel_of_block, kernels_of_two_processes_have_addresses_of_their_own) {
  kernel_use first;
  first.updates = 10, first.addresses = 2, first.hottest = 7;
  first.by_instruction = {{.offset = 8, .updates = 10, .addresses = 2, .hottest = 7}};
  kernel_use sum = first;
  first.hottest = 9, first.hottest_warps = 5;
  add_kernel(first, sum);
  EXPECT_EQ(sum.updates, 20U);
  EXPECT_EQ(sum.addresses, 4U);
  EXPECT_EQ(sum.hottest, 9U);
  EXPECT_EQ(sum.hottest_warps, 5U);
  ASSERT_THAT(sum.by_instruction, SizeIs(1));
  EXPECT_EQ(sum.by_instruction.front().updates, 20U);
}

/// A site whose kernel takes the GPU so long, and updates one address so often.
site launching(double busy_s, std::uint64_t updates, std::uint64_t hottest,
               const std::string& operation = "RED.E.ADD.STRONG.GPU") {
  site of{.kind = "kernel_launch", .module = "/bin/app", .count = 10, .threads = 1};
  of.device = device_times{.works = 10, .busy = {.sum_ns = busy_s * 1e9}};
  kernel_use kernel;
  kernel.name = "count";
  kernel.launches = 10;
  kernel.updates = updates;
  kernel.addresses = updates == hottest ? 1 : 100;
  kernel.hottest = hottest;
  kernel.by_instruction = {{.offset = 64,
                            .updates = updates,
                            .warp_addresses = updates,
                            .addresses = kernel.addresses,
                            .hottest = hottest,
                            .operation = operation,
                            .place = "count.cu:7"}};
  of.kernels = {kernel};
  return of;
}

/// Of a block of 1024 threads with 16 adds each.
price adds_per_ns(const std::string& op, double rate) {
  price one;
  one.what.backend = "cuda";
  one.what.op = op;
  one.what.lanes = 1024;
  one.what.blocks = 1;
  one.what.size = 1;
  const double ns = 1024 * 16 / rate;
  one.cost_ns = {ns, ns, ns};
  return one;
}

advice_setting setting_with(std::vector<price> prices) {
  return {.wall_s = 2, .plain_wall_s = {2, 2, 2}, .prices = std::move(prices)};
}

std::vector<advice> advised(const std::vector<site>& sites, const advice_setting& setting) {
  std::vector<std::string> notes;
  return advise_on_kernels(sites, setting, notes);
}

const std::vector<price> both{adds_per_ns("accumulate_atomic", 0.5),
                              adds_per_ns("accumulate_fixed", 1.25)};

TEST(advise_on_kernels, one_address_is_a_floor_by_the_price_of_its_type) {
  // 1e9 updates take 0.8 s of an integer, 2 s of a float.
  const std::vector<site> integers{launching(1, 1'000'000'000, 1'000'000'000)};
  std::vector<advice> found = advised(integers, setting_with(both));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().rule, "hot_address");
  EXPECT_EQ(found.front().site_id, 1U);
  EXPECT_EQ(found.front().kind, "bound");
  EXPECT_DOUBLE_EQ(found.front().at_most_s, 1);
  EXPECT_DOUBLE_EQ(found.front().at_least_s, 0);
  EXPECT_TRUE(found.front().of_plain_runs);
  EXPECT_THAT(found.front().text,
              AllOf(HasSubstr("kernel count (count.cu:7)"),
                    HasSubstr("updates one address of the GPU's memory 1,000,000,000 times"),
                    HasSubstr("0.8 s at least"), HasSubstr("takes 0.8 ns"), HasSubstr("privatize"),
                    HasSubstr("at most all")));
  EXPECT_THAT(found.front().cause, Not(HasSubstr("at most all")));
  const std::vector<site> floats{
      launching(3, 1'000'000'000, 1'000'000'000, "RED.E.ADD.F32.FTZ.RN.STRONG.GPU")};
  found = advised(floats, setting_with(both));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.front().text, HasSubstr("2 s at least"));
}

TEST(advise_on_kernels, a_kernel_that_does_other_work_longer_is_none) {
  // 0.8 s of 1.59 and of 1.61 s.
  const auto found_of = [](double busy_s) {
    return advised({launching(busy_s, 1'000'000'000, 1'000'000'000)}, setting_with(both));
  };
  EXPECT_THAT(found_of(1.59), SizeIs(1));
  EXPECT_THAT(found_of(1.61), IsEmpty());
  // As many updates of many addresses take no such time.
  EXPECT_THAT(advised({launching(1, 1'000'000'000, 10'000'000)}, setting_with(both)), IsEmpty());
  EXPECT_THAT(advised({launching(1, 1'000'000'000, 1'000'000'000)}, setting_with({})), IsEmpty());
}

TEST(advise_on_kernels, a_price_beyond_what_the_gpu_took_is_no_floor) {
  // 0.8 s by its price.
  const auto found_of = [](double busy_s, std::vector<std::string>& notes) {
    return advise_on_kernels({launching(busy_s, 1'000'000'000, 1'000'000'000)}, setting_with(both),
                             notes);
  };
  std::vector<std::string> notes;
  const auto found = found_of(0.7, notes);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.front().text, HasSubstr("0.7 s at least"));
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_THAT(found_of(0.5, notes), IsEmpty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("would take 0.8 s, and the GPU takes 0.5 s for all")));
  site of = launching(1, 1'000'000'000, 1'000'000'000);
  of.kernels.push_back(of.kernels.front());
  notes.clear();
  EXPECT_THAT(advise_on_kernels({of}, setting_with(both), notes), IsEmpty());
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("of 2 kernels would take 1.6 s, and the GPU takes "
                                                 "1 s for all"),
                                       HasSubstr("some of them are faster"))));
}

TEST(advise_on_kernels, what_to_change_goes_by_warps_and_by_addresses) {
  site of = launching(1, 1'000'000'000, 1'000'000'000);
  const auto text = [&] { return advised({of}, setting_with(both)).front().text; };
  EXPECT_THAT(text(), Not(HasSubstr("In each warp")));
  of.kernels.front().by_instruction.front().warp_addresses = 1'000'000'000 / 32;
  EXPECT_THAT(text(), HasSubstr("In each warp 32 threads"));
  of.kernels.front().addresses = 1'000'000;
  EXPECT_THAT(text(), AllOf(HasSubstr("In each warp"), Not(HasSubstr("privatize"))));
  of.kernels.front().by_instruction.front().warp_addresses = 1'000'000'000;
  EXPECT_THAT(text(), HasSubstr("several copies"));
  of.kernels.front().is_cut_off = true;
  EXPECT_THAT(text(), HasSubstr("at least 1,000,000,000 times"));
}

TEST(advise_on_kernels, it_is_among_the_advice_on_a_program) {
  std::vector<std::string> notes;
  const auto found =
      advise_on({launching(1, 1'000'000'000, 1'000'000'000)}, setting_with(both), notes);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().rule, "hot_address");
}

TEST(find_updates_in_code, opcodes_and_lines_are_by_kernel_and_offset) {
  device_code_reader reader("/bin/app");
  for (const char* line : {".text._Z5countPj:", "\t//## File \"/src/count.cu\", line 12",
                           "        /*0040*/                   RED.E.ADD.F32.FTZ.RN.STRONG.GPU "
                           "desc[UR4][R2.64], R5 ;"})
    reader.add_line(line, "sm_90");
  const std::vector<site> code = reader.finish();
  std::vector<site> sites{launching(1, 5, 5, ""), launching(1, 5, 5, "")};
  sites[0].kernels.front().name = "_Z5countPj";
  sites[1].kernels.front().name = "_Z5otherPj";
  for (site& each : sites) each.kernels.front().by_instruction.front().place.clear();
  find_updates_in_code(code, sites);
  const update_use& found = sites[0].kernels.front().by_instruction.front();
  EXPECT_THAT(found.operation, HasSubstr("F32"));
  EXPECT_EQ(found.place, "count.cu:12");
  EXPECT_EQ(sites[0].kernels.front().name, "count");
  EXPECT_THAT(sites[1].kernels.front().by_instruction.front().operation, IsEmpty());
}

TEST(advice_text, kernels_have_a_table) {
  program_counts of{
      .command = {"app"}, .file = {}, .runs = {}, .of_last_run = {}, .advices = {}, .notes = {}};
  of.runs = {{.arm = "plain", .wall_s = 2}, {.arm = "time", .wall_s = 2}};
  of.runs.push_back({.arm = "kernels", .wall_s = 9});
  of.of_last_run.processes = 1;
  of.of_last_run.sites = {launching(1, 1000, 900)};
  of.of_last_run.sites.front().kernels.front().has_lost = true;
  of.of_last_run.sites.front().kernels.front().barriers = 6.9999;
  const std::string text = advice_text(of, {});
  EXPECT_THAT(text, AllOf(HasSubstr("1 run with patched kernels: 9 s"), HasSubstr(">= 1,000"),
                          HasSubstr("90.0 %"), HasSubstr(">= 7\n")));
}

}  // namespace
}  // namespace syncmeter::kernel_rules_test
