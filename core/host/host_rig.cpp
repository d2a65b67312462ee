#include "core/host/host_rig.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "core/harness/quiet_probe.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t page = 4096;
// The second array starts off a page boundary: stores to one and loads from the other at equal low
// 12 address bits would alias in the store buffer.
constexpr std::size_t second_offset = 1024;

std::byte* allocate(std::size_t bytes) {
  auto* memory =
      static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
  if (memory == nullptr)
    throw std::runtime_error(fmt::format("out of memory: {} bytes for cells", bytes));
  return memory;
}

void bind_body(host_rig& rig, unsigned lane) {
  const int pu = rig.pu(lane);
  const auto problem =
      pu < 0 ? unbind_this_thread(rig.machine()) : bind_this_thread(rig.machine(), pu);
  rig.record(lane).problem = problem.value_or("");
}

double fastest_probe_ns() {
  double fastest = 1e9;
  for (int i = 0; i < 100; ++i) fastest = std::min(fastest, quiet_probe_ns());
  return fastest;
}

// One lane after the other, while the others wait: what a PU can do when nothing else has its core.
void solo_floor_body(host_rig& rig, unsigned lane) {
  for (unsigned turn = 0; turn < rig.lanes(); ++turn) {
    rig.gate().wait(rig.lanes());
    if (turn == lane) rig.record(lane).quiet_before_ns = fastest_probe_ns();
  }
}

// All lanes at once, as they probe around samples.
void floor_body(host_rig& rig, unsigned lane) {
  rig.gate().wait(rig.lanes());
  rig.record(lane).quiet_before_ns = fastest_probe_ns();
}

// Whether the lane's PU is quiet and its own, on both sides of a loop.
void look_before(lane_record& record) {
  record.problem.clear();
  record.switches = involuntary_switches();
  record.quiet_before_ns = quiet_probe_ns();
  record.pu_before = current_pu();
}
void look_after(lane_record& record) {
  record.pu_after = current_pu();
  record.quiet_after_ns = quiet_probe_ns();
  record.switches = involuntary_switches() - record.switches;
}

}  // namespace

long involuntary_switches() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return usage.ru_nivcsw;
}

void host_rig::free_bytes::operator()(std::byte* p) const { std::free(p); }

host_rig::host_rig(const topology& machine, team_runner runner, team_releaser releaser,
                   void* backend_objects)
    : machine_{machine}, run_{runner}, release_{releaser}, backend_objects_{backend_objects} {
  asm volatile("" : "+m"(ones_));
}

host_rig::~host_rig() = default;

void host_rig::prepare(const measurable& what, const point& where, std::span<const int> pus,
                       bool watch_states) {
  what_ = &what;
  where_ = where;
  where_.lanes = static_cast<unsigned>(pus.size());
  watch_states_ = watch_states;
  place(pus);
  fit_cells();
  find_home();
}

void host_rig::place(std::span<const int> pus) {
  if (pus.size() != lanes_) {
    finish();
    release_();
  }
  lanes_ = static_cast<unsigned>(pus.size());
  pus_.assign(pus.begin(), pus.end());
  pus_seen_ = pus_;
  records_.assign(lanes_, {});
  quiet_seen_.assign(lanes_, {});
  if (mailbox_capacity_ < lanes_) {
    mailboxes_.reset(allocate(mailboxes_size()));
    std::memset(mailboxes_.get(), 0, mailboxes_size());  // so that one thread touches all pages
                                                         // first
    mailbox_capacity_ = lanes_;
  }
  gate_.reset();
  run_untimed([](host_rig&, unsigned) {});  // the threads exist before any of them is bound
  run_untimed(&bind_body);
  find_floors();
}

bool host_rig::lanes_apart() const {
  std::set<int> cores;
  for (const int pu : pus_) {
    const auto unit = std::ranges::find(machine_.units(), pu, &processing_unit::os);
    if (unit == machine_.units().end() || !cores.insert(unit->core).second) return false;
  }
  return true;
}

// Lanes on cores of their own are held against their PU alone: where they slow each other all the
// same, a hypervisor has put them on one core, and that is not quiet. Lanes known to share a core,
// and lanes not bound, are held against themselves in company.
void host_rig::find_floors() {
  floors_.clear();
  if (lanes_apart()) {
    const auto known = [&](int pu) { return solo_floors_.contains(pu); };
    if (!std::ranges::all_of(pus_, known)) {
      run_untimed(&solo_floor_body);
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        const double seen = records_[lane].quiet_before_ns;
        auto& floor = solo_floors_.try_emplace(pus_[lane], seen).first->second;
        floor = std::min(floor, seen);
      }
    }
    for (const int pu : pus_) floors_.push_back(&solo_floors_.at(pu));
    return;
  }
  auto [team, is_new] = team_floors_.try_emplace(pus_);
  if (is_new) {
    run_untimed(&floor_body);
    for (const auto& record : records_) team->second.push_back(record.quiet_before_ns);
  }
  for (double& floor : team->second) floors_.push_back(&floor);
}

void host_rig::finish() {
  // A failure leaves lane 0 bound, which the next binding overrides.
  (void)unbind_this_thread(machine_);
}

void host_rig::run_untimed(lane_body body, void* board) {
  board_ = board;
  gate_.reset();
  if (!run_(lanes_, body, *this)) {
    throw std::runtime_error(fmt::format("the runtime did not start a team of {} threads", lanes_));
  }
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (!records_[lane].problem.empty()) {
      throw std::runtime_error(fmt::format("lane {}: {}", lane, records_[lane].problem));
    }
  }
}

