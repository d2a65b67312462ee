// Which points a study makes on a GPU: forms, launches, active lanes, and what does not fit.
#include "driver/plan/gpu_plan.hpp"

#include <gmock/gmock.h>

#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/gpu_fixtures.hpp"

namespace syncmeter::gpu_plan_test {
namespace {

using fixtures::cuda_worker;
using fixtures::small_gpu;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

campaign_plan plan_for(const run_options& options,
                       const std::vector<worker_info>& workers = {cuda_worker()}) {
  const topology machine = topology::synthetic("core:2 pu:1");
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  return make_plan(options, workers, machine, grant);
}

run_options with_ops(std::vector<std::string> ops, std::string study = "quick") {
  run_options options;
  options.study = std::move(study);
  options.ops = std::move(ops);
  return options;
}

std::string mistake(const run_options& options,
                    const std::vector<worker_info>& workers = {cuda_worker()}) {
  try {
    (void)plan_for(options, workers);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no mistake";
}

// "blocks x threads", in the plan's order.
std::vector<std::string> launches(const campaign_plan& plan, const std::string& op) {
  std::vector<std::string> all;
  for (const planned_point& p : plan.points) {
    if (p.what.op == op) all.push_back(fmt::format("{} x {}", p.what.blocks, p.what.lanes));
  }
  return all;
}

std::vector<std::string> reasons(const campaign_plan& plan) {
  std::vector<std::string> all;
  for (const refused_point& r : plan.refused)
    all.push_back(r.what.op + " " + r.status + ": " + r.reason);
  return all;
}

TEST(gpu_devices, what_co_resides_is_bounded_by_threads_and_by_blocks) {
  EXPECT_EQ(co_resident_blocks(small_gpu(), 1024), 20U);
  EXPECT_EQ(co_resident_blocks(small_gpu(), 786), 20U) << "25 warps, and 2 blocks of them";
  EXPECT_EQ(co_resident_blocks(small_gpu(), 64), 320U);
  EXPECT_EQ(co_resident_blocks(small_gpu(), 1), 320U);
  EXPECT_EQ(resolve({.named = count_range::symbol::half_sm}, small_gpu(), 32), std::pair(5U, 5U));
  EXPECT_EQ(resolve({.named = count_range::symbol::max}, small_gpu(), 512), std::pair(40U, 40U));
  EXPECT_EQ(resolve({.first = 3, .last = 7}, small_gpu(), 512), std::pair(3U, 7U));
}

TEST(gpu_plan, quick_takes_standard_forms_of_one_type_at_three_launches) {
  const campaign_plan plan = plan_for({});
  EXPECT_THAT(launches(plan, "barrier"), ElementsAre("1 x 32", "1 x 1024", "10 x 1024"));
  EXPECT_THAT(launches(plan, "critical_add"), ElementsAre("1 x 32", "1 x 1024", "10 x 1"));
  EXPECT_THAT(launches(plan, "handoff"), ElementsAre("1 x 1024", "10 x 1024"));
  EXPECT_THAT(launches(plan, "memory_latency_l2"), ElementsAre("1 x 1"));
  EXPECT_THAT(launches(plan, "control_aa"), ElementsAre("1 x 32"));
  std::vector<unsigned> strides;
  EXPECT_THAT(launches(plan, "atomic_add"), SizeIs(2 * 3 + 1)) << "two placements, one by data";
  for (const planned_point& p : plan.points) {
    EXPECT_THAT(p.pus, IsEmpty());
    EXPECT_EQ(p.device, 0U);
    EXPECT_EQ(p.visits, 3U);
    EXPECT_EQ(p.what.affinity, affinity::none);
    EXPECT_EQ(p.what.wait, wait_policy::active);
    EXPECT_THAT(p.same_as, IsEmpty());
    if (p.what.op != "atomic_add") continue;
    EXPECT_THAT(canonical(p.what), AllOf(HasSubstr("type=int32"), HasSubstr("scope=device"),
                                         HasSubstr("flavour=function"), HasSubstr("space=global")));
    if (p.what.placement == placement::strided) strides.push_back(p.what.stride);
  }
  EXPECT_THAT(strides, UnorderedElementsAre(1, 1, 1, 0)) << "own variables, and one by data";
  EXPECT_THAT(
      reasons(plan),
      UnorderedElementsAre(
          "handoff unsupported: needs at least 2 warps, since one thread of each takes part",
          "atomic_cas_pass unsupported: there is no compare-and-swap of floating types"));
  EXPECT_NEAR(plan.predicted_s, static_cast<double>(plan.points.size()) * 3 * 0.022 + 3 * 0.9, 1e-9)
      << "repetitions, and a start for each pass";
}

TEST(gpu_plan, defaults_takes_each_form_as_it_is_written_and_no_other) {
  const campaign_plan plan = plan_for(with_ops({"atomic_add"}, "defaults"));
  EXPECT_THAT(launches(plan, "atomic_add"), SizeIs(3 * 3))
      << "three forms, two grids and one variable";
  for (const planned_point& p : plan.points) {
    EXPECT_EQ(p.what.placement, placement::strided);
    EXPECT_EQ(p.what.type, value_type::int32);
    EXPECT_EQ(p.what.scope, scope::device) << "a block is none of them: " << canonical(p.what);
  }
  EXPECT_EQ(plan.worker_starts, 3U);
  EXPECT_NEAR(plan.predicted_s, 3 * 3 * 3 * 0.047 + 3 * 0.9, 1e-9) << "the study's own repetitions";
  run_options options = with_ops({"atomic_add"}, "defaults");
  options.scopes = {scope::block};
  EXPECT_THAT(plan_for(options).points, SizeIs(3)) << "unless it is named";
}

TEST(gpu_plan, portability_sets_relaxed_beside_relaxed_whatever_an_api_takes_by_default) {
  worker_info triton = cuda_worker();
  triton.name = "triton";
  triton.backends = {"triton"};
  triton.gpus = {{"triton", triton.gpus.at("cuda")}};
  triton.native_of["triton"] = "cuda";
  std::erase_if(triton.capabilities,
                [](const capability& row) { return row.flavour != flavour::function; });
  std::vector<capability> in_order;
  for (capability row : triton.capabilities) {
    row.backend = "triton";
    row.order = order::acq_rel;
    in_order.push_back(row);
    row.order = order::relaxed;
    in_order.push_back(row);
  }
  triton.capabilities = in_order;
  run_options options = with_ops({"atomic_add"}, "portability");
  const campaign_plan plan = plan_for(options, {cuda_worker(), triton});
  const auto of_triton = std::ranges::count_if(
      plan.points, [](const planned_point& p) { return p.what.backend == "triton"; });
  EXPECT_GT(of_triton, 0);
  EXPECT_EQ(2 * of_triton, std::ssize(plan.points));
  for (const planned_point& p : plan.points) EXPECT_EQ(p.what.order, order::relaxed);
}

TEST(gpu_plan, axes_that_the_user_names_keep_one_form_for_each_value) {
  run_options options = with_ops({"atomic_add"});
  options.placements = {placement::shared};
  options.blocks = {{.named = count_range::symbol::sm}};
  options.lanes = {{.first = 32, .last = 33}, {.named = count_range::symbol::max}};
  EXPECT_THAT(launches(plan_for(options), "atomic_add"),
              ElementsAre("10 x 32", "10 x 33", "10 x 1024"));
  options.lanes = {{.first = 32, .last = 32}};
  options.scopes = {scope::device, scope::block};
  EXPECT_THAT(plan_for(options).points, SizeIs(2));
  options.flavours = {flavour::atomic_ref};
  ASSERT_THAT(plan_for(options).points, SizeIs(1));
  EXPECT_EQ(plan_for(options).points.front().what.order, order::relaxed) << "the first listed";
  options.orders = {order::relaxed, order::seq_cst};
  EXPECT_THAT(plan_for(options).points, SizeIs(2));
  options.scopes = {scope::block};
  EXPECT_THAT(reasons(plan_for(options)),
              ElementsAre(HasSubstr("does not offer this combination")));
  options.scopes = {scope::system};
  EXPECT_THAT(reasons(plan_for(options)),
              ElementsAre("atomic_add unsupported: has no scope system, only device, block"));
  options = with_ops({"barrier"});
  options.scopes = {scope::system};
  EXPECT_THAT(plan_for(options).points, SizeIs(3)) << "it has no scope to choose";
}

TEST(gpu_plan, lanes_are_switched_off_only_where_that_can_be) {
  run_options options = with_ops({"atomic_add", "barrier", "fence"});
  options.placements = {placement::shared};
  options.blocks = {{.first = 1, .last = 1}};
  options.lanes = {{.first = 48, .last = 48}, {.first = 64, .last = 64}};
  options.actives = {8, 32};
  const campaign_plan plan = plan_for(options);
  std::vector<std::string> adds;
  for (const planned_point& p : plan.points) {
    if (p.what.op == "atomic_add")
      adds.push_back(fmt::format("{}/{}", p.what.lanes, p.what.active));
  }
  EXPECT_THAT(adds, ElementsAre("48/0", "64/8", "64/0")) << "32 of 32 are all";
  EXPECT_THAT(
      reasons(plan),
      testing::IsSupersetOf(
          {HasSubstr("atomic_add unsupported: --active 8 with --threads 48: the threads per block "
                     "must be a multiple of 32"),
           HasSubstr("barrier unsupported: --active is not supported by this operation"),
           HasSubstr("fence unsupported: --active 8: the backend does not support this form")}));
}

TEST(gpu_plan, what_does_not_run_at_once_is_refused_with_what_does_unless_in_waves) {
  run_options options = with_ops({"barrier"});
  options.lanes = {{.first = 1024, .last = 1024}};
  options.blocks = {{.named = count_range::symbol::max}, {.first = 21, .last = 22}};
  campaign_plan plan = plan_for(options);
  EXPECT_THAT(launches(plan, "barrier"), ElementsAre("20 x 1024"));
  EXPECT_THAT(reasons(plan), SizeIs(2)) << "each launch is told";
  EXPECT_THAT(
      reasons(plan),
      Each(HasSubstr("at most 20 blocks of 1024 threads are co-resident on this device; --waves")));
  options.waves = true;
  plan = plan_for(options);
  ASSERT_THAT(plan.points, SizeIs(3));
  EXPECT_FALSE(plan.points[0].what.waves) << "it fits";
  EXPECT_TRUE(plan.points[1].what.waves);
}

// A wave ends when its warps have passed the token on, and they wait for it to come back.
TEST(gpu_plan, no_token_goes_round_in_waves) {
  run_options options = with_ops({"handoff"});
  options.lanes = {{.first = 1024, .last = 1024}};
  options.blocks = {{.first = 20, .last = 21}};
  options.waves = true;
  const campaign_plan plan = plan_for(options);
  EXPECT_THAT(launches(plan, "handoff"), ElementsAre("20 x 1024"));
  EXPECT_THAT(reasons(plan),
              ElementsAre(HasSubstr("handoff unsupported: --waves is not supported by a handoff")));
}

// Where a lane is a warp each one hands on, in its block.
TEST(gpu_plan, a_ring_of_lanes_needs_two_in_a_block) {
  worker_info worker = cuda_worker();
  for (capability& row : worker.capabilities) row.ring_of_lanes = row.family == "handoff";
  run_options options = with_ops({"handoff"});
  options.lanes = {{.first = 1, .last = 2}};
  options.blocks = {{.first = 1, .last = 1}, {.first = 10, .last = 10}};
  const campaign_plan plan = plan_for(options, {worker});
  EXPECT_THAT(launches(plan, "handoff"), UnorderedElementsAre("1 x 2", "10 x 2"));
  EXPECT_THAT(reasons(plan), Each("handoff unsupported: needs at least 2 threads"));
}

TEST(gpu_plan, additivity_only_where_its_loops_are_built) {
  run_options options = with_ops({"atomic_add"});
  options.additivity = true;
  options.types = {value_type::int32, value_type::float32};
  options.visits = 2;
  for (const planned_point& p : plan_for(options).points) {
    EXPECT_EQ(p.additivity, p.what.type == value_type::int32);
    EXPECT_EQ(p.visits, 2U);
  }
}

TEST(gpu_plan, control_and_paper_have_their_launches_and_forms) {
  const campaign_plan control = plan_for(with_ops({}, "control"));
  EXPECT_THAT(launches(control, "control_aa"), SizeIs(100));
  EXPECT_THAT(launches(control, "barrier"),
              ElementsAre("1 x 32", "1 x 64", "1 x 128", "1 x 256", "1 x 512", "1 x 1024"));
  std::size_t one_address = 0, own_cells = 0;
  for (const planned_point& p : control.points) {
    EXPECT_EQ(p.additivity, p.what.op == "barrier") << p.what.op;
    if (p.what.op != "atomic_add") continue;
    EXPECT_EQ(p.what.placement, placement::strided);
    (p.what.stride == 0 ? one_address : own_cells) += 1;
  }
  EXPECT_EQ(one_address, 2U * 4U) << "int32 and float at {1, 20} x {32, 1024}";
  EXPECT_EQ(own_cells, 1U);

  const campaign_plan paper = plan_for(with_ops({}, "paper"));
  EXPECT_THAT(launches(paper, "barrier"), SizeIs(5 * 12));
  EXPECT_THAT(launches(paper, "fence"), SizeIs(5 * 11 * 3)) << "each scope";
  // Shared and six strides at two types, and fewer active lanes at int32 in both placements.
  EXPECT_THAT(launches(paper, "atomic_add"), SizeIs(2 * 55 * 7 + 2 * 4 * 5));
}

TEST(gpu_plan, rounds_are_queued_in_paper_where_no_cost_is_by_the_hosts_clock) {
  const auto most_at_once = [](const campaign_plan& plan) {
    unsigned most = 0;
    for (const planned_point& p : plan.points) most = std::max(most, p.rounds_at_once);
    return most;
  };
  EXPECT_EQ(most_at_once(plan_for(with_ops({}, "paper"))), 16U);
  EXPECT_EQ(most_at_once(plan_for({})), 1U) << "quick compares backends";
  for (const planned_point& p :
       plan_for(with_ops({}, "paper"), {fixtures::omp_worker(), cuda_worker()}).points)
    EXPECT_EQ(p.rounds_at_once, p.device ? 16U : 1U) << "a CPU has no queue";
  worker_info portable = cuda_worker();
  portable.native_of["cuda"] = "another";
  EXPECT_EQ(most_at_once(plan_for(with_ops({}, "paper"), {portable})), 1U);
}

TEST(gpu_plan, atomics_takes_every_form_and_is_for_gpus) {
  const campaign_plan plan = plan_for(with_ops({}, "atomics"));
  // int32: 4 forms, shared and at two strides; float: its standard form, shared and at stride 1.
  EXPECT_THAT(launches(plan, "atomic_add"), SizeIs(2 * (4 * 3 + 2)));
  EXPECT_THAT(mistake(with_ops({}, "atomics"), {fixtures::omp_worker()}),
              HasSubstr("--study: 'atomics' needs a GPU backend"));
  const campaign_plan both =
      plan_for(with_ops({}, "atomics"), {fixtures::omp_worker(), cuda_worker()});
  for (const planned_point& p : both.points) EXPECT_EQ(p.what.backend, "cuda");
}

TEST(gpu_plan, cpus_and_gpus_share_a_campaign) {
  run_options options = with_ops({"barrier"});
  options.lanes = {{.named = count_range::symbol::max}};
  const campaign_plan plan = plan_for(options, {fixtures::omp_worker(), cuda_worker()});
  std::vector<std::string> all;
  for (const planned_point& p : plan.points)
    all.push_back(fmt::format("{} {} {}", p.what.backend, p.what.lanes, p.visits));
  EXPECT_THAT(all, ElementsAre("omp 2 5", "cuda 1024 3", "cuda 1024 3"));
}

TEST(gpu_plan, options_that_cannot_be_met_are_mistakes) {
  run_options options;
  options.devices = {3};
  worker_info two = cuda_worker();
  two.gpus["cuda"].devices.push_back(small_gpu(1, "Other GPU"));
  EXPECT_THAT(mistake(options, {two}), AllOf(HasSubstr("--device: backend 'cuda' has no device 3"),
                                             HasSubstr("0 (Small GPU), 1 (Other GPU)")));
  options.devices = {1};
  EXPECT_EQ(plan_for(options, {two}).points.front().device, 1U);
  EXPECT_THAT(mistake(options, {fixtures::omp_worker()}),
              HasSubstr("--device applies to GPU backends only"));
  options = {};
  options.scopes = {scope::block};
  EXPECT_THAT(mistake(options, {fixtures::omp_worker()}),
              HasSubstr("--scope applies to GPU backends only"));
  options = {};
  options.lanes = {{.first = 2048, .last = 2048}};
  EXPECT_THAT(mistake(options), AllOf(HasSubstr("--threads: 2048"), HasSubstr("1024 threads"),
                                      HasSubstr("Small GPU")));
}

TEST(gpu_plan, a_backend_with_a_problem_is_left_out_or_named) {
  worker_info broken = cuda_worker();
  broken.gpus["cuda"].devices.clear();
  broken.backend_problems["cuda"] = "no CUDA driver";
  for (const planned_point& p : plan_for({}, {fixtures::omp_worker(), broken}).points)
    EXPECT_EQ(p.what.backend, "omp");
  EXPECT_THAT(left_out({fixtures::omp_worker(), broken}),
              ElementsAre("backend 'cuda' is left out: no CUDA driver"));
  run_options options;
  options.backends = {"cuda"};
  EXPECT_THAT(mistake(options, {fixtures::omp_worker(), broken}),
              HasSubstr("--backend: 'cuda' cannot be used: no CUDA driver; usable here: omp"));
  EXPECT_THAT(mistake({}, {broken}),
              HasSubstr("no backend can be used here: cuda: no CUDA driver"));
}

}  // namespace
}  // namespace syncmeter::gpu_plan_test
