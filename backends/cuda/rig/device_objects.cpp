#include "backends/cuda/rig/device_objects.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "backends/cuda/lane/cuda_cells.hpp"

namespace syncmeter::cuda {
namespace {

// Separates objects of different threads: adjacent lines must not couple blocks.
constexpr std::size_t block_pitch = 128;

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

bool is_strided(const point& where) { return where.placement == placement::strided; }

bool is_of_grid(const point& where) {
  return where.placement == placement::shared && where.space != space::shared_memory;
}

}  // namespace

std::size_t device_objects::count(unsigned blocks, unsigned lanes) const {
  if (is_of_grid(where_)) return 1;
  return is_strided(where_) ? std::size_t{blocks} * lanes : blocks;
}

void device_objects::prepare(const object_kind& kind, const point& where, kernel_setup& setup) {
  kind_ = kind;
  where_ = where;
  count_ = 0;
  if (kind.bytes == 0) return;
  const std::size_t like = is_strided(where) ? stride_bytes(where) : block_pitch;
  pitch_ = rounded_up(std::max(like, kind.bytes), kind.alignment);
  image_.fit(kind.bytes);
  // A litmus may run on more lanes than the point has, but only in one or two blocks.
  const std::size_t most = std::max(count(where.blocks, where.lanes), count(2, 2 * warp_size));
  setup.data = static_cast<std::byte*>(objects_.fit(most * pitch_));
  setup.data_bytes = pitch_;
}

void device_objects::queue(unsigned blocks, unsigned lanes, cudaStream_t stream) {
  if (kind_.bytes == 0) return;
  count_ = count(blocks, lanes);
  who_.lanes = static_cast<unsigned>(std::size_t{blocks} * lanes / count_);
  // aligned_alloc needs multiples of the alignment, like a type's size.
  const std::unique_ptr<void, decltype(&std::free)> made{
      std::aligned_alloc(std::max(kind_.alignment, sizeof(void*)),
                         rounded_up(kind_.bytes, std::max(kind_.alignment, sizeof(void*)))),
      &std::free};
  if (made == nullptr) throw std::bad_alloc{};
  kind_.make(made.get(), who_);
  // From pageable memory: the call copies the bytes before it returns.
  SM_CUDA(cudaMemcpyAsync(image_.get(), made.get(), kind_.bytes, cudaMemcpyHostToDevice, stream));
  kind_.destroy(made.get());
  fill_objects(static_cast<std::byte*>(objects_.get()), static_cast<const std::byte*>(image_.get()),
               kind_.bytes, pitch_, count_, stream);
}

std::string device_objects::check(std::uint64_t ops, cudaStream_t stream) {
  if (kind_.check == nullptr || count_ == 0) return {};
  const std::size_t bytes = count_ * pitch_;
  const auto* const objects = static_cast<const std::byte*>(host_.fit(bytes));
  SM_CUDA(cudaMemcpyAsync(host_.get(), objects_.get(), bytes, cudaMemcpyDeviceToHost, stream));
  SM_CUDA(cudaStreamSynchronize(stream));
  for (std::size_t i = 0; i < count_; ++i) {
    const std::string wrong = kind_.check(objects + i * pitch_, {.lanes = who_.lanes, .ops = ops});
    if (!wrong.empty()) return fmt::format("object {}: {}", i, wrong);
  }
  return {};
}

}  // namespace syncmeter::cuda