std::size_t host_rig::cell_count() const { return std::max(1U, cells_in_use(where_)); }

void host_rig::fit_cells() {
  if (!what_->type) return;
  // A cell that straddles two lines is another experiment: a split lock may even trap.
  if (where_.base_offset % size_of(*what_->type) != 0) {
    throw point_refused(fmt::format("--base-offset {}: must be a multiple of the cell size, {} B",
                                    where_.base_offset, size_of(*what_->type)));
  }
  if (where_.cells > lanes_ || (where_.cells != 0 && lanes_ % where_.cells != 0)) {
    throw point_refused(
        fmt::format("--cells {}: must divide the number of lanes, {}", where_.cells, lanes_));
  }
  const auto needed =
      cell_count() * std::max<std::size_t>(stride_bytes(where_), size_of(*what_->type)) +
      second_offset + where_.base_offset + page;
  if (needed <= capacity_) return;
  first_.reset(allocate(needed));
  second_.reset(allocate(needed));
  capacity_ = needed;
}

std::byte* host_rig::cell_at(const bytes& array, std::size_t index) const {
  const auto offset = &array == &second_ ? second_offset : 0;
  return array.get() + offset + where_.base_offset + index * stride_bytes(where_);
}

lane_setup host_rig::setup(unsigned lane) const {
  const std::size_t cell = cell_of(lane, cell_count(), lanes_);
  const bool has_cell = what_->info.places != places::none;
  return {.cell = has_cell ? cell_at(first_, cell) : nullptr,
          .second_cell = has_cell ? cell_at(second_, cell) : nullptr,
          .mailbox = mailbox(lane),
          .next_mailbox = mailbox((lane + 1) % lanes_),
          .ones = &ones_,
          .backend = backend_objects_,
          .lane = lane,
          .lanes = lanes_,
          .cell_index = static_cast<unsigned>(cell),
          .late = lane < late_.size() ? &late_[lane] : nullptr,
          .oracle = what_->info.oracle};
}

std::span<const lane_record> host_rig::loop_records() const {
  return {records_.data(), what_->info.host_lane ? 1 : records_.size()};
}

void host_rig::enter(unsigned lane) {
  look_before(records_[lane]);
  gate_.wait(static_cast<unsigned>(loop_records().size()));
}

void host_rig::leave(unsigned lane, const lane_outcome& outcome) {
  look_after(records_[lane]);
  records_[lane].outcome = outcome;
}

sample host_rig::take(std::size_t index, std::uint32_t trips) {
  return what_->by_count.at(index)(this, trips);
}

std::int64_t host_rig::now_ns() { return steady_ns(); }

double host_rig::run_on_all(lane_body body) {
  const auto start = steady_ns();
  run_untimed(body);
  return static_cast<double>(steady_ns() - start);
}

// What the loop starts runs on the other lanes, so they can be in no region of ours meanwhile. They
// are looked at in one before and one after it.
double host_rig::run_on_lane_0(lane_body body) {
  run_untimed([](host_rig& rig, unsigned lane) {
    if (lane != 0) look_before(rig.record(lane));
  });
  const auto start = steady_ns();
  body(*this, 0);
  const auto stop = steady_ns();
  run_untimed([](host_rig& rig, unsigned lane) {
    if (lane != 0) look_after(rig.record(lane));
  });
  return static_cast<double>(stop - start);
}

sample host_rig::run(lane_body body, int count, std::uint32_t trips) {
  trips_ = trips;
  reset_cells();
  if (what_->info.arrives_late) late_ = turns_of(lanes_, where_.late_us);
  sample s;
  s.host_ns = what_->info.host_lane ? run_on_lane_0(body) : run_on_all(body);

  auto first_start = records_[0].start_ns;
  auto last_stop = records_[0].stop_ns;
  std::vector<double> durations, rates;
  for (const auto& r : loop_records()) {
    first_start = std::min(first_start, r.start_ns);
    last_stop = std::max(last_stop, r.stop_ns);
    durations.push_back(std::max(1.0, static_cast<double>(r.stop_ns - r.start_ns)));
    rates.push_back(1.0 / durations.back());
  }
  s.span_ns = static_cast<double>(last_stop - first_start);
  s.fairness = jain_index(rates);
  s.slowest_over_fastest = *std::max_element(durations.begin(), durations.end()) /
                           *std::min_element(durations.begin(), durations.end());
  judge_lanes(s);
  s.failure = check_cells(count);
  if (s.failure.empty() && what_->info.arrives_late) {
    const auto steps = std::uint64_t{trips} * what_->info.unroll * ops_in_step(what_->info, count);
    s.failure = check_lateness(s.span_ns, steps, where_.late_us);
  }
  return s;
}

void host_rig::judge_lanes(sample& s) {
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const auto& r = records_[lane];
    const double slowest = std::max(r.quiet_before_ns, r.quiet_after_ns);
    double& floor = *floors_[lane];
    floor = std::min({floor, r.quiet_before_ns, r.quiet_after_ns});
    quiet_seen_[lane].push_back(slowest);
    s.busy = s.busy || slowest > busy_ratio * floor;
    if (r.switches > 0) s.dropped = drop::preempted;
    if (pus_[lane] >= 0 && (r.pu_before != pus_[lane] || r.pu_after != pus_[lane]))
      s.dropped = drop::moved;
    pus_seen_[lane] = r.pu_after;
  }
}

}  // namespace syncmeter
