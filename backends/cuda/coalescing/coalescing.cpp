#include "backends/cuda/coalescing/coalescing.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cell_places.hpp"
#include "backends/cuda/rig/checked_rig.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

// Working set sizes relative to L2: far larger, and far smaller, because each L2 half may copy
// lines from the other half. The reads between two samples replace the whole L2.
constexpr std::size_t beyond_l2 = 16;
constexpr std::size_t inside_l2 = 4;
constexpr std::size_t swept_l2 = 2;

bool is_of_banks(const op_info& info) { return words_of(info) == words_in::banks; }

// Returns the reason if a point is not supported, else an empty text.
std::string why_not(const op_info& info, const point& where) {
  if (where.lanes % warp_size != 0)
    return fmt::format("--threads {}: must be a multiple of {} (whole warps)", where.lanes,
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

/// Makes the lanes' words once for all points. A point's working set starts at another place each
/// time, because device memory samples must not find the last sample's words in L2.
class coalescing_rig : public checked_rig {
 public:
  using checked_rig::checked_rig;

  /// Adds "working_set_bytes".
  void describe(nlohmann::json& visit) const override {
    checked_rig::describe(visit);
    visit["working_set_bytes"] = working_set_.bytes;
  }

 private:
  void prepare_more() override;
  void queue_first() override;
  void queue_check(std::uint64_t ops, own_outcome* found) override;

  working_set working_set_;
  bool in_l2_ = false;
  bool has_words_ = false;
  std::uint64_t draw_ = 1;
  device_buffer words_, swept_;
};

void coalescing_rig::prepare_more() {
  if (auto reason = why_not(what_->info, where_); !reason.empty())
    throw point_refused(std::move(reason));
  in_l2_ = words_of(what_->info) == words_in::l2;
  working_set_ = {.bytes = bank_bytes, .lanes = lanes(), .size = where_.size};
  if (is_of_banks(what_->info)) return;
  const std::size_t largest = std::min(std::bit_ceil(beyond_l2 * device_.l2_bytes),
                                       std::bit_floor(device_.memory_bytes / 8));
  working_set_.bytes = in_l2_ ? std::bit_floor(device_.l2_bytes / inside_l2) : largest;
  // Twice the size, to let the set begin anywhere in the first half.
  setup_.data = static_cast<std::byte*>(words_.fit(2 * largest));
  setup_.data_bytes = working_set_.bytes;
  if (!has_words_) fill_words(setup_.data, 2 * largest, stream_.get());
  has_words_ = true;
}

void coalescing_rig::queue_first() {
  if (is_of_banks(what_->info)) return;
  draw_ = next_draw(draw_);
  auto* const words = static_cast<std::byte*>(words_.get());
  constexpr std::size_t page = 4096;
  setup_.data = words + (draw_ >> 24U) % (working_set_.bytes / page) * page;
  auto* const sink = static_cast<std::uint32_t*>(swept_.fit(sweep_sinks * sizeof(std::uint32_t)));
  if (in_l2_) {
    sweep(setup_.data, working_set_.bytes, sink, stream_.get());
  } else {
    // Reads memory outside the working set, to leave none of it in L2.
    const auto before = static_cast<std::size_t>(setup_.data - words);
    const std::size_t rest = std::min(swept_l2 * device_.l2_bytes, working_set_.bytes / 2);
    sweep(before >= rest ? words : setup_.data + working_set_.bytes, rest, sink, stream_.get());
  }
}

void coalescing_rig::queue_check(std::uint64_t ops, own_outcome* found) {
  const auto* const words = static_cast<const std::byte*>(words_.get());
  const bool banks = is_of_banks(what_->info);
  const std::size_t first = banks ? 0 : static_cast<std::size_t>(setup_.data - words);
  check_sums({.how = pattern_of(what_->info),
              .what = working_set_,
              .first_index = static_cast<std::uint32_t>(first / word_bytes),
              .of_block = where_.lanes,
              .ops = ops,
              .banks = banks},
             setup_.outcomes, found, stream_.get());
}

nlohmann::json declares(const measurable& row) {
  if (is_of_banks(row.info)) return declared_sass({"LDS 1"});
  const pattern how = pattern_of(row.info);
  if (how == pattern::row_walk || how == pattern::column_walk)
    return declared_sass({"LDG.STRONG.SM 1"});
  return declared_sass({how == pattern::random ? "LDG.STRONG.GPU 2" : "LDG.STRONG.GPU 1"});
}

}  // namespace

row_group coalescing_group() { return {coalescing_rows(), &make_rig<coalescing_rig>, &declares}; }

}  // namespace syncmeter::cuda
