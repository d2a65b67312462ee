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

/// Returns the paths in the code: a tree has all paths, even unused ones.
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

  // Computes the expected words on the host, for each possible first path.
  void queue_check(std::uint64_t ops, own_outcome* found) override {
    const unsigned paths = std::max(where_.size, 1U);
    std::array<std::uint32_t, most_paths> expected{};
    for (unsigned first = 0; first < paths; ++first)
      expected.at(first) = word_after(ops, first, paths_in_code(*what_));
    auto* const words = static_cast<std::uint32_t*>(expected_.fit(sizeof expected));
    // From pageable memory, this call returns after the host's copy is free.
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

// Declares the multiplies of every path in the code, and the tree's branches. A selection has no
// branch.
nlohmann::json declares(const measurable& row) {
  const unsigned paths = paths_in_code(row);
  const std::string work = fmt::format("imad {}", rounds_of_path * paths);
  if (row.form.size != 0) return declared_sass({work});
  return declared_sass({work + fmt::format(", branch {}", paths - 1)});
}

}  // namespace

row_group divergence_group() { return {divergence_rows(), &make_rig<divergence_rig>, &declares}; }

}  // namespace syncmeter::cuda
