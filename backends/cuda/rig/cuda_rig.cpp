#include "backends/cuda/rig/cuda_rig.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

// Allocated from the first point with cells on, to keep most points' cells in the same memory.
constexpr std::size_t least_array_bytes = std::size_t{64} << 20U;

}  // namespace

cuda_rig::cuda_rig(const device_facts& device) : gpu_rig{device} {
  const std::int32_t values[] = {1, 0, 0, 0};  // one, zero, and the lock
  SM_CUDA(cudaMemcpy(ones_.fit(sizeof values), values, sizeof values, cudaMemcpyHostToDevice));
  setup_.ones = static_cast<const std::int32_t*>(ones_.get());
  setup_.lock = static_cast<std::int32_t*>(ones_.get()) + 2;
}

bool cuda_rig::has_own_cells() const {
  return where_.placement == placement::strided && where_.stride > 0;
}

void cuda_rig::prepare_point() {
  const measurable& what = *what_;
  const point& where = where_;
  queued_ = 0;
  cell_draw_ = first_draw(visit_);
  expected_.clear();
  expected_at_ = 0;
  in_queue_ = false;
  require_block_fits();
  if (where.active > warp_size || (where.active != 0 && where.lanes % warp_size != 0)) {
    throw point_refused(fmt::format("--active {} with --threads {}: 1 to {} lanes of each warp can "
                                    "be active, and a block must consist of whole warps",
                                    where.active, where.lanes, warp_size));
  }
  if (where.base_offset != 0) throw point_refused("--base-offset applies to CPU backends only");
  if (where.cells != 0) throw point_refused("--variables applies to CPU backends only");
  if (what.info.family == family::handoff && where.scope == scope::block && where.blocks > 1)
    throw point_refused("--scope block orders within one block only; for a handoff between blocks "
                        "use device or system, or --blocks 1");
  if (what.info.family == family::handoff && where.waves)
    throw point_refused(
        "--waves is not supported by a handoff: all warps of its ring must be resident at once");
  const std::size_t own_bytes = own_cell_bytes();
  const std::size_t size = own_bytes > 0 ? own_bytes : what.type ? size_of(*what.type) : 1;
  const bool in_block = where.space == space::shared_memory;
  layout_ = {.type = what.type.value_or(value_type::int32),
             .oracle = what.info.oracle,
             .threads = where.lanes,
             .active = where.active == 0 ? warp_size : where.active};
  if (has_own_cells()) {
    layout_.cells = threads();
    layout_.pitch = own_bytes > 0 ? where.stride * own_bytes : stride_bytes(where);
    layout_.group = 1;
  } else {
    layout_.cells = in_block ? where.blocks : 1;
    layout_.pitch = size;
    layout_.group = in_block ? where.lanes : threads();
  }
  arrays_ = own_bytes > 0                               ? 1
            : what.info.places == places::none          ? 0
            : what.info.pairing == pairing::insert      ? 2
            : what.info.oracle == oracle::written_twice ? 2
                                                        : 1;
  shared_bytes_ = cells_offset;
  if (in_block) shared_bytes_ += has_own_cells() ? where.lanes * layout_.pitch : 16;
  shared_bytes_ += what.info.block_bytes;
  if (shared_bytes_ > device_.shared_bytes_per_block) {
    throw point_refused(
        fmt::format("a block would need {} bytes of shared memory; {} allows at most {}",
                    shared_bytes_, device_.name, device_.shared_bytes_per_block));
  }
  for (const std::size_t index : {0U, 1U}) {
    const void* stub = what.code == nullptr ? nullptr : what.code(index);
    if (what.info.launching == launching::cluster) check_clusters(stub);
    else check_resources(stub);
  }
  fit_memory();
  prepare_more();
  use_place({}, 0);
}

// Returns the resident blocks per multiprocessor. Kernels launched by another API expose only their
// launch bounds: registers then let all threads of a multiprocessor fit.
unsigned cuda_rig::resident_blocks(const void* stub) {
  if (stub == nullptr) {
    return std::min(device_.max_blocks_per_multiprocessor,
                    device_.max_threads_per_multiprocessor / (warps_in(where_.lanes) * warp_size));
  }
  const unsigned blocks = blocks_at_once(stub, where_.lanes, shared_bytes_);
  cudaFuncAttributes attributes{};
  SM_CUDA(cudaFuncGetAttributes(&attributes, stub));
  registers_ = attributes.numRegs;
  static_shared_bytes_ = attributes.sharedSizeBytes;
  return blocks;
}

