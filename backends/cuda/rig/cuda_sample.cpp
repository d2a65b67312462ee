// One sample on a GPU: launches, clocks, and the check behind each.
#include <algorithm>

#include "backends/cuda/lane/cuda_places.hpp"
#include "backends/cuda/rig/cuda_rig.hpp"
#include "core/harness/stats.hpp"

namespace syncmeter::cuda {
namespace {

// Cells that fit so little memory are served by few slices; then a sample is taken at so many
// places.
constexpr std::size_t few_bytes = 4096;
constexpr std::uint32_t places_in_a_sample = 16;

}  // namespace

// One block on a few lines of memory meets one slice of L2, near or far, and the median over rounds
// would jump between the two. So such a sample is the sum of launches on cells here and there, the
// same places on both sides of a round.
unsigned cuda_rig::launches_for(std::uint32_t trips) const {
  const bool few_lines = where_.blocks == 1 && arrays_ > 0 &&
                         where_.space != space::shared_memory &&
                         layout_.cells * layout_.pitch <= few_bytes;
  return few_lines ? std::min(trips, places_in_a_sample) : 1;
}

// Many launches follow one another without a pause, each with the kernels that reset and check its
// cells: the host's time would tell of these as well, and is not taken.
sample cuda_rig::take(std::size_t index, std::uint32_t trips) {
  require_built(*what_, index);
  if (what_->hooks.before != nullptr) what_->hooks.before(*this);
  const unsigned launches = launches_for(trips);
  const std::size_t record_bytes = launches * where_.blocks * sizeof(block_record);
  auto* const records = static_cast<block_record*>(records_.fit(record_bytes));
  const std::uint64_t ops_per_trip =
      what_->info.unroll * ops_in_step(what_->info, counts.at(index));
  check_.begin(launches, stream_.get());
  sample taken;
  std::uint64_t draw = cell_draw_;
  for (unsigned n = 0; n < launches; ++n) {
    if (n > 0) place_cells(offset_of(draw = next_draw(draw ^ n)));
    const std::uint32_t share = trips / launches + (n < trips % launches ? 1 : 0);
    setup_.records = records + n * where_.blocks;
    queue_resets();
    if (launches == 1) taken.host_ns = timed_launch(index, share);
    else launch(index, share);
    check_.queue(setup_, share * ops_per_trip, stream_.get());
  }
  if (launches > 1) place_cells(offset_of(cell_draw_));
  SM_CUDA(cudaMemcpyAsync(host_records_.fit(record_bytes), records, record_bytes,
                          cudaMemcpyDeviceToHost, stream_.get()));
  check_.collect(stream_.get());
  SM_CUDA(cudaStreamSynchronize(stream_.get()));
  read_clocks(taken, launches);
  taken.failure = check_.verdict();
  return taken;
}

// The host's time around the launch, in ns; nothing else is under way on the device.
double cuda_rig::timed_launch(std::size_t index, std::uint32_t trips) {
  move_ring();
  SM_CUDA(cudaStreamSynchronize(stream_.get()));
  const auto start = now_ns();
  SM_CUDA(cudaEventRecord(begin_.get(), stream_.get()));
  launch(index, trips);
  SM_CUDA(cudaEventRecord(end_.get(), stream_.get()));
  SM_CUDA(cudaEventSynchronize(end_.get()));
  return static_cast<double>(now_ns() - start);
}

// Another stretch of a ring that is larger than L2 each time: the last one is in L2 now.
void cuda_rig::move_ring() {
  if (ring_kind_ != walk::device) return;
  const auto [entries, pitch] = shape_of(ring_kind_, device_);
  ring_start_ = next_draw(ring_start_);
  setup_.ring = static_cast<std::byte*>(ring_.get()) + (ring_start_ >> 33U) % entries * pitch;
}

// Jain's index over the warps of a launch, and its slowest against its fastest.
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

// Inside one multiprocessor its cycles, across several the events around the launch: the difference
// of the two sides cancels the launch.
void cuda_rig::read_clocks(sample& taken, std::size_t launches) {
  const std::span all{static_cast<const block_record*>(host_records_.get()),
                      launches * where_.blocks};
  read_sharing(taken, all.last(where_.blocks));
  // The clock that ran: of one block over all its launches, of many blocks their median.
  std::vector<double> ghz;
  double cycles = 0, ns = 0;
  for (const block_record& r : all) {
    cycles += static_cast<double>(r.lane_cycles);
    ns += static_cast<double>(r.lane_ns);
    if (where_.blocks > 1 && static_cast<double>(r.lane_ns) >= shortest_clocked_ns(1))
      ghz.push_back(static_cast<double>(r.lane_cycles) / static_cast<double>(r.lane_ns));
  }
  if (where_.blocks == 1 && ns >= shortest_clocked_ns(launches)) ghz.push_back(cycles / ns);
  // A sample too short to clock is only a warm-up; nothing is estimated from it.
  if (!ghz.empty()) {
    ghz_seen_.push_back(median(ghz));
    if (clock_.is_throttled(ghz_seen_.back())) taken.dropped = drop::throttled;
  }
  const double clock_ghz = clock_.last_ghz();
  if (where_.blocks == 1) {
    for (const block_record& r : all)
      taken.cycles += static_cast<double>(r.last_cycle - r.first_cycle);
    taken.span_ns = taken.cycles / clock_ghz;
  } else {
    float event_ms = 0;
    SM_CUDA(cudaEventElapsedTime(&event_ms, begin_.get(), end_.get()));
    taken.span_ns = static_cast<double>(event_ms) * 1e6;
    taken.cycles = taken.span_ns * clock_ghz;
  }
}

}  // namespace syncmeter::cuda
