#include "backends/omp_target/target_rig.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cell_places.hpp"
#include "core/harness/core_probes.hpp"
#include "core/host/host_worker.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::omp_target {
namespace {

constexpr unsigned most_threads = 32;  // per team: the warps of a block
constexpr double shortest_clocked_ns = 10'000;
// At least a second on a device, whose samples last a hundredth of a second. The host needs some
// seconds, because threads also wait for a processing unit.
constexpr std::int64_t most_polls_of_device = std::int64_t{1} << 20U,
                       most_polls_of_host = std::int64_t{1} << 32U;

// Returns the sizes that OpenMP starts for this request.
team_sizes sizes_started(int device, unsigned teams, unsigned threads) {
  team_sizes given;
#pragma omp target teams num_teams(teams) thread_limit(threads) map(tofrom : given) device(device)
#pragma omp parallel num_threads(threads)
  if (omp_get_team_num() == 0 && omp_get_thread_num() == 0)
    given = {static_cast<unsigned>(omp_get_num_teams()),
             static_cast<unsigned>(omp_get_num_threads())};
  return given;
}

// Time from the first thread's begin to the last thread's end.
struct launch_times {
  explicit launch_times(const std::vector<thread_record>& threads) {
    clock_reading first = threads.front().first, last = threads.front().last;
    std::uint64_t shortest = last.ns - first.ns, longest = shortest;
    for (const thread_record& t : threads) {
      first = {std::min(first.cycles, t.first.cycles), std::min(first.ns, t.first.ns)};
      last = {std::max(last.cycles, t.last.cycles), std::max(last.ns, t.last.ns)};
      shortest = std::min(shortest, t.last.ns - t.first.ns);
      longest = std::max(longest, t.last.ns - t.first.ns);
    }
    cycles = static_cast<double>(last.cycles - first.cycles);
    ns = static_cast<double>(last.ns - first.ns);
    if (shortest > 0)
      slowest_over_fastest = static_cast<double>(longest) / static_cast<double>(shortest);
  }
  double cycles = 0, ns = 0;
  double slowest_over_fastest = 1;
};

}  // namespace

target_rig::target_rig(int device)
    : device_{device}, cells_{device}, outcomes_{device}, records_{device}, ones_{device},
      gate_{device}, given_{device}, board_{device}, locks_{device}, mailboxes_{device} {
  int on_host = 1;
#pragma omp target map(tofrom : on_host) device(device)
  on_host = omp_is_initial_device();
  if (on_host != 0 && !is_host())
    throw std::runtime_error("OpenMP ran a target region of the device on the host");
  const std::int32_t one = 1;
  setup_.device = device;
  setup_.most_polls = is_host() ? most_polls_of_host : most_polls_of_device;
  setup_.ones = reinterpret_cast<const std::int32_t*>(ones_.fit(sizeof one));
  ones_.write(&one, sizeof one);
}

void target_rig::prepare(const measurable& what, const point& where, unsigned visit) {
  what_ = nullptr;
  draw_ = cuda::first_draw(visit);
  const bool of_threads = is_of_threads(what.info);
  const unsigned lanes_of_thread = of_threads ? 1 : simd_lanes;
  if (where.lanes % lanes_of_thread != 0 || where.lanes > most_threads * lanes_of_thread)
    throw point_refused(
        of_threads
            ? fmt::format(
                  "--threads {}: a thread is an OpenMP thread here, which g++ makes a warp, and a "
                  "team has at most {}",
                  where.lanes, most_threads)
            : fmt::format(
                  "--threads {}: a thread of OpenMP has {} lanes on a device, and a team has at "
                  "most {} threads",
                  where.lanes, simd_lanes, most_threads));
  if (where.active != 0 || where.waves || where.base_offset != 0 || where.cells != 0 ||
      where.size != 0)
    throw point_refused(
        "--active, --waves, --base-offset, --variables and --size do not apply to OpenMP "
        "on a device");
  what_ = &what;
  where_ = where;
  ghz_ = 0;
  setup_.teams = std::max(where.blocks, 1U);
  setup_.threads = where.lanes / lanes_of_thread;
  setup_.oracle = what.info.oracle;
  // Without a device, teams run one after another.
  setup_.gate_opens_at = setup_.teams > 1 && !is_host() ? setup_.teams : 0;
  lanes_ = std::size_t{setup_.teams} * where.lanes;
  cell_bytes_ = what.type ? size_of(*what.type) : 0;
  setup_.stride_bytes = where.placement == placement::strided ? stride_bytes(where) : 0;
  cells_count_ = what.info.places == places::none ? 0 : setup_.stride_bytes == 0 ? 1 : lanes_;
  span_bytes_ = cells_count_ == 0 ? 0 : (cells_count_ - 1) * setup_.stride_bytes + cell_bytes_;
  initial_.assign(span_bytes_, std::byte{});
  if (what.type)
    by_type(*what.type, [&]<class T>(T) {
      const T value = initial_value<T>(what.info.oracle);
      for (std::size_t n = 0; n < cells_count_; ++n)
        std::memcpy(initial_.data() + n * setup_.stride_bytes, &value, sizeof value);
    });
  if (what.info.host_lane) {
    check_teams(sizes_started(device_, setup_.teams, setup_.threads));
    thread_.settle(machine_of_this_process().allowed_pus());
    return;
  }
  cells_.fit(cuda::roaming_bytes + span_bytes_);
  setup_.outcomes =
      reinterpret_cast<lane_outcome*>(outcomes_.fit(threads() * simd_lanes * sizeof(lane_outcome)));
  setup_.records =
      reinterpret_cast<thread_record*>(records_.fit(threads() * sizeof(thread_record)));
  setup_.gate = reinterpret_cast<unsigned*>(gate_.fit(sizeof(unsigned)));
  setup_.given = reinterpret_cast<team_sizes*>(given_.fit(sizeof(team_sizes)));
  read_records_.resize(threads());
  prepare_locks_and_ring();
  launch(0, 0, 0);
  check_teams(sizes_of_launch());
}