void cuda_rig::check_resources(const void* stub) {
  registers_ = 0;
  const std::size_t fit = std::size_t{resident_blocks(stub)} * device_.multiprocessors;
  if (where_.blocks <= fit || (where_.waves && fit > 0)) return;
  // The driver knows the limit by threads, and runs more blocks in waves on request. This refusal
  // concerns the kernel's resources, and --waves would not help.
  const std::string limit = registers_ == 0
                                ? "limited by the threads of a multiprocessor"
                                : fmt::format("limited by the kernel's {} registers per thread and "
                                              "{} bytes of shared memory per block",
                                              registers_, static_shared_bytes_ + shared_bytes_);
  throw point_refused(
      fmt::format("{} blocks of {} threads are not co-resident on {}: at most {} blocks are, {}",
                  where_.blocks, where_.lanes, device_.name, fit, limit));
}

// Asks the device for the number of concurrent clusters and their largest size.
void cuda_rig::check_clusters(const void* stub) {
  const unsigned size = std::max(where_.size, 1U);
  if (device_.largest_cluster == 0) {
    throw point_refused(fmt::format("thread block clusters need compute capability 9.0; {} has {}",
                                    device_.name, device_.compute_capability));
  }
  if (size > device_.largest_cluster || where_.blocks % size != 0) {
    throw point_refused(fmt::format("--blocks {} with --size {}: a cluster on {} has at most {} "
                                    "blocks, and --blocks must be a multiple of --size",
                                    where_.blocks, size, device_.name, device_.largest_cluster));
  }
  allow_clusters_of(size, stub);
  const launch_config config{shape()};
  int clusters = 0;
  const cudaError_t code = cudaOccupancyMaxActiveClusters(&clusters, stub, config.get());
  static_cast<void>(cudaGetLastError());
  if (code == cudaErrorInvalidClusterSize || (code == cudaSuccess && clusters == 0)) {
    throw point_refused(fmt::format("{} cannot run a cluster of {} blocks of {} threads each",
                                    device_.name, size, where_.lanes));
  }
  SM_CUDA(code);
  if (where_.blocks > static_cast<unsigned>(clusters) * size && !where_.waves) {
    throw point_refused(fmt::format(
        "{} clusters of {} blocks of {} threads are not co-resident on {}: at most {} clusters are",
        where_.blocks / size, size, where_.lanes, device_.name, clusters));
  }
  static_cast<void>(resident_blocks(stub));  // the kernel's registers
}

std::size_t cuda_rig::array_bytes() const { return layout_.cells * layout_.pitch + roaming_bytes; }

void cuda_rig::fit_memory() {
  const std::size_t bytes = std::max(array_bytes(), least_array_bytes);
  if (arrays_ > 0) cells_.fit(bytes);
  if (arrays_ > 1) second_cells_.fit(bytes);
  // One block on a few lines uses one L2 slice, near or far, and the median over rounds would jump
  // between the two. Therefore such a sample is the sum of launches on cells in various places, the
  // same on both sides of a round.
  const bool few_lines = where_.blocks == 1 && arrays_ > 0 &&
                         where_.space != space::shared_memory && what_->object.bytes == 0 &&
                         layout_.cells * layout_.pitch <= few_bytes;
  most_launches_ = few_lines ? cell_places::most : 1;
  setup_.mailboxes = static_cast<std::byte*>(mailboxes_.fit(warps() * mailbox_bytes));
  outcomes_.fit(most_launches_ * threads() * sizeof(lane_outcome));
  setup_.sinks = static_cast<std::uint64_t*>(sinks_.fit(threads() * sizeof(std::uint64_t)));
  setup_.gate = static_cast<unsigned*>(gates_.fit(gate_line_bytes));
  setup_.gate_opens_at = where_.blocks > 1 && !where_.waves ? where_.blocks : 0;
  setup_.stride_bytes = has_own_cells() ? static_cast<unsigned>(layout_.pitch) : 0;
  setup_.active = layout_.active;
  setup_.oracle = what_->info.oracle;
  setup_.size = where_.size;
  objects_.prepare(what_->object, where_, setup_);
  check_.prepare(*what_, where_, layout_);
}

