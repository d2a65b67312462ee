#include "backends/cuda/accumulate/accumulate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cell_places.hpp"
#include "backends/cuda/rig/checked_rig.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

/// Clears all cells before each sample, compares them after it, and moves them in each round. Once
/// per visit it adds values that need rounding, and the visit reports the largest error.
class accumulate_rig : public checked_rig {
 public:
  using checked_rig::checked_rig;

  void begin_round() override {
    checked_rig::begin_round();
    draw_ = next_draw(draw_);
  }
  /// Adds "relative_error" if values can be rounded.
  void describe(nlohmann::json& visit) const override {
    checked_rig::describe(visit);
    if (rounds(of())) visit["relative_error"] = relative_error_;
    describe_footprint(visit, cell_bytes());
  }

 private:
  void prepare_more() override;
  void queue_first() override;
  void queue_check(std::uint64_t ops, own_outcome* found) override;
  [[nodiscard]] std::string wrong(const own_outcome& found, std::uint64_t ops) const override;
  void require_supported() const;
  void find_error();
  [[nodiscard]] accumulation of() const { return from_kind(what_->info.kind); }
  [[nodiscard]] std::size_t cell_bytes() const { return updates_.cells * cell_size(of()); }

  update_set updates_;
  std::uint64_t draw_ = 1;
  double relative_error_ = 0;
  device_buffer data_, sums_, errors_;
};

void accumulate_rig::require_supported() const {
  require_whole_warps("scatter-add");
  if (where_.size > most_cells || !std::has_single_bit(where_.size))
    throw point_refused(
        fmt::format("--size {}: the number of distinct addresses is a power of two, at most {}",
                    where_.size, most_cells));
  if (has_copy(of().how) && where_.size > most_cells_of_block)
    throw point_refused(
        fmt::format("--size {}: a block's copy in shared memory has at most {} cells", where_.size,
                    most_cells_of_block));
  if (of().how == adding::block_by_bulk && device_.largest_cluster == 0)
    throw point_refused(fmt::format("cp.reduce.async.bulk needs compute capability 9.0; {} has {}",
                                    device_.name, device_.compute_capability));
}

void accumulate_rig::prepare_more() {
  require_supported();
  draw_ = first_draw(visit_);
  updates_ = {.cells = where_.size, .lanes = lanes()};
  const std::size_t most = std::max(least_cells, std::size_t{updates_.cells});
  data_.fit(roaming_bytes + bytes_before_cells + most * sizeof(std::int64_t));
  sums_.fit(most * sizeof(std::int64_t));
  errors_.fit(sizeof(update_errors));
  if (rounds(of())) find_error();
}

void accumulate_rig::queue_first() {
  setup_.data = static_cast<std::byte*>(data_.get()) + offset_of(draw_);
  const std::size_t cells = std::max(cell_bytes(), least_cells * cell_size(of()));
  SM_CUDA(cudaMemsetAsync(setup_.data, 0, bytes_before_cells + cells, stream_.get()));
  // From pageable memory, this call returns after the host's copy is free.
  SM_CUDA(cudaMemcpyAsync(setup_.data, &updates_, sizeof updates_, cudaMemcpyHostToDevice,
                          stream_.get()));
  SM_CUDA(cudaMemsetAsync(errors_.get(), 0, sizeof(update_errors), stream_.get()));
}

void accumulate_rig::queue_check(std::uint64_t ops, own_outcome* found) {
  check_updates({.what = updates_,
                 .ops = ops,
                 .of = of(),
                 .data = setup_.data,
                 .expected = static_cast<long long*>(sums_.get())},
                found, static_cast<update_errors*>(errors_.get()), stream_.get());
}

// Runs one trip with a measured op and rounded values.
void accumulate_rig::find_error() {
  updates_.rounded = true;
  const sample taken = take(1, 1);
  updates_.rounded = false;
  if (!taken.failure.empty()) throw std::runtime_error("rounded values: " + taken.failure);
  update_errors found;
  SM_CUDA(cudaMemcpy(&found, errors_.get(), sizeof found, cudaMemcpyDeviceToHost));
  relative_error_ = found.largest;
}

std::string accumulate_rig::wrong(const own_outcome& found, std::uint64_t ops) const {
  return fmt::format("oracle: {} of {} cells are wrong, for example cell {}: it holds {} after {} "
                     "adds by each of {} threads, expected {}",
                     found.wrong, updates_.cells, found.at,
                     std::bit_cast<double>(found.lane.operand), ops * adds_of_op, lanes(),
                     std::bit_cast<double>(found.held));
}