void target_rig::begin_round() {
  draw_ = cuda::next_draw(draw_);
  if (what_->info.host_lane) thread_.begin_round();
}

void target_rig::prepare_locks_and_ring() {
  // A device thread initializes the locks, only if the op uses locks.
  const bool locks = what_->info.guard == guard::lock_object;
  const std::size_t number = locks ? std::max(cells_count_, std::size_t{1}) : 1;
  setup_.locks = reinterpret_cast<cell_lock*>(locks_.fit(number * sizeof(cell_lock)));
  setup_.mailboxes = reinterpret_cast<mailbox*>(mailboxes_.fit(
      (what_->info.family == family::handoff ? threads() : std::size_t{1}) * sizeof(mailbox)));
  if (!locks) return;
  cell_lock* const all = setup_.locks;
#pragma omp target is_device_ptr(all) device(device_)
  for (std::size_t n = 0; n < number; ++n) omp_init_lock(&all[n].lock);
}

std::int64_t target_rig::now_ns() { return steady_ns(); }

sample target_rig::take(std::size_t index, std::uint32_t trips) {
  return what_->info.host_lane ? take_on_host(index, trips) : take_on_device(index, trips);
}

sample target_rig::take_on_host(std::size_t index, std::uint32_t trips) {
  setup_.trips = trips;
  sample taken;
  thread_.look_before();
  const auto start = now_ns();
  what_->by_count.at(index)(*this, 0);
  const auto stop = now_ns();
  thread_.look_after(taken);
  taken.span_ns = static_cast<double>(stop - start);
  if (wrong_ != 0) taken.failure = "oracle: a reduction returned another sum than that of its loop";
  return taken;
}

void target_rig::launch(std::size_t index, std::uint32_t trips, std::size_t offset) {
  const unsigned closed = 0;
  setup_.trips = trips;
  setup_.cells = cells_.fit(0) + offset;
  if (!initial_.empty()) cells_.write(initial_.data(), initial_.size(), offset);
  gate_.write(&closed, sizeof closed);
  if (what_->info.family == family::handoff) {
    std::vector<mailbox> boxes(threads());
    for (std::size_t n = 0; n < boxes.size(); n += setup_.threads) boxes[n].token = 1;
    mailboxes_.write(boxes.data(), boxes.size() * sizeof(mailbox));
  }
  what_->by_count.at(index)(*this, 0);
}

// Refuses a launch with fewer threads, which would measure something else. g++ kernels call
// functions by address and reserve the maximum of registers per lane: 8 warps fit.
void target_rig::check_teams(const team_sizes& given) const {
  if (given.teams != setup_.teams || given.threads != setup_.threads)
    throw point_refused(fmt::format("OpenMP started {} teams of {} threads instead of {} of {}: "
                                    "more do not fit the device with "
                                    "the registers that a kernel of g++ takes",
                                    given.teams, given.threads, setup_.teams, setup_.threads));
}

team_sizes target_rig::sizes_of_launch() const {
  team_sizes given;
  given_.read(&given, sizeof given);
  return given;
}

