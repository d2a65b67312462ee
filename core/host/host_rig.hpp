// Takes samples on the lanes of a CPU: what every CPU backend shares. Lanes are bound and read
// back, start through a gate, stamp the clock themselves, and say whether their PU was quiet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/harness/core_probes.hpp"
#include "core/harness/harness.hpp"
#include "core/host/host_lane.hpp"
#include "core/host/lane_memory.hpp"
#include "core/host/lane_watch.hpp"
#include "core/host/lateness.hpp"
#include "core/machine/topology.hpp"
#include "core/measurable.hpp"
#include "core/ops/spun_work.hpp"
#include "core/point.hpp"

namespace syncmeter {

/// A spinning barrier of our own, so that no backend's barrier is needed to start. After many spins
/// it yields: with more lanes than PUs it must not burn whole time slices.
class start_gate {
 public:
  void wait(unsigned lanes) {
    const auto ticket = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    const auto open_at = (ticket + lanes - 1) / lanes * lanes;
    for (unsigned spins = 0; arrived_.load(std::memory_order_acquire) < open_at; ++spins) {
      if (spins < 20000) spin_pause();
      else std::this_thread::yield();
    }
  }
  void reset() { arrived_.store(0, std::memory_order_release); }

 private:
  alignas(128) std::atomic<std::uint64_t> arrived_{0};
};

class host_rig;

/// What one lane does in a parallel region that is not timed.
using untimed_body = void (*)(host_rig& rig, unsigned lane);

/// The one thing a CPU backend must know how to do: run `body` on exactly `lanes` lanes at once,
/// lane 0 on the calling thread. Returns false, having run nothing, when it cannot have that many.
using team_runner = bool (*)(unsigned lanes, lane_body body, bench& rig);

/// Lets go of the backend's idle threads, so that they burn nothing while fewer lanes are measured.
using team_releaser = void (*)();

/// The owner note for one lock, alone on two lines.
struct alignas(128) noted_lock {
  owner_note note;
};

/// One timed loop as a lane saw it. On lines of its own, so that lanes do not disturb each other.
struct alignas(128) lane_record : lane_watch {
  std::int64_t start_ns = 0, stop_ns = 0;
  lane_outcome outcome;
  std::array<char, 256> problem{};  ///< as text; of fixed size, as a lane may be a process

  void look_before() {
    problem.front() = '\0';
    lane_watch::look_before();
  }
};

class host_rig final : public bench {
 public:
  host_rig(const topology& machine, team_runner runner, team_releaser releaser,
           void* backend_objects);
  ~host_rig() override;
  host_rig(const host_rig&) = delete;
  host_rig& operator=(const host_rig&) = delete;

  /// Makes ready for one point: the team, its placement, its cells. Throws std::runtime_error when
  /// lanes cannot be had or bound. `pus`: one OS number per lane, -1 for not bound.
  void prepare(const measurable& what, const point& where, std::span<const int> pus,
               bool watch_states);
  /// What each prepared lane's quiet probe took at best in another process; ignored unless there is
  /// one for every lane.
  void lower_floors(std::span<const double> known_ns);
  /// Gives lane 0 (the calling thread) all PUs again: threads born while it is pinned start on its
  /// PU.
  void finish();

  /// Moves an op's mailboxes on: a handoff costs up to half as much again where the line's slice of
  /// the last-level cache is far from both lanes, and one address has one slice.
  void begin_round() override;
  sample take(std::size_t index, std::uint32_t trips) override;
  std::optional<double> pair_probe() override;
  std::optional<double> count_owner_changes(std::uint32_t trips) override;
  std::int64_t now_ns() override;
  [[nodiscard]] std::uint32_t trips_in_step() const override;

  /// Runs a body once on all lanes, untimed, with `board` as their shared memory. Throws
  /// std::runtime_error when a lane reports a problem or the team cannot be had.
  void run_untimed(untimed_body body, void* board = nullptr);

  /// New objects beside the cells, where the op has such; take() makes its own for each sample.
  void make_objects();

  // For bodies, on their lane.
  [[nodiscard]] lane_setup setup(unsigned lane) const;
  [[nodiscard]] const measurable& row() const { return row_; }
  [[nodiscard]] std::uint32_t trips() const { return trips_; }
  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] unsigned size() const { return where_.size; }
  [[nodiscard]] lane_record& record(unsigned lane) { return records_[lane]; }
  [[nodiscard]] int pu(unsigned lane) const { return pus_[lane]; }
  [[nodiscard]] start_gate& gate() { return gate_; }
  [[nodiscard]] void* board() const { return board_; }
  [[nodiscard]] const topology& machine() const { return machine_; }
  [[nodiscard]] std::uint64_t* mailbox(unsigned lane) const { return mailbox(lane, place_); }
  /// The pair probe's, always the same ones: its hops must mean the same in every round.
  [[nodiscard]] std::uint64_t* probe_mailbox(unsigned lane) const { return mailbox(lane, 0); }
  [[nodiscard]] std::uint32_t rotations() const { return rotations_; }
  void enter(unsigned lane);
  void leave(unsigned lane, const lane_outcome& outcome);

