// The pair probe of a CPU rig: a token goes around the prepared lanes, and its mean hop tells which
// placement state a hypervisor has put them in.
#include <algorithm>
#include <atomic>

#include "core/harness/core_probes.hpp"
#include "core/host/host_rig.hpp"

namespace syncmeter {
namespace {

// A tenth to a fifth of the shortest side, before and after a round of two.
constexpr double probe_ns = 10e3;

void hop_body(host_rig& rig, unsigned lane) {
  const std::atomic_ref<std::uint64_t> mine{*rig.probe_mailbox(lane)};
  const std::atomic_ref<std::uint64_t> next{*rig.probe_mailbox((lane + 1) % rig.lanes())};
  const std::uint64_t bump = lane == 0 ? 1 : 0;
  std::uint64_t token = 1 - bump;
  const auto switches = involuntary_switches();
  rig.gate().wait(rig.lanes());
  const auto start = steady_ns();
  for (std::uint32_t i = 0; i < rig.rotations(); ++i, ++token) {
    while (mine.load(std::memory_order_acquire) != token) {
    }
    next.store(token + bump, std::memory_order_release);
  }
  rig.record(lane).start_ns = start;
  rig.record(lane).stop_ns = steady_ns();
  rig.record(lane).switches = involuntary_switches() - switches;
}

}  // namespace

double host_rig::hop_ns(double duration_ns) {
  // A preempted probe says nothing of where the lanes are; a preempted machine gets three tries.
  double hop = ring_ns(duration_ns);
  for (int tries = 1; tries < 3 && was_preempted(); ++tries) hop = ring_ns(duration_ns);
  return last_hop_ns_ = hop;
}

bool host_rig::was_preempted() const {
  return std::any_of(records_.begin(), records_.end(),
                     [](const lane_record& r) { return r.switches > 0; });
}

double host_rig::ring_ns(double duration_ns) {
  rotations_ =
      static_cast<std::uint32_t>(std::clamp(duration_ns / (last_hop_ns_ * lanes_), 4.0, 1e6));
  for (unsigned lane = 0; lane < lanes_; ++lane) *probe_mailbox(lane) = lane == 0 ? 0 : no_token;
  run_untimed(&hop_body);
  const double turn = static_cast<double>(records_[0].stop_ns - records_[0].start_ns);
  return std::max(1.0, turn / (static_cast<double>(rotations_) * lanes_));
}

std::optional<double> host_rig::pair_probe() {
  if (!watch_states_ || lanes_ < 2) return std::nullopt;
  return hop_ns(probe_ns);
}

void host_rig::lower_floors(std::span<const double> known_ns) {
  if (known_ns.size() != floors_.size()) return;
  for (std::size_t lane = 0; lane < floors_.size(); ++lane) {
    if (known_ns[lane] > 0) *floors_[lane] = std::min(*floors_[lane], known_ns[lane]);
  }
}

std::optional<double> host_rig::waiting_cpu_ns() const {
  if (waiting_cpu_ns_.empty()) return std::nullopt;
  return median(waiting_cpu_ns_);
}

std::vector<double> host_rig::quiet_floor_ns() const {
  std::vector<double> floors;
  for (const double* floor : floors_) floors.push_back(*floor);
  return floors;
}

std::vector<double> host_rig::quiet_median_ns() const {
  std::vector<double> medians;
  for (const auto& seen : quiet_seen_) medians.push_back(seen.empty() ? 0.0 : median(seen));
  return medians;
}

}  // namespace syncmeter
