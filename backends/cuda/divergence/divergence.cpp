#include "backends/cuda/divergence/divergence.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/checked_rig.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

/// Paths that are in the code: those of a tree all, whichever are taken.
unsigned paths_in_code(const measurable& row) {
  return row.form.size == 0 ? most_paths : row.form.size;
}

class divergence_rig : public checked_rig {
 public:
  using checked_rig::checked_rig;

 private:
  void prepare_more() override {
    if (where_.size > most_paths)
      throw point_refused(
          fmt::format("--size {}: a branch has at most {} paths", where_.size, most_paths));
  }

  // By the host's own arithmetic, for each path that a lane can begin with.
  void queue_check(std::uint64_t ops, own_outcome* found) override {
    const unsigned paths = std::max(where_.size, 1U);
    std::array<std::uint32_t, most_paths> expected{};
    for (unsigned first = 0; first < paths; ++first)
      expected.at(first) = word_after(ops, first, paths_in_code(*what_));
    auto* const words = static_cast<std::uint32_t*>(expected_.fit(sizeof expected));
    // Of pageable memory this returns when the host's copy may go.
    SM_CUDA(cudaMemcpyAsync(words, expected.data(), sizeof expected, cudaMemcpyHostToDevice,
                            stream_.get()));
    check_words({.lanes = lanes(),
                 .of_block = where_.lanes,
                 .by = static_cast<divergence>(what_->info.kind),
                 .paths = paths},
                setup_.outcomes, words, found, stream_.get());
  }

  device_buffer expected_;
};

// The multiplies of every path that is in the code, and the branches of the tree; where results are
// selected, no branch.
nlohmann::json declares(const measurable& row) {
  const unsigned paths = paths_in_code(row);
  const std::string work = fmt::format("imad {}", rounds_of_path * paths);
  if (row.form.size != 0) return declared_sass({work});
  return declared_sass({work + fmt::format(", branch {}", paths - 1)});
}

}  // namespace

row_group divergence_group() { return {divergence_rows(), &make_rig<divergence_rig>, &declares}; }

}  // namespace syncmeter::cuda
