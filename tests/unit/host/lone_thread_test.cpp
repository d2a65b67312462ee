// The thread that launches: which PU it is put on, when it moves on, and what of its PU makes a
// sample busy or spoils it. Probes are scripted, but for what the thread itself looks at.
#include <array>
#include <map>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/host/host_worker.hpp"
#include "core/host/lone_thread.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter::lone_thread_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double quiet_ns = 500;

// Probes by PU, and where they were taken; a PU without one cannot be bound to.
struct script {
  std::map<int, double> probes_ns;
  std::vector<int> tried;

  pu_probe probe() {
    return [this](int pu) -> std::optional<double> {
      tried.push_back(pu);
      const auto found = probes_ns.find(pu);
      if (found == probes_ns.end()) return std::nullopt;
      return found->second;
    };
  }
};

constexpr std::array four{0, 1, 2, 3};

TEST(lone_thread, is_put_on_the_quietest_pu_when_it_is_settled_first) {
  script machine{.probes_ns = {{0, 900}, {1, 700}, {2, quiet_ns}, {3, 800}}, .tried = {}};
  lone_thread thread{machine.probe()};
  thread.settle(four);
  EXPECT_EQ(thread.pu(), 2);
  EXPECT_THAT(machine.tried, ElementsAre(0, 1, 2, 3, 2)) << "and is bound there at last";
}

TEST(lone_thread, stays_where_it_was_while_that_is_quiet) {
  script machine{.probes_ns = {{0, 900}, {1, 700}, {2, quiet_ns}, {3, 800}}, .tried = {}};
  lone_thread thread{machine.probe()};
  thread.settle(four);
  machine.tried.clear();
  machine.probes_ns[0] = quiet_ns;
  thread.settle(four);
  EXPECT_EQ(thread.pu(), 2);
  EXPECT_THAT(machine.tried, ElementsAre(2));
}

TEST(lone_thread, takes_the_first_quiet_pu_where_its_own_is_not) {
  script machine{.probes_ns = {{0, 900}, {1, 700}, {2, quiet_ns}, {3, 800}}, .tried = {}};
  lone_thread thread{machine.probe()};
  thread.settle(four);
  machine.tried.clear();
  machine.probes_ns = {{0, quiet_ns}, {1, 400}, {2, 900}, {3, 800}};
  thread.settle(four);
  EXPECT_EQ(thread.pu(), 0);
  EXPECT_THAT(machine.tried, ElementsAre(2, 0));
}

TEST(lone_thread, takes_the_least_busy_pu_where_none_is_quiet) {
  script machine{.probes_ns = {{0, quiet_ns}, {1, 900}}, .tried = {}};
  lone_thread thread{machine.probe()};
  thread.settle(std::array{0, 1});
  machine.probes_ns = {{0, 900}, {1, 800}};
  thread.settle(std::array{0, 1});
  EXPECT_EQ(thread.pu(), 1);
}

TEST(lone_thread, passes_over_a_pu_that_it_cannot_be_bound_to) {
  script machine{.probes_ns = {{1, 900}}, .tried = {}};
  lone_thread thread{machine.probe()};
  thread.settle(four);
  EXPECT_EQ(thread.pu(), 1);
}

TEST(lone_thread, is_measured_where_it_is_if_it_cannot_be_bound) {
  script machine;
  lone_thread thread{machine.probe()};
  thread.settle(four);
  sample taken;
  thread.look_before();
  thread.look_after(taken);
  EXPECT_NE(taken.dropped, drop::moved);
  nlohmann::json visit;
  thread.describe(visit);
  EXPECT_EQ(visit.at("pus"), nlohmann::json({-1}));
}

TEST(lone_thread, tries_sixteen_pus_at_most_and_the_others_next) {
  script machine;
  std::vector<int> pus;
  for (int pu = 0; pu < 40; ++pu) {
    pus.push_back(pu);
    machine.probes_ns[pu] = 900;
  }
  machine.probes_ns[3] = quiet_ns;
  lone_thread thread{machine.probe()};
  thread.settle(pus);
  EXPECT_EQ(thread.pu(), 3);
  EXPECT_EQ(machine.tried.size(), 17U) << "and is bound there at last";
  machine.probes_ns[3] = 900;
  machine.probes_ns[30] = quiet_ns;
  machine.tried.clear();
  thread.settle(pus);
  EXPECT_EQ(thread.pu(), 30);
  EXPECT_EQ(machine.tried.size(), 16U) << "its own, then those from 16 to 30";
}

