#include "core/host/lone_thread.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/harness/stats.hpp"
#include "core/host/host_worker.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

// A visit to a launch takes 20 ms, and a move about 60 us: more PUs wait for the next search.
constexpr std::size_t most_tried = 16;
// Eight rounds. Twice as many after each search, so that a machine which is busy everywhere is
// searched a few times in a visit.
constexpr unsigned first_patience = 16;
// A launch has a cost in ns alone, as it waits for the device, whose clock is another. So the lane
// counts as busy where its core's clock is so much lower than it was.
constexpr double slow_clock = 1.5;

std::optional<double> probe_on(int pu) {
  if (bind_this_thread(machine_of_this_process(), pu)) return std::nullopt;
  std::array<double, 9> probes{};
  for (double& each : probes) each = quiet_probe_ns();
  return median(probes);
}

}  // namespace

lone_thread::lone_thread() : lone_thread{&probe_on} {}

void lone_thread::settle(std::span<const int> pus) {
  pus_.assign(pus.begin(), pus.end());
  clock_.clear();
  quiet_seen_.clear();
  busy_in_a_row_ = 0;
  patience_ = first_patience;
  settled_ = true;
  search();
}

void lone_thread::search() {
  const bool floor_is_known = std::ranges::find(pus_, pu_) != pus_.end();
  std::vector<int> order;
  if (floor_is_known) order.push_back(pu_);
  for (std::size_t i = 0; i < std::min(pus_.size(), most_tried); ++i)
    order.push_back(pus_[next_++ % pus_.size()]);
  pu_ = -1;
  double least_ns = std::numeric_limits<double>::infinity();
  bool is_there = false;
  for (const int pu : order) {
    const auto took_ns = probe_(pu);
    is_there = took_ns && *took_ns < least_ns;
    if (!is_there) continue;
    least_ns = *took_ns;
    pu_ = pu;
    floor_ns_ = std::min(floor_ns_, least_ns);
    if (floor_is_known && least_ns <= busy_ratio * floor_ns_) return;
  }
  if (pu_ >= 0 && !is_there) static_cast<void>(probe_(pu_));
}

void lone_thread::begin_round() {
  if (busy_in_a_row_ < patience_) return;
  busy_in_a_row_ = 0;
  patience_ *= 2;
  search();
}

void lone_thread::look_after(sample& taken) {
  watch_.look_after();
  clock_.add(watch_.core_ghz);
  const double at_full_clock = clock_.share_of_fastest();
  judge_lane(taken, watch_, {.pu = pu_, .at_full_clock = at_full_clock}, floor_ns_);
  taken.busy = taken.busy || at_full_clock * slow_clock < 1;
  quiet_seen_.push_back(watch_.slowest_probe_ns());
  busy_in_a_row_ = taken.busy ? busy_in_a_row_ + 1 : 0;
}

void lone_thread::finish() {
  // A failure leaves the thread bound, which the next binding overrides.
  if (pu_ >= 0) static_cast<void>(unbind_this_thread(machine_of_this_process()));
}

void lone_thread::describe(nlohmann::json& visit) const {
  if (!settled_) return;
  visit["pus"] = {pu_};
  visit["pus_seen"] = {watch_.pu_after};
  if (quiet_seen_.empty()) return;
  visit["quiet_probe"] = {{"floor_ns", {floor_ns_}}, {"median_ns", {median(quiet_seen_)}}};
  visit["core_clock_ghz"] = clock_.ghz();
}

}  // namespace syncmeter
