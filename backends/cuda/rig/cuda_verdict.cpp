// See cuda_verdict.hpp. The device folds lanes, and core/oracle has the conditions.
#include "backends/cuda/rig/cuda_verdict.hpp"

#include <fmt/format.h>

#include "core/harness/oracle.hpp"

namespace syncmeter::cuda {
namespace {

// Returns a lane that represents its whole group for core/oracle.
lane_outcome folded(oracle kind, const group_outcome& g, std::uint64_t held) {
  switch (kind) {
  case oracle::raises:
    return {.tally = 0, .operand = g.highest};
  case oracle::lowers:
    return {.tally = 0, .operand = g.lowest};
  case oracle::exchanges:
    return {.tally = g.tally_sum, .operand = 0};
  case oracle::written:
  case oracle::written_twice:
    return {.tally = 0, .operand = g.someones > 0 ? held : ~held};
  default:
    return {.tally = g.tally_or, .operand = 0};
  }
}

}  // namespace

void sample_check::prepare(const measurable& what, const point& where, const cell_layout& layout) {
  what_ = &what;
  layout_ = layout;
  const oracle kind = what.info.oracle;
  mailboxes_ =
      what.info.family == family::handoff ? std::size_t{warps_in(where.lanes)} * where.blocks : 0;
  // `agreed` checks only the lanes' results, and folds them without a cell.
  const bool nothing_to_check =
      kind == oracle::none || (what.info.places == places::none && kind != oracle::agreed);
  arrays_ = nothing_to_check                                              ? 0
            : kind == oracle::written_twice || kind == oracle::adds_twice ? 2
                                                                          : 1;
}

std::size_t sample_check::slot_bytes() const {
  if (mailboxes_ > 0) return mailboxes_ * sizeof(std::uint64_t);
  return layout_.group == 1 ? sizeof(own_outcome) : layout_.cells * sizeof(group_outcome);
}

// Mailboxes have no check on the device: the host copies them.
std::size_t sample_check::sample_bytes() const {
  return mailboxes_ > 0 ? slot_bytes() : arrays_ * slots_ * slot_bytes();
}

void sample_check::begin(std::size_t samples, unsigned places, cudaStream_t stream) {
  places_.clear();
  slots_ = places;
  const std::size_t bytes = samples * sample_bytes();
  if (bytes == 0) return;
  seen_.fit(bytes);
  if (mailboxes_ > 0) return;
  void* const slots = found_.fit(bytes);
  if (layout_.group == 1) SM_CUDA(cudaMemsetAsync(slots, 0, bytes, stream));
}

void sample_check::queue(const kernel_setup& setup, std::span<std::byte* const, 2> arrays,
                         const cell_places& places, cudaStream_t stream) {
  const std::size_t first = places_.size() * sample_bytes();
  cell_places& checked = places_.emplace_back(places);
  if (mailboxes_ > 0) {
    SM_CUDA(cudaMemcpy2DAsync(static_cast<std::byte*>(seen_.get()) + first, sizeof(std::uint64_t),
                              setup.mailboxes, mailbox_bytes, sizeof(std::uint64_t), mailboxes_,
                              cudaMemcpyDeviceToHost, stream));
    return;
  }
  if (arrays_ == 0) return;
  // An op without a partner writes two arrays alternately.
  if (layout_.oracle == oracle::written_twice && what_->info.pairing == pairing::self)
    for (std::uint64_t& ops : checked.ops) ops /= 2;
  auto* slots = static_cast<std::byte*>(found_.get()) + first;
  for (const std::byte* array : arrays.first(arrays_)) {
    if (layout_.group == 1) {
      check_own(layout_, array, checked, setup.outcomes, reinterpret_cast<own_outcome*>(slots),
                stream);
    } else {
      fold_groups(layout_, array, checked, setup.outcomes, reinterpret_cast<group_outcome*>(slots),
                  stream);
    }
    slots += slots_ * slot_bytes();
  }
}

void sample_check::fetch(cudaStream_t stream) {
  const std::size_t bytes = places_.size() * sample_bytes();
  if (bytes == 0 || mailboxes_ > 0) return;
  SM_CUDA(cudaMemcpyAsync(seen_.get(), found_.get(), bytes, cudaMemcpyDeviceToHost, stream));
}

std::string sample_check::verdict(std::size_t sample) const {
  const cell_places& checked = places_.at(sample);
  const auto* slot = static_cast<const std::byte*>(seen_.get()) + sample * sample_bytes();
  if (mailboxes_ > 0)
    return verdict_of_mailboxes({reinterpret_cast<const std::uint64_t*>(slot), mailboxes_},
                                checked.ops[0]);
  for (std::size_t which = 0; which < arrays_; ++which) {
    for (unsigned place = 0; place < slots_; ++place, slot += slot_bytes()) {
      if (auto wrong = verdict_of(slot, checked.ops[place]); !wrong.empty())
        return which == 0 ? wrong : "second array: " + wrong;
    }
  }
  return {};
}

std::string sample_check::verdict_of(const std::byte* slot, std::uint64_t ops) const {
  if (layout_.group == 1) {
    const auto& own = *reinterpret_cast<const own_outcome*>(slot);
    if (own.wrong == 0) return {};
    return fmt::format("{} of {} cells are wrong, for example that of lane {}: {}", own.wrong,
                       layout_.cells, own.at, verdict_of_one(own.held, own.lane, ops));
  }
  const std::span groups{reinterpret_cast<const group_outcome*>(slot), layout_.cells};
  for (std::size_t cell = 0; cell < groups.size(); ++cell) {
    const group_outcome& group = groups[cell];
    const auto lane = folded(layout_.oracle, group, group.held);
    if (auto wrong = verdict_of_one(group.held, lane, ops * group.lanes); !wrong.empty())
      return groups.size() == 1 ? wrong : fmt::format("block {}: {}", cell, wrong);
  }
  return {};
}

std::string sample_check::verdict_of_one(std::uint64_t held, const lane_outcome& lane,
                                         std::uint64_t ops) const {
  return check({.kind = layout_.oracle,
                .type = layout_.type,
                .one_cell = true,
                .ops_per_lane = ops,
                .lanes = std::span{&lane, 1},
                .cells = std::span{&held, 1},
                .second_cells = {}});
}

std::string sample_check::verdict_of_mailboxes(std::span<const std::uint64_t> tokens,
                                               std::uint64_t rotations) const {
  for (std::size_t warp = 0; warp < tokens.size(); ++warp) {
    if (tokens[warp] != rotations)
      return fmt::format("oracle: mailbox {} holds token {} after {} rotations", warp, tokens[warp],
                         rotations);
  }
  return {};
}

}  // namespace syncmeter::cuda
