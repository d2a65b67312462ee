// Samples on a GPU: launches, clocks, and the check behind each. They run singly, or for several
// rounds in one queue with a single look at the findings.
#include <algorithm>

#include "backends/cuda/rig/cuda_rig.hpp"
#include "core/harness/stats.hpp"

namespace syncmeter::cuda {
namespace {

// A ring of pointers for loads: the number of entries and their distance.
struct ring_shape {
  std::size_t entries, pitch;
};

ring_shape shape_of(walk kind, const device_facts& device) {
  constexpr std::size_t line = 128;
  if (kind == walk::l1) return {128, line};  // 16 KiB
  if (kind == walk::l2) return {512, line};
  std::size_t entries = 1;
  while (entries * line < 8 * device.l2_bytes) entries *= 2;
  return {entries, line};
}

// Returns the cycles of a launch's slowest block.
double slowest_cycles(std::span<const block_record> blocks) {
  double longest = 0;
  for (const block_record& r : blocks)
    longest = std::max(longest, static_cast<double>(r.last_cycle - r.first_cycle));
  return longest;
}

// Returns the loop repetitions in a sample's launch.
std::uint32_t share_of(std::uint32_t trips, const cell_places& places, unsigned launch) {
  return trips / places.count + (launch < trips % places.count ? 1 : 0);
}

}  // namespace

cell_places cuda_rig::places_for(std::size_t index) const {
  cell_places places = spread(cell_draw_, launches());
  const std::uint64_t ops_per_trip =
      what_->info.unroll * ops_in_step(what_->info, counts.at(index));
  for (unsigned n = 0; n < places.count; ++n)
    places.ops[n] = share_of(trips_, places, n) * ops_per_trip;
  return places;
}

// The host's clock also times a single launch. Everything is in the stream before the host waits: a
// separate round trip for the check would cost more than the check.
sample cuda_rig::measure(std::size_t index) {
  if (in_queue_) return read_sample(next_sample_++);
  if (what_->hooks.before != nullptr) what_->hooks.before(*this);
  begin_queue(1);
  const std::int64_t start_ns = queue_sample(index, true);
  fetch_queue();
  const bool alone = launches() == 1;
  double host_ns = 0;
  if (alone) {
    SM_CUDA(cudaEventSynchronize(clocks_of(0).end.get()));
    host_ns = static_cast<double>(now_ns() - start_ns);
  }
  SM_CUDA(cudaStreamSynchronize(stream_.get()));
  sample taken = read_sample(0);
  taken.host_ns = host_ns;
  if (taken.failure.empty())
    taken.failure = objects_.check(places_for(index).ops[0], stream_.get());
  return taken;
}

void cuda_rig::begin_queue(std::size_t samples) {
  while (clocks_of_.size() < samples) clocks_of_.emplace_back();
  records_.fit(samples * sample_records() * sizeof(block_record));
  if (setup_.gate_opens_at > 0) {
    gates_.fit(samples * gate_line_bytes);
    SM_CUDA(cudaMemsetAsync(gates_.get(), 0, samples * gate_line_bytes, stream_.get()));
  }
  check_.begin(samples, launches(), stream_.get());
  queued_ = 0;
}

// Returns the host time before the launch in ns, if requested and if the sample is a single launch.
// Only then nothing else runs on the device.
std::int64_t cuda_rig::queue_sample(std::size_t index, bool by_host) {
  const cell_places places = places_for(index);
  queue_resets(places);
  if (setup_.gate_opens_at > 0)
    setup_.gate =
        static_cast<unsigned*>(gates_.get()) + queued_ * gate_line_bytes / sizeof(unsigned);
  const sample_clocks& clocks = clocks_of(queued_);
  const bool alone = places.count == 1;
  std::int64_t start_ns = 0;
  for (unsigned n = 0; n < places.count; ++n) {
    use_place(places, n);
    queue_more_resets();
    objects_.queue(where_.blocks, where_.lanes, stream_.get());
    if (alone) move_ring();
    if (alone && by_host) {
      SM_CUDA(cudaStreamSynchronize(stream_.get()));
      start_ns = now_ns();
    }
    if (alone) SM_CUDA(cudaEventRecord(clocks.begin.get(), stream_.get()));
    launch(index, share_of(trips_, places, n));
  }
  if (alone) SM_CUDA(cudaEventRecord(clocks.end.get(), stream_.get()));
  use_place(places, 0);
  check_.queue(setup_, arrays(), places, stream_.get());
  ++queued_;
  return start_ns;
}

void cuda_rig::fetch_queue() {
  check_.fetch(stream_.get());
  const std::size_t bytes = queued_ * sample_records() * sizeof(block_record);
  SM_CUDA(cudaMemcpyAsync(host_records_.fit(bytes), records_.get(), bytes, cudaMemcpyDeviceToHost,
                          stream_.get()));
}

sample cuda_rig::read_sample(std::size_t at) {
  sample taken;
  const auto* const records = static_cast<const block_record*>(host_records_.get());
  read_clocks(taken, {records + at * sample_records(), sample_records()}, clocks_of(at));
  taken.failure = check_.verdict(at);
  return taken;
}

// Only the rig's own kernels can wait, without checks between samples.
bool cuda_rig::can_wait_in_queue() const {
  return what_->hooks.before == nullptr && what_->object.bytes == 0 &&
         what_->by_count[0] == nullptr;
}

void cuda_rig::expect(std::span<const std::vector<std::size_t>> rounds, std::uint32_t trips) {
  expected_.clear();
  expected_at_ = 0;
  if (!can_wait_in_queue()) return;
  trips_ = trips;
  std::size_t samples = 0;
  for (const auto& round : rounds) samples += round.size();
  begin_queue(samples);
  const std::int64_t begin_ns = now_ns();
  hold_stream(hold_.ns(samples * launches(), where_.scope == scope::system), stream_.get());
  for (const auto& round : rounds) {
    cell_draw_ = next_draw(cell_draw_);
    expected_.push_back(queued_);
    for (const std::size_t index : round) queue_sample(index, false);
    hold_.learn(now_ns() - begin_ns, queued_ * launches());
  }
  fetch_queue();
  SM_CUDA(cudaStreamSynchronize(stream_.get()));
}

void cuda_rig::begin_round() {
  in_queue_ = expected_at_ < expected_.size();
  if (in_queue_) next_sample_ = expected_[expected_at_++];
  else cell_draw_ = next_draw(cell_draw_);
}

void cuda_rig::walk_on(walk kind) {
  if (kind == walk::none || kind == walk::shared_memory || kind == ring_kind_) return;
  const auto [entries, pitch] = shape_of(kind, device_);
  ring_kind_ = walk::none;  // the old ring is gone, even if memory for this ring is missing
  setup_.ring = static_cast<std::byte*>(ring_.fit(entries * pitch));
  fill_ring(setup_.ring, entries, pitch, stream_.get());
  SM_CUDA(cudaStreamSynchronize(stream_.get()));
  ring_kind_ = kind;
}

// Moves to another part of a ring larger than L2, because L2 now holds the last part.
void cuda_rig::move_ring() {
  if (ring_kind_ != walk::device) return;
  const auto [entries, pitch] = shape_of(ring_kind_, device_);
  ring_start_ = next_draw(ring_start_);
  setup_.ring = static_cast<std::byte*>(ring_.get()) + (ring_start_ >> 33U) % entries * pitch;
}

// Updates and stores without a wait may be under way at the loop's end. If blocks also share the
// way to memory, the slowest block does not represent all blocks. Events time such points.
// Barriers, fences and ops within a warp end with the loop, and the gate starts blocks together.
// Therefore their slowest block represents all, a hundred times more precisely.
bool cuda_rig::is_over_with_its_loop() const {
  if (where_.blocks == 1) return true;
  const op_info& info = what_->info;
  const bool waited_for = info.family == family::barrier || info.family == family::warp ||
                          info.family == family::group || info.family == family::fence ||
                          info.family == family::control;
  return waited_for && info.places == places::none && setup_.gate_opens_at > 0;
}

// Computes Jain's index over a launch's warps, and the ratio of the slowest and fastest warp.
void cuda_rig::read_sharing(sample& taken, std::span<const block_record> blocks) const {
  double rates = 0, squares = 0, shortest = blocks.front().shortest, longest = 0;
  std::size_t warps = 0;
  for (const block_record& r : blocks) {
    rates += r.rate_sum;
    squares += r.rate_square_sum;
    shortest = std::min(shortest, r.shortest);
    longest = std::max(longest, r.longest);
    warps += r.warps;
  }
  taken.fairness = squares > 0 ? rates * rates / (static_cast<double>(warps) * squares) : 1;
  taken.slowest_over_fastest = shortest > 0 ? longest / shortest : 1;
}

// Reads cycles of the blocks' multiprocessors if the loops' end is the end of the measured work.
// Otherwise uses the events around the launch. The sides' difference cancels the launch, except for
// the microsecond by which launches differ.
void cuda_rig::read_clocks(sample& taken, std::span<const block_record> all,
                           const sample_clocks& clocks) {
  read_sharing(taken, all.last(where_.blocks));
  // The clock in the sample: for one block over all launches, for many blocks their median.
  std::vector<double> ghz;
  double cycles = 0, ns = 0;
  for (const block_record& r : all) {
    cycles += static_cast<double>(r.lane_cycles);
    ns += static_cast<double>(r.lane_ns);
    if (where_.blocks > 1 && static_cast<double>(r.lane_ns) >= shortest_clocked_ns(1))
      ghz.push_back(static_cast<double>(r.lane_cycles) / static_cast<double>(r.lane_ns));
  }
  if (where_.blocks == 1 && ns >= shortest_clocked_ns(launches())) ghz.push_back(cycles / ns);
  // A sample too short for its clock is only a warm-up, without an estimate.
  if (!ghz.empty()) note_clock(taken, median(ghz));
  if (!is_over_with_its_loop()) {
    taken.span_ns = ns_between(clocks.begin, clocks.end);
    taken.cycles = taken.span_ns * last_ghz();
    return;
  }
  for (std::size_t first = 0; first < all.size(); first += where_.blocks)
    taken.cycles += slowest_cycles(all.subspan(first, where_.blocks));
  taken.span_ns = taken.cycles / last_ghz();
}

}  // namespace syncmeter::cuda
