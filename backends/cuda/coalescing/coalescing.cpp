#include "backends/cuda/coalescing/coalescing.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cell_places.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

// Working sets against L2: far more than it holds, and far less, for each half of it may hold a
// copy of what lies in the other. What is read between two samples replaces all of it.
constexpr std::size_t beyond_l2 = 16;
constexpr std::size_t inside_l2 = 4;
constexpr std::size_t swept_l2 = 2;

bool is_of_banks(const op_info& info) { return words_of(info) == words_in::banks; }

// Why a point is not supported; empty where it is.
std::string why_not(const op_info& info, const point& where) {
  if (where.lanes % warp_size != 0)
    return fmt::format("--lanes {}: must be a multiple of {} (whole warps)", where.lanes,
                       warp_size);
  if (is_of_banks(info) && (where.size < 1 || where.size > warp_size))
    return fmt::format("--size {}: the number of lanes on one bank is 1 to {}", where.size,
                       warp_size);
  const pattern how = pattern_of(info);
  if (how == pattern::strided && (where.size < 1 || where.size > warp_size))
    return fmt::format("--size {}: the stride is 1 to {} words", where.size, warp_size);
  if (how == pattern::misaligned && (where.size % word_bytes != 0 || where.size > line_bytes))
    return fmt::format("--size {}: the offset is a multiple of {} bytes, at most {}", where.size,
                       word_bytes, line_bytes);
  return {};
}

}  // namespace

void coalescing_rig::prepare_more(const measurable& what, const point& where, kernel_setup& setup) {
  checked_rig::prepare_more(what, where, setup);
  if (auto reason = why_not(what.info, where); !reason.empty())
    throw point_refused(std::move(reason));
  what_ = &what;
  in_l2_ = words_of(what.info) == words_in::l2;
  working_set_ = {.bytes = bank_bytes, .lanes = lanes(), .size = where.size};
  if (is_of_banks(what.info)) return;
  const std::size_t largest = std::min(std::bit_ceil(beyond_l2 * device().l2_bytes),
                                       std::bit_floor(device().memory_bytes / 8));
  working_set_.bytes = in_l2_ ? std::bit_floor(device().l2_bytes / inside_l2) : largest;
  // Twice that, so that it can begin anywhere in the first half.
  setup.data = static_cast<std::byte*>(words_.fit(2 * largest));
  setup.data_bytes = working_set_.bytes;
  if (!has_words_) fill_words(setup.data, 2 * largest, shape().stream);
  has_words_ = true;
}

void coalescing_rig::queue_first(kernel_setup& setup, cudaStream_t stream) {
  if (is_of_banks(what_->info)) return;
  draw_ = next_draw(draw_);
  auto* const words = static_cast<std::byte*>(words_.get());
  constexpr std::size_t page = 4096;
  setup.data = words + (draw_ >> 24U) % (working_set_.bytes / page) * page;
  auto* const sink = static_cast<std::uint32_t*>(swept_.fit(sweep_sinks * sizeof(std::uint32_t)));
  if (in_l2_) {
    sweep(setup.data, working_set_.bytes, sink, stream);
  } else {
    // Something that it does not read, so that nothing of what it reads is left there.
    const auto before = static_cast<std::size_t>(setup.data - words);
    const std::size_t rest = std::min(swept_l2 * device().l2_bytes, working_set_.bytes / 2);
    sweep(before >= rest ? words : setup.data + working_set_.bytes, rest, sink, stream);
  }
}

void coalescing_rig::queue_check(const kernel_setup& setup, std::uint64_t ops, own_outcome* found,
                                 cudaStream_t stream) {
  const auto* const words = static_cast<const std::byte*>(words_.get());
  const bool banks = is_of_banks(what_->info);
  const std::size_t first = banks ? 0 : static_cast<std::size_t>(setup.data - words);
  check_sums({.how = pattern_of(what_->info),
              .what = working_set_,
              .first_index = static_cast<std::uint32_t>(first / word_bytes),
              .of_block = shape().lanes,
              .ops = ops,
              .banks = banks},
             setup.outcomes, found, stream);
}

void coalescing_rig::describe(nlohmann::json& visit) const {
  checked_rig::describe(visit);
  visit["working_set_bytes"] = working_set_.bytes;
}

nlohmann::json coalescing_instructions(const measurable& row) {
  if (is_of_banks(row.info)) return declared_sass("LDS 1");
  const pattern how = pattern_of(row.info);
  if (how == pattern::row_walk || how == pattern::column_walk)
    return declared_sass("LDG.STRONG.SM 1");
  return declared_sass(how == pattern::random ? "LDG.STRONG.GPU 2" : "LDG.STRONG.GPU 1");
}

}  // namespace syncmeter::cuda