std::array<std::byte*, 2> cuda_rig::arrays() const {
  return {arrays_ > 0 ? first_array() : nullptr,
          arrays_ > 1 ? static_cast<std::byte*>(second_cells_.get()) : nullptr};
}

// Selects the memory of the sample's launch number `launch`.
void cuda_rig::use_place(const cell_places& places, unsigned launch) {
  const auto [first, second] = arrays();
  setup_.cells = first == nullptr ? nullptr : first + places.offset[launch];
  setup_.second_cells = second == nullptr ? nullptr : second + places.offset[launch];
  setup_.outcomes = static_cast<lane_outcome*>(outcomes_.get()) + launch * threads();
  setup_.records = static_cast<block_record*>(records_.get()) + queued_ * sample_records() +
                   launch * where_.blocks;
}

void cuda_rig::queue_resets(const cell_places& places) {
  if (uses_lock()) SM_CUDA(cudaMemsetAsync(setup_.lock, 0, sizeof *setup_.lock, stream_.get()));
  if (what_->info.family == family::handoff) {
    SM_CUDA(cudaMemsetAsync(setup_.mailboxes, 0xff, warps() * mailbox_bytes, stream_.get()));
    SM_CUDA(cudaMemsetAsync(setup_.mailboxes, 0, sizeof(std::uint64_t), stream_.get()));
  }
  for (std::byte* array : arrays())
    if (array != nullptr && own_cell_bytes() == 0)
      reset_cells(layout_, array, places, stream_.get());
}

launch_shape cuda_rig::shape() const {
  return {.blocks = where_.blocks,
          .lanes = where_.lanes,
          .shared_bytes = shared_bytes_,
          .stream = stream_.get(),
          .cluster = what_->info.launching == launching::cluster ? std::max(where_.size, 1U) : 0,
          .cooperative = what_->info.launching == launching::cooperative};
}

// Launches by the row's body if another API launches its kernels.
void cuda_rig::launch(std::size_t index, std::uint32_t trips) {
  launch_trips_ = trips;
  if (const lane_body body = what_->by_count.at(index)) return body(*this, 0);
  void* arguments[] = {&setup_, &launch_trips_};
  launch_stub(what_->code(index), shape(), arguments);
}

std::uint64_t cuda_rig::run_litmus(const kernel_call& kernel, bool one_block) {
  launch_shape small = shape();
  small.blocks = one_block ? 1 : 2;
  small.lanes = one_block ? std::max(where_.lanes, 2 * warp_size) : warp_size;
  return run_litmus(kernel, small);
}

std::uint64_t cuda_rig::run_litmus(const kernel_call& kernel, launch_shape shape) {
  const std::size_t words = std::max<std::size_t>(4096, std::size_t{shape.blocks} * shape.lanes);
  auto* board = static_cast<unsigned*>(litmus_.fit((words + 2) * sizeof(unsigned)));
  auto* forbidden = reinterpret_cast<unsigned long long*>(board + words);
  SM_CUDA(cudaMemsetAsync(board, 0, (words + 2) * sizeof(unsigned), stream_.get()));
  queue_more_resets();
  objects_.queue(shape.blocks, shape.lanes, stream_.get());
  void* arguments[] = {&setup_, &board, &forbidden};
  kernel.launch(kernel.stub, shape, arguments);
  unsigned long long count = 0;
  SM_CUDA(cudaMemcpyAsync(&count, forbidden, sizeof count, cudaMemcpyDeviceToHost, stream_.get()));
  SM_CUDA(cudaStreamSynchronize(stream_.get()));
  return count;
}

void cuda_rig::describe(nlohmann::json& visit) const {
  gpu_rig::describe(visit);
  if (registers_ != 0) visit["registers"] = registers_;
  const bool in_block = where_.space == space::shared_memory;
  describe_footprint(visit, in_block ? 0 : arrays_ * layout_.cells * layout_.pitch);
}

}  // namespace syncmeter::cuda