// A sample during which the probe is what a real PU makes of it, with a floor that it never
// reaches.
void take_busy(lone_thread& thread, int samples) {
  for (int i = 0; i < samples; ++i) {
    thread.begin_round();
    sample taken;
    thread.look_before();
    thread.look_after(taken);
    EXPECT_TRUE(taken.busy);
  }
}

TEST(lone_thread, moves_on_after_sixteen_busy_samples_then_after_twice_as_many) {
  constexpr double unreachable_ns = 1e-3;
  script machine{.probes_ns = {{0, unreachable_ns}, {1, unreachable_ns}}, .tried = {}};
  lone_thread thread{machine.probe()};
  thread.settle(std::array{0, 1});
  EXPECT_EQ(thread.pu(), 0);
  machine.probes_ns[0] = quiet_ns;
  take_busy(thread, 16);
  EXPECT_EQ(thread.pu(), 0);
  take_busy(thread, 1);
  EXPECT_EQ(thread.pu(), 1);
  machine.probes_ns = {{0, unreachable_ns}, {1, quiet_ns}};
  take_busy(thread, 31);
  EXPECT_EQ(thread.pu(), 1);
  take_busy(thread, 1);
  EXPECT_EQ(thread.pu(), 0);
}

TEST(lone_thread, of_this_machine_is_bound_while_it_is_settled) {
  const auto& machine = machine_of_this_process();
  std::vector<int> pus;
  for (const processing_unit& unit : machine.units()) pus.push_back(unit.os);
  lone_thread thread;
  nlohmann::json visit = nlohmann::json::object();
  thread.describe(visit);
  EXPECT_THAT(visit, IsEmpty()) << "of a point that was refused";
  thread.settle(pus);
  ASSERT_GE(thread.pu(), 0);
  EXPECT_EQ(current_pu(), thread.pu());
  sample taken;
  thread.look_before();
  thread.look_after(taken);
  thread.finish();
  thread.describe(visit);
  EXPECT_EQ(visit.at("pus"), nlohmann::json({thread.pu()}));
  EXPECT_EQ(visit.at("pus_seen"), visit.at("pus"));
  EXPECT_GT(visit.at("quiet_probe").at("floor_ns").at(0), 0);
  EXPECT_GE(visit.at("quiet_probe").at("median_ns").at(0),
            visit.at("quiet_probe").at("floor_ns").at(0));
}

sample judged(const lane_watch& seen, const lane_bounds& bounds, double floor_ns = quiet_ns) {
  sample taken;
  judge_lane(taken, seen, bounds, floor_ns);
  return taken;
}

lane_watch seen_on(int before, int after, double probe_ns = quiet_ns, long switches = 0) {
  lane_watch seen;
  seen.quiet_before_ns = quiet_ns;
  seen.quiet_after_ns = probe_ns;
  seen.pu_before = before;
  seen.pu_after = after;
  seen.switches = switches;
  return seen;
}

TEST(judge_lane, a_slow_probe_on_either_side_is_busy_unless_the_clock_explains_it) {
  EXPECT_FALSE(judged(seen_on(1, 1), {.pu = 1}).busy);
  EXPECT_TRUE(judged(seen_on(1, 1, 1.2 * quiet_ns), {.pu = 1}).busy);
  EXPECT_FALSE(judged(seen_on(1, 1, 1.2 * quiet_ns), {.pu = 1, .at_full_clock = 0.8}).busy);
}

TEST(judge_lane, a_lane_that_was_elsewhere_or_preempted_spoils_the_sample) {
  EXPECT_EQ(judged(seen_on(1, 1), {.pu = 1}).dropped, drop::none);
  EXPECT_EQ(judged(seen_on(2, 1), {.pu = 1}).dropped, drop::moved);
  EXPECT_EQ(judged(seen_on(1, 2), {.pu = 1}).dropped, drop::moved);
  EXPECT_EQ(judged(seen_on(1, 2), {.pu = -1}).dropped, drop::none) << "it was not bound";
  EXPECT_EQ(judged(seen_on(1, 1, quiet_ns, 1), {.pu = 1}).dropped, drop::preempted);
  EXPECT_EQ(judged(seen_on(1, 1, quiet_ns, 1), {.pu = 1, .takes_turns = true}).dropped, drop::none);
}

TEST(judge_lane, a_faster_probe_is_the_floor_from_then_on) {
  double floor_ns = 2 * quiet_ns;
  sample taken;
  judge_lane(taken, seen_on(1, 1), {.pu = 1}, floor_ns);
  EXPECT_EQ(floor_ns, quiet_ns);
}

}  // namespace
}  // namespace syncmeter::lone_thread_test
