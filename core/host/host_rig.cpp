#include "core/host/host_rig.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "core/harness/core_probes.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t page = 4096;
// The second array starts off a page boundary: stores to one and loads from the other at equal low
// 12 address bits would alias in the store buffer.
constexpr std::size_t second_offset = 1024;

lane_bytes allocate(std::size_t bytes) { return take_for_lanes(bytes, page, "cells"); }

// As long as there is room for it: the record is memory that lanes share, a string's may not be.
void set_problem(lane_record& record, std::string_view text) {
  record.problem.fill('\0');
  text.copy(record.problem.data(), record.problem.size() - 1);
}

void bind_body(host_rig& rig, unsigned lane) {
  const int pu = rig.pu(lane);
  const auto problem =
      pu < 0 ? unbind_this_thread(rig.machine()) : bind_this_thread(rig.machine(), pu);
  set_problem(rig.record(lane), problem.value_or(""));
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

}  // namespace

host_rig::host_rig(const topology& machine, team_runner runner, team_releaser releaser,
                   void* backend_objects)
    : machine_{machine}, run_{runner}, release_{releaser}, backend_objects_{backend_objects} {
  asm volatile("" : "+m"(ones_));
}

host_rig::~host_rig() = default;

void host_rig::prepare(const measurable& what, const point& where, std::span<const int> pus,
                       bool watch_states) {
  row_ = what;
  where_ = where;
  where_.lanes = static_cast<unsigned>(pus.size());
  watch_states_ = watch_states;
  waits_ = {};
  late_.clear();
  waiting_cpu_ns_.clear();
  place(pus);
  if (row_.info.own_threads) release_();
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
  pus_seen_.assign(pus.begin(), pus.end());
  records_.assign(lanes_, {});
  quiet_seen_.assign(lanes_, {});
  clock_ = &clocks_[std::vector(pus_.begin(), pus_.end())];
  clock_->clear();
  if (mailbox_capacity_ < lanes_) {
    mailboxes_ = allocate(mailboxes_size());
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
        const double probe_ns = records_[lane].quiet_before_ns;
        auto& floor = solo_floors_.try_emplace(pus_[lane], probe_ns).first->second;
        floor = std::min(floor, probe_ns);
      }
    }
    for (const int pu : pus_) floors_.push_back(&solo_floors_.at(pu));
    return;
  }
  auto [team, is_new] = team_floors_.try_emplace(std::vector(pus_.begin(), pus_.end()));
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

void host_rig::run_on_team(lane_body body) {
  gate_.reset();
  if (!run_(lanes_, body, *this)) {
    throw std::runtime_error(fmt::format("the runtime did not start a team of {} threads", lanes_));
  }
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (const char* const problem = records_[lane].problem.data(); *problem != '\0') {
      throw std::runtime_error(fmt::format("thread {}: {}", lane, problem));
    }
  }
}

void host_rig::run_untimed(untimed_body body, void* board) {
  untimed_ = body;
  board_ = board;
  run_on_team([](bench& rig, unsigned lane) {
    auto& here = static_cast<host_rig&>(rig);
    here.untimed_(here, lane);
  });
}

std::size_t host_rig::cell_count() const { return std::max(1U, cells_in_use(where_)); }

void host_rig::fit_cells() {
  if (!row_.type) return;
  // A cell that straddles two lines is another experiment: a split lock may even trap.
  if (where_.base_offset % size_of(*row_.type) != 0) {
    throw point_refused(
        fmt::format("--base-offset {}: must be a multiple of the variable size, {} B",
                    where_.base_offset, size_of(*row_.type)));
  }
  if (where_.cells > lanes_ || (where_.cells != 0 && lanes_ % where_.cells != 0)) {
    throw point_refused(
        fmt::format("--variables {}: must divide the number of threads, {}", where_.cells, lanes_));
  }
  const auto needed =
      cell_count() * std::max<std::size_t>(stride_bytes(where_), size_of(*row_.type)) +
      second_offset + where_.base_offset + page;
  if (needed <= capacity_) return;
  first_ = allocate(needed);
  second_ = allocate(needed);
  capacity_ = needed;
}

std::byte* host_rig::cell_at(const bytes& array, std::size_t index) const {
  const auto offset = &array == &second_ ? second_offset : 0;
  return array.get() + offset + where_.base_offset + index * stride_bytes(where_);
}

lane_setup host_rig::setup(unsigned lane) const {
  const std::size_t cell = cell_of(lane, cell_count(), lanes_);
  const bool has_cell = row_.info.places != places::none;
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
          .object = objects_.at(cell),
          .oracle = row_.info.oracle};
}

std::int64_t host_rig::now_ns() { return steady_ns(); }

}  // namespace syncmeter