// Each form has a loop over an op's adds: one branch. A copy that the block's threads clear or add
// needs another loop.
sass_text code_of(adding how) {
  switch (how) {
  case adding::atomic:
    return {"RED.ADD 1, branch 1"};
  case adding::cas:
    return {"LDG.STRONG.SYS 1, FADD 1, ATOMG.CAS 1, YIELD 2, branch 2"};
  case adding::exchange:
    return {"ATOMG.EXCH 2, FADD 1, fp_compare 1, YIELD 1, branch 2"};
  case adding::warp_match:
    return {.hopper = "MATCH.ANY 1, VOTE.ANY 3, SHFL.IDX 1, FADD 1, RED.ADD 1, branch 4",
            .before = "MATCH.ANY 1, VOTE.ANY 2, SHFL.IDX 1, FADD 1, RED.ADD 1, branch 3"};
  case adding::warp_reduce:
    // Before Hopper the shuffles have a second path for a diverged warp.
    return {.hopper = "MATCH.ALL 1, SHFL.BFLY 5, FADD 5, RED.ADD 2, branch 3",
            .before = "MATCH.ALL 1, SHFL.BFLY 5, FADD 9, RED.ADD 2, BRA.DIV 2, YIELD 1, branch 3, "
                      "call:(inside) 6"};
  case adding::block:
    return {"STS 1, BAR.SYNC 2, LDS 2, FADD 1, ATOMS.CAST.SPIN 1, RED.ADD 1, WARPSYNC 1, YIELD 1, "
            "branch 5"};
  case adding::block_reduce:
    return {.hopper =
                "STS 1, BAR.SYNC 2, MATCH.ALL 1, SHFL.BFLY 5, LDS 3, FADD 7, ATOMS.CAST.SPIN 2, "
                "RED.ADD 1, WARPSYNC 1, YIELD 1, branch 8",
            .before = "STS 1, BAR.SYNC 2, MATCH.ALL 1, SHFL.BFLY 5, LDS 3, FADD 11, "
                      "ATOMS.CAST.SPIN 2, RED.ADD 1, WARPSYNC 2, YIELD 2, BRA.DIV 2, branch 8, "
                      "call:(inside) 6"};
  case adding::fixed:
    return {"FMUL 1, convert 1, RED.ADD 1, branch 1"};
  case adding::integer:
    return {"convert 1, RED.ADD 1, branch 1"};
  case adding::block_integer:
    return {"STS 1, BAR.SYNC 2, convert 1, ATOMS.ADD 1, LDS 1, RED.ADD 1, WARPSYNC 1, YIELD 1, "
            "branch 4"};
  case adding::block_match:
    return {.hopper = "STS 1, BAR.SYNC 2, MATCH.ANY 1, VOTE.ANY 3, SHFL.IDX 1, LDS 2, FADD 2, "
                      "ATOMS.CAST.SPIN 1, RED.ADD 1, WARPSYNC 1, YIELD 1, branch 8",
            .before = "STS 1, BAR.SYNC 2, MATCH.ANY 1, VOTE.ANY 2, SHFL.IDX 1, LDS 2, FADD 2, "
                      "ATOMS.CAST.SPIN 1, RED.ADD 1, WARPSYNC 1, YIELD 1, branch 7"};
  case adding::block_by_bulk:
    // Older GPUs have no copy engine: the rig refuses the op, and it compiles to the rest.
    return {.hopper = "STS 1, BAR.SYNC 3, LDS 1, FADD 1, ATOMS.CAST.SPIN 1, MEMBAR.ALL.CTA 1, "
                      "FENCE.VIEW.ASYNC.S 1, ELECT 1, UBLKRED.G.S.ADD 1, UTMACMDFLUSH 1, DEPBAR 1, "
                      "branch 6",
            .before = "STS 1, BAR.SYNC 3, LDS 1, FADD 1, ATOMS.CAST.SPIN 1, branch 4"};
  }
  return {};
}

// Returns the code for doubles, shuffled between lanes in two halves.
sass_text of_doubles(sass_text code) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> others{
      {{"FADD", "DADD"},
       {"SHFL.BFLY 5", "SHFL.BFLY 10"},
       {"SHFL.IDX 1", "SHFL.IDX 2"},
       {"(inside) 6", "(inside) 11"}}};
  for (std::string* text : {&code.hopper, &code.before}) {
    for (const auto& [of_float, of_double] : others) {
      for (auto at = text->find(of_float); at != text->npos; at = text->find(of_float, at + 1))
        text->replace(at, of_float.size(), of_double);
    }
  }
  return code;
}

nlohmann::json declares(const measurable& row) {
  const accumulation of = from_kind(row.info.kind);
  return declared_sass(of.doubles ? of_doubles(code_of(of.how)) : code_of(of.how));
}

}  // namespace

row_group accumulate_group() { return {accumulate_rows(), &make_rig<accumulate_rig>, &declares}; }

}  // namespace syncmeter::cuda
