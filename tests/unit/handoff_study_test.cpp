// The points of the study handoff, and its tables from visits made by hand.
#include "cli/handoff_study.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/gpu_plan.hpp"
#include "cli_fixtures.hpp"
#include "gpu_fixtures.hpp"

namespace syncmeter::handoff_study_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;
using testing::SizeIs;

worker_info handoff_worker() {
  worker_info worker = fixtures::cuda_worker();
  for (const char* op : {"warp_handoff", "sm_handoff", "handoff_chain"}) {
    for (const scope s : {scope::device, scope::block, scope::system}) {
      capability row = fixtures::gpu_row(op, "handoff");
      row.min_lanes = 2;
      row.communicates = true;
      row.flavour = flavour::ptx;
      row.order = order::acq_rel;
      row.scope = s;
      if (row.op == "sm_handoff") row.size_of = "which multiprocessor";
      worker.capabilities.push_back(row);
    }
  }
  return worker;
}

std::vector<point> planned(const std::string& study, const std::string& op) {
  run_options options;
  options.study = study;
  const topology machine = topology::synthetic("core:2 pu:1");
  const campaign_plan plan = make_plan(options, {handoff_worker()}, machine, {});
  std::vector<point> points;
  for (const planned_point& p : plan.points) {
    if (p.what.op == op) points.push_back(p.what);
  }
  return points;
}

TEST(handoff_plan, across_blocks_no_form_of_a_block) {
  std::vector<std::string> all;
  for (const point& p : planned("handoff", "warp_handoff"))
    all.push_back(fmt::format("{}x{} {}", p.blocks, p.lanes, to_text(p.scope)));
  EXPECT_THAT(
      all, ElementsAre("1x64 device", "1x64 block", "1x64 system", "10x32 device", "10x32 system"));
}

TEST(handoff_plan, pairs_are_of_one_form_and_many_partners) {
  const std::vector<point> pairs = planned("handoff", "sm_handoff");
  EXPECT_THAT(pairs, SizeIs(24));
  EXPECT_EQ(pairs.front().size, 1U);
  EXPECT_TRUE(std::ranges::all_of(pairs, [](const point& p) {
    return p.blocks == 2 && p.lanes == 32 && p.scope == scope::device;
  }));
}

TEST(handoff_plan, other_studies_leave_them_out) {
  for (const char* op : {"warp_handoff", "sm_handoff", "handoff_chain"})
    EXPECT_THAT(planned("quick", op), IsEmpty()) << op;
  EXPECT_THAT(planned("quick", "handoff"), Not(IsEmpty()));
}

point handed(const std::string& op, scope to, order in, unsigned blocks, unsigned lanes,
             unsigned size = 0, flavour by = flavour::ptx) {
  point p;
  p.backend = "cuda";
  p.op = op;
  p.blocks = blocks;
  p.lanes = lanes;
  p.size = size;
  p.scope = to;
  p.flavour = by;
  p.order = in;
  return p;
}

void add(results_file& file, const point& what, double ns, const nlohmann::json& more = {}) {
  for (unsigned n = 1; n <= 3; ++n) {
    nlohmann::json line = fixtures::visit(
        what, n, "ok", {{.cost = ns * (1 + 0.001 * n), .low = 0.99 * ns, .high = 1.01 * ns}});
    line["device"] = 0;
    line["pus"] = std::vector<int>{};
    line["family"] = "handoff";
    line["cost_per_lane"] = true;
    if (n == 1 && !more.is_null()) line.update(more);
    line["polls_per_handoff"] = n;
    file.visits.push_back(line);
  }
}

results_file made_by_hand() {
  using enum scope;
  results_file file = fixtures::file_of({});
  file.campaign["options"] = {{"study", "handoff"}};
  add(file, handed("warp_handoff", device, order::acq_rel, 1, 64), 800,
      {{"violations_seen", 0}, {"litmus_handoffs", 8192}});
  add(file, handed("warp_handoff", block, order::acq_rel, 1, 64), 80);
  add(file, handed("warp_handoff", device, order::relaxed, 1, 64), 400,
      {{"violations_seen", 31}, {"litmus_handoffs", 8192}});
  add(file, handed("warp_handoff", device, order::acq_rel, 10, 32), 1300);
  add(file, handed("sm_handoff", device, order::acq_rel, 2, 32, 1), 700);
  add(file, handed("sm_handoff", device, order::acq_rel, 2, 32, 2), 720, {{"same_gpc", true}});
  add(file, handed("sm_handoff", device, order::acq_rel, 2, 32, 9), 760, {{"same_gpc", true}});
  add(file, handed("sm_handoff", device, order::acq_rel, 2, 32, 10), 900, {{"same_gpc", false}});
  add(file, handed("handoff_chain", device, order::acq_rel, 64, 1024), 2874);
  add(file, handed("handoff_chain", block, order::acq_rel, 64, 1024), 264);
  return file;
}

TEST(handoff_text, forms_are_over_the_device_form_of_the_same_ring) {
  const results_file file = made_by_hand();
  const std::string text = handoff_text(file, summarize(file));
  EXPECT_THAT(text, ContainsRegex("ld.acquire, st.release +block +80[.0-9]+ +0[.]1 "));
  EXPECT_THAT(text,
              ContainsRegex("ld.relaxed, st.relaxed +device +400[.0-9]* +0[.]5 .* 31 of 8192"));
  EXPECT_THAT(text, ContainsRegex("ld.acquire, st.release +device +1303 +1 "));
  EXPECT_THAT(text, HasSubstr("0 of 8192"));
  EXPECT_THAT(text, HasSubstr("- one block: ld.acquire, st.release at scope block is the cheapest "
                              "form that keeps data and flag in order, 80.16 ns"));
  EXPECT_THAT(text, HasSubstr("- 10 blocks: ld.acquire, st.release at scope device is"));
}

TEST(handoff_text, distances_are_grouped_by_what_told_the_gpc) {
  const results_file file = made_by_hand();
  const std::string text = handoff_text(file, summarize(file));
  EXPECT_THAT(text,
              AllOf(ContainsRegex("one multiprocessor +device +1 +701"),
                    ContainsRegex("of one GPC +device +2 +741.*721.*761"),
                    ContainsRegex("of two GPCs +device +1 +901"), Not(HasSubstr("GPC unknown")),
                    HasSubstr("farthest from multiprocessor 1: multiprocessor 10")));
}

TEST(handoff_text, the_chain_stands_beside_what_was_published) {
  const results_file file = made_by_hand();
  const std::string text = handoff_text(file, summarize(file));
  // 277 ms over 2^20 warps are 264 ns, and 0.0919 times the device's 3014 ms.
  EXPECT_THAT(text, ContainsRegex("ld.acquire, st.release +block +264[.0-9]* +264.2 +0.0919 .*"
                                  "0.0919 +(1[.]000|0[.]999)"));
}

TEST(handoff_text, polls_are_a_median_over_visits_and_messages_of_one) {
  const results_file file = made_by_hand();
  const std::vector<point_summary> points = summarize(file);
  const handoff_seen seen = seen_by_visits(file, points.front());
  EXPECT_THAT(seen.polls, Optional(DoubleEq(2)));
  EXPECT_THAT(seen.old_messages, Optional(0ULL));
  EXPECT_THAT(seen.messages, Optional(8192ULL));
  EXPECT_EQ(seen.same_gpc, std::nullopt);
}

TEST(handoff_text, other_studies_have_none) {
  results_file file = made_by_hand();
  file.campaign["options"] = {{"study", "quick"}};
  EXPECT_THAT(handoff_text(file, summarize(file)), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::handoff_study_test