sample target_rig::take_on_device(std::size_t index, std::uint32_t trips) {
  // A team on a few lines uses one slice of L2, near or far, and the median over rounds would jump.
  // Such a sample is the sum of launches at several places.
  const bool few_lines = setup_.teams == 1 && span_bytes_ <= cuda::few_bytes;
  const unsigned most = few_lines ? cuda::cell_places::most : 1;
  const auto places = cuda::spread(draw_, std::bit_floor(std::min(trips, most)));
  const std::uint64_t ops_per_trip =
      what_->info.unroll * ops_in_step(what_->info, counts.at(index));
  sample taken;
  double cycles = 0, ns = 0, lane_cycles = 0, lane_ns = 0;
  for (unsigned n = 0; n < places.count; ++n) {
    const std::uint32_t share = trips / places.count + (n < trips % places.count ? 1 : 0);
    launch(index, share, places.offset[n]);
    check_teams(sizes_of_launch());
    auto& all = read_records_;
    records_.read(all.data(), all.size() * sizeof(thread_record));
    const launch_times times{all};
    cycles += times.cycles;
    ns += times.ns;
    lane_cycles += static_cast<double>(all[0].last.cycles - all[0].first.cycles);
    lane_ns += static_cast<double>(all[0].last.ns - all[0].first.ns);
    taken.slowest_over_fastest = std::max(taken.slowest_over_fastest, times.slowest_over_fastest);
    if (auto wrong = verdict(share * ops_per_trip, places.offset[n]); !wrong.empty()) {
      taken.failure = std::move(wrong);
      return taken;
    }
  }
  if (lane_ns >= shortest_clocked_ns) ghz_ = lane_cycles / lane_ns;
  // Clocks of different multiprocessors are unrelated, and the host has no cycle clock.
  const bool by_cycles = setup_.teams == 1 && ghz_ > 0;
  taken.span_ns = by_cycles ? cycles / ghz_ : ns;
  taken.cycles = by_cycles ? cycles : ns * ghz_;
  return taken;
}

// After `ops` rotations a team's token is back at the start with the next number.
std::string target_rig::ring_verdict(std::uint64_t ops) const {
  std::vector<mailbox> boxes(threads());
  mailboxes_.read(boxes.data(), boxes.size() * sizeof(mailbox));
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    const bool is_first = n % setup_.threads == 0;
    if (const std::uint64_t expected = is_first ? ops + 1 : ops; boxes[n].token != expected)
      return fmt::format("oracle: thread {} was left token {} instead of {}", n, boxes[n].token,
                         expected);
  }
  return {};
}

std::string target_rig::verdict(std::uint64_t ops, std::size_t offset) const {
  if (what_->info.family == family::handoff) return ring_verdict(ops);
  if (what_->info.oracle == oracle::none || cells_count_ == 0) return {};
  std::vector<lane_outcome> outcomes(lanes_);
  outcomes_.read(outcomes.data(), lanes_ * sizeof(lane_outcome));
  std::vector<std::byte> held(span_bytes_);
  cells_.read(held.data(), span_bytes_, offset);
  std::vector<std::uint64_t> cells(cells_count_);
  for (std::size_t n = 0; n < cells_count_; ++n)
    std::memcpy(&cells[n], held.data() + n * setup_.stride_bytes, cell_bytes_);
  return check({.kind = what_->info.oracle,
                .type = *what_->type,
                .one_cell = cells_count_ == 1,
                .ops_per_lane = ops,
                .lanes = outcomes,
                .cells = cells,
                .second_cells = {}});
}

std::uint64_t target_rig::run_litmus(void (*start)(const kernel_setup&, unsigned*, unsigned*)) {
  if (setup_.threads < 2) return 0;  // a single thread has no barrier partner
  const std::vector<unsigned> nothing(setup_.threads + 1);
  auto* const board = reinterpret_cast<unsigned*>(board_.fit(nothing.size() * sizeof(unsigned)));
  board_.write(nothing.data(), nothing.size() * sizeof(unsigned));
  start(setup_, board, board + setup_.threads);
  unsigned forbidden = 0;
  board_.read(&forbidden, sizeof forbidden, setup_.threads * sizeof(unsigned));
  return forbidden;
}

void target_rig::describe(nlohmann::json& visit) const {
  if (what_ == nullptr) return;  // the point was refused
  if (what_->info.host_lane) thread_.describe(visit);
  else if (ghz_ > 0) visit["sm_clock_ghz"] = ghz_;
}

void target_rig::finish() {
  if (what_ != nullptr && what_->info.host_lane) thread_.finish();
}

}  // namespace syncmeter::omp_target
