// One sample on the lanes of a CPU: what each lane notes around its loop, their times, and the
// check behind them; and the pair probe: a token goes around the prepared lanes, and its mean hop
// tells which placement state a hypervisor has put them in.
#include <algorithm>
#include <atomic>
#include <set>

#include "core/harness/core_probes.hpp"
#include "core/host/host_rig.hpp"
#include "core/ops/read_mostly.hpp"

namespace syncmeter {
namespace {

// Of all lanes but the first, where that one runs the loop alone.
void look_before_others(host_rig& rig, unsigned lane) {
  if (lane != 0) rig.record(lane).look_before();
}
void look_after_others(host_rig& rig, unsigned lane) {
  if (lane != 0) rig.record(lane).look_after();
}

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

std::span<const lane_record> host_rig::loop_records() const {
  return {records_.data(), row_.info.host_lane ? 1 : records_.size()};
}

void host_rig::enter(unsigned lane) {
  records_[lane].look_before();
  gate_.wait(static_cast<unsigned>(loop_records().size()));
}

void host_rig::leave(unsigned lane, const lane_outcome& outcome) {
  records_[lane].look_after();
  records_[lane].outcome = outcome;
}

// What the loop of a lone lane starts runs on the other lanes, so they can be in no region of ours
// meanwhile. They are looked at in one before and one after it, unless what it starts are threads
// of its own: then there is no team beside these.
sample host_rig::take(std::size_t index, std::uint32_t trips) {
  const lane_body body = row_.by_count.at(index);
  const bool alone = row_.info.host_lane;
  if (row_.hooks.before != nullptr) row_.hooks.before(*this);
  trips_ = trips;
  reset_cells();
  if (row_.info.arrives_late) late_ = turns_of(lanes_, where_.late_us);
  const bool looks_at_others = alone && !row_.info.own_threads;
  if (looks_at_others) run_untimed(&look_before_others);
  const auto start = steady_ns();
  if (alone) body(*this, 0);
  else run_on_team(body);
  const auto stop = steady_ns();
  if (looks_at_others) run_untimed(&look_after_others);
  if (counts.at(index) == 1) {
    if (const auto cpu_ns = syncmeter::waiting_cpu_ns(late_)) waiting_cpu_ns_.push_back(*cpu_ns);
  }
  sample taken;
  taken.host_ns = static_cast<double>(stop - start);
  read_times(taken);
  judge_lanes(taken);
  taken.failure = verdict(taken, counts.at(index));
  if (row_.object.waits != nullptr) {
    for (std::size_t cell = 0; cell < cell_count(); ++cell)
      row_.object.waits(objects_.at(cell), waits_);
  }
  objects_.clear();
  return taken;
}

void host_rig::read_times(sample& s) {
  auto first_start = records_[0].start_ns;
  auto last_stop = records_[0].stop_ns;
  double ghz = 0;
  std::vector<double> durations, rates;
  for (const auto& r : loop_records()) {
    ghz += r.core_ghz / static_cast<double>(loop_records().size());
    first_start = std::min(first_start, r.start_ns);
    last_stop = std::max(last_stop, r.stop_ns);
    durations.push_back(std::max(1.0, static_cast<double>(r.stop_ns - r.start_ns)));
    rates.push_back(1.0 / durations.back());
  }
  s.span_ns = static_cast<double>(last_stop - first_start);
  clock_->add(ghz);
  s.cycles = s.span_ns * clock_->ghz();
  s.fairness = jain_index(rates);
  s.slowest_over_fastest = *std::max_element(durations.begin(), durations.end()) /
                           *std::min_element(durations.begin(), durations.end());
}

bool host_rig::lanes_share_a_pu() const {
  std::set<int> used;
  return !std::ranges::all_of(pus_, [&](int pu) { return pu < 0 || used.insert(pu).second; });
}

// What an op that reads and writes by turns needs in a sample: as many writes in its proportion.
std::uint32_t host_rig::trips_in_step() const {
  if (!row_.info.reads_and_writes) return 1;
  return ops::writing_turns{.period = std::uint64_t{where_.reads_per_write} + 1, .lanes = lanes_}
      .least_ops();
}

void host_rig::judge_lanes(sample& s) {
  lane_bounds bounds{.at_full_clock = clock_->share_of_fastest(),
                     .takes_turns = lanes_share_a_pu() || row_.info.own_threads};
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const auto& r = records_[lane];
    bounds.pu = pus_[lane];
    judge_lane(s, r, bounds, *floors_[lane]);
    quiet_seen_[lane].push_back(r.slowest_probe_ns());
    pus_seen_[lane] = r.pu_after;
  }
}

std::string host_rig::verdict(const sample& taken, int count) {
  const auto steps = std::uint64_t{trips_} * row_.info.unroll;
  const auto ops = steps * ops_in_step(row_.info, count);
  std::string wrong = check_cells(ops);
  if (wrong.empty()) wrong = check_objects(ops, steps * measured_in_step(row_.info, count));
  if (wrong.empty() && row_.info.arrives_late)
    wrong = check_lateness(taken.span_ns, ops, where_.late_us);
  if (wrong.empty() && row_.hooks.after != nullptr) wrong = row_.hooks.after(*this, ops);
  return wrong;
}

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
  if (!watch_states_ || lanes_ < 2 || row_.info.own_threads) return std::nullopt;
  return hop_ns(probe_ns);
}

// A lane with a lock of its own never loses the lock. While a lane is preempted, another lane
// acquires the lock many times in a row: the sample is taken again.
std::optional<double> host_rig::count_owner_changes(std::uint32_t trips) {
  constexpr int most_tries = 3;
  if (row_.owner_body == nullptr || cell_count() >= lanes_) return std::nullopt;
  trips_ = trips;
  for (int tries = 0; tries < most_tries; ++tries) {
    std::vector<noted_lock, lane_allocator<noted_lock>> locks(cell_count());
    board_ = locks.data();
    make_objects();
    run_on_team(row_.owner_body);
    objects_.clear();
    sample seen;
    judge_lanes(seen);
    if (seen.dropped != drop::none) continue;
    double changes = 0;
    for (const noted_lock& lock : locks) changes += lock.note.changes;
    const double acquisitions =
        static_cast<double>(lanes_) * trips * row_.info.unroll * ops_in_step(row_.info, 1);
    return changes / acquisitions;
  }
  return std::nullopt;
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
  for (const auto& probes : quiet_seen_) medians.push_back(probes.empty() ? 0.0 : median(probes));
  return medians;
}

}  // namespace syncmeter