  /// Mean hop of a token around the lanes prepared, over about `duration_ns`.
  [[nodiscard]] double hop_ns(double duration_ns);
  /// Whether a lane was switched out during the last sample or hop measurement.
  [[nodiscard]] bool was_preempted() const;

  [[nodiscard]] const std::vector<int>& pus_seen() const { return pus_seen_; }
  /// How long lanes waited in the visit's samples, where the op notes it.
  [[nodiscard]] const wait_times& waits() const { return waits_; }
  /// The pages that the mailboxes lie on; null where the point does not say whose they are.
  [[nodiscard]] const homed_pages* homed() const { return homed_.get(); }
  /// Of an op whose lanes arrive late: CPU time that a lane burns while it waits, in ns, the median
  /// over the test samples since prepare(). Nothing where there is none.
  [[nodiscard]] std::optional<double> waiting_cpu_ns() const;
  [[nodiscard]] std::vector<double> quiet_floor_ns() const;
  [[nodiscard]] std::vector<double> quiet_median_ns() const;

 private:
  using bytes = lane_bytes;

  // Two lines: adjacent-line prefetch must not couple lanes.
  static constexpr std::size_t mailbox_bytes = 128;
  static constexpr std::size_t mailbox_places = 64;  // on which the mailboxes lie by turns
  [[nodiscard]] std::uint64_t* mailbox(unsigned lane, std::size_t place) const;
  [[nodiscard]] std::size_t mailboxes_size() const {
    return lanes_ * mailbox_bytes * mailbox_places;
  }

  [[nodiscard]] double ring_ns(double duration_ns);
  /// The lanes that run the timed loop: all, or lane 0 alone.
  [[nodiscard]] std::span<const lane_record> loop_records() const;
  /// Throws std::runtime_error where run_untimed does.
  void run_on_team(lane_body body);
  void place(std::span<const int> pus);
  [[nodiscard]] bool lanes_apart() const;
  void find_floors();
  void fit_cells();
  void find_home();
  void reset_cells();
  /// `n`: ops that each lane did; `measured`: those of them that the baseline has not.
  [[nodiscard]] std::string check_cells(std::uint64_t n) const;
  [[nodiscard]] std::string check_objects(std::uint64_t n, std::uint64_t measured) const;
  void read_times(sample& s);
  [[nodiscard]] bool lanes_share_a_pu() const;
  void judge_lanes(sample& s);
  [[nodiscard]] std::string verdict(const sample& taken, int count);
  [[nodiscard]] std::byte* cell_at(const bytes& array, std::size_t index) const;
  [[nodiscard]] std::size_t cell_count() const;

  const topology& machine_;
  team_runner run_;
  team_releaser release_;
  void* backend_objects_;
  start_gate gate_;
  measurable row_;  // a copy: lanes look at it
  point where_;
  unsigned lanes_ = 0;
  std::uint32_t trips_ = 0;
  std::uint32_t rotations_ = 0;
  bool watch_states_ = false;
  untimed_body untimed_ = nullptr;
  void* board_ = nullptr;
  std::int32_t ones_ = 1;
  double last_hop_ns_ = 100;
  std::vector<int, lane_allocator<int>> pus_;
  std::vector<int> pus_seen_;
  std::vector<lane_record, lane_allocator<lane_record>> records_;
  std::map<int, double> solo_floors_;                            // by PU
  std::map<std::vector<int>, std::vector<double>> team_floors_;  // by placement
  std::vector<double*> floors_;                                  // of the lanes prepared
  std::vector<std::vector<double>> quiet_seen_;
  std::map<std::vector<int>, core_clock> clocks_;  // by placement: the mean over its lanes
  core_clock* clock_ = nullptr;                    // of the lanes prepared
  bytes first_, second_, mailboxes_;
  cell_objects objects_;
  wait_times waits_;
  mutable late_list late_;              // of an op whose lanes arrive late
  std::vector<double> waiting_cpu_ns_;  // of each test sample
  lane_owner<homed_pages> homed_;       // mailboxes of a point with a home
  std::size_t capacity_ = 0, mailbox_capacity_ = 0;
  std::size_t place_ = 0;  // of the mailboxes, in this round
};

}  // namespace syncmeter
