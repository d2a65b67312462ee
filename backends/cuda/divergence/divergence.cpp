#include "backends/cuda/divergence/divergence.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/cuda_census.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

/// Paths that are in the code: those of a tree all, whichever are taken.
unsigned paths_in_code(const measurable& row) {
  return row.form.size == 0 ? most_paths : row.form.size;
}

}  // namespace

void divergence_rig::prepare_more(const measurable& what, const point& where, kernel_setup& setup) {
  checked_rig::prepare_more(what, where, setup);
  if (where.size > most_paths)
    throw point_refused(
        fmt::format("--size {}: a branch has at most {} paths", where.size, most_paths));
  what_ = &what;
  size_ = std::max(where.size, 1U);
}

// By the host's own arithmetic, for each path that a lane can begin with.
void divergence_rig::queue_check(const kernel_setup& setup, std::uint64_t ops, own_outcome* found,
                                 cudaStream_t stream) {
  std::array<std::uint32_t, most_paths> expected{};
  for (unsigned first = 0; first < size_; ++first)
    expected.at(first) = word_after(ops, first, paths_in_code(*what_));
  auto* const words = static_cast<std::uint32_t*>(expected_.fit(sizeof expected));
  // Of pageable memory this returns when the host's copy may go.
  SM_CUDA(cudaMemcpyAsync(words, expected.data(), sizeof expected, cudaMemcpyHostToDevice, stream));
  check_words({.lanes = lanes(),
               .of_block = shape().lanes,
               .by = static_cast<divergence>(what_->info.kind),
               .paths = size_},
              setup.outcomes, words, found, stream);
}

// The multiplies of every path that is in the code, and the branches of the tree; where results are
// selected, no branch.
nlohmann::json divergence_instructions(const measurable& row) {
  const unsigned paths = paths_in_code(row);
  const std::string work = fmt::format("imad {}", rounds_of_path * paths);
  if (row.form.size != 0) return declared_sass(work);
  return declared_sass(work + fmt::format(", branch {}", paths - 1));
}

}  // namespace syncmeter::cuda
