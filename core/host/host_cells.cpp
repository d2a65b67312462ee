// The cells and mailboxes of a CPU point: set before each sample, read and checked after it,
// outside the clock.
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "core/axes.hpp"
#include "core/host/host_rig.hpp"

namespace syncmeter {
namespace {

template <class T> void write_initial(std::byte* cell, oracle kind) {
  const T value = initial_value<T>(kind);
  std::memcpy(cell, &value, sizeof value);
}

void write_initial(std::byte* cell, value_type type, oracle kind) {
  by_type(type, [&]<class T>(T) { write_initial<T>(cell, kind); });
}

std::uint64_t read_bits(const std::byte* cell, value_type type) {
  if (size_of(type) == 8) {
    std::uint64_t wide = 0;
    std::memcpy(&wide, cell, sizeof wide);
    return wide;
  }
  std::uint32_t narrow = 0;
  std::memcpy(&narrow, cell, sizeof narrow);
  return narrow;
}

}  // namespace

void host_rig::reset_cells() {
  make_objects();
  for (unsigned lane = 0; lane < lanes_; ++lane) *mailbox(lane) = lane == 0 ? 0 : no_token;
  if (row_.info.places == places::none) return;
  for (std::size_t cell = 0; cell < cell_count(); ++cell) {
    write_initial(cell_at(first_, cell), *row_.type, row_.info.oracle);
    write_initial(cell_at(second_, cell), *row_.type, row_.info.oracle);
  }
}

void host_rig::make_objects() {
  const auto cells = static_cast<unsigned>(cell_count());
  objects_.make(row_.object, cells,
                {.lanes = lanes_ / cells,
                 .section_ns = where_.section_ns,
                 .think_ns = where_.think_ns,
                 .reads_per_write = where_.reads_per_write,
                 .gap_us = where_.gap_us,
                 .size = where_.size},
                {.pitch = stride_bytes(where_), .offset = where_.base_offset});
}

// Each lane's tally counts once, in the word that it was made in.
std::string host_rig::check_objects(std::uint64_t n, std::uint64_t measured) const {
  if (row_.object.check == nullptr) return {};
  const std::size_t cells = cell_count(), sharing = lanes_ / cells;
  const bool narrow = row_.type && size_of(*row_.type) == 4;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    object_use use{.lanes = static_cast<unsigned>(sharing), .ops = n, .measured = measured};
    for (std::size_t lane = cell * sharing; lane < (cell + 1) * sharing; ++lane)
      use.tally += records_[lane].outcome.tally;
    if (narrow) use.tally &= 0xffffffffU;
    const std::string wrong = row_.object.check(objects_.at(cell), use);
    if (!wrong.empty())
      return fmt::format("check of {}: object {}: {}", row_.info.name, cell, wrong);
  }
  return {};
}

std::uint64_t* host_rig::mailbox(unsigned lane, std::size_t place) const {
  std::byte* const first = homed_ ? homed_->data() : mailboxes_.get();
  return reinterpret_cast<std::uint64_t*>(first + (place * lanes_ + lane) * mailbox_bytes);
}

// All places in turn, neighbours far apart: few rounds see many of them.
void host_rig::begin_round() {
  if (row_.info.family == family::handoff) place_ = (place_ + 37) % mailbox_places;
}

// New pages for each point: what a page's home is cannot be changed once it is touched.
void host_rig::find_home() {
  homed_.reset();
  if (where_.home == home::none || row_.info.family != family::handoff) return;
  const auto pu = home_pu(machine_.units(), where_.home, pus_);
  if (!pu) throw std::runtime_error(why_no_home(where_.home));
  homed_ = make_for_lanes<homed_pages>(machine_, mailboxes_size(), *pu);
}

std::string host_rig::check_cells(std::uint64_t n) const {
  const auto& info = row_.info;
  // An op with an object of its own passes its tokens on there.
  if (info.family == family::handoff && row_.object.bytes == 0) {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      // The last token is back with lane 0, which has not awaited it.
      const bool taken = info.takes_token && lane != 0;
      if (*mailbox(lane) != (taken ? no_token : n)) {
        return fmt::format("oracle: mailbox {} has token {} after {} rotations{}", lane,
                           *mailbox(lane), n, taken ? ", which its thread did not take" : "");
      }
    }
  }
  if (info.oracle == oracle::none) return {};
  std::vector<lane_outcome> outcomes;
  for (const auto& record : loop_records()) outcomes.push_back(record.outcome);
  if (info.places == places::none) {
    sample_outcome no_cells{};
    no_cells.kind = info.oracle;
    no_cells.lanes = outcomes;
    return check(no_cells);
  }
  std::vector<std::uint64_t> first, second;
  const bool two = info.oracle == oracle::written_twice || info.oracle == oracle::adds_twice;
  for (std::size_t cell = 0; cell < cell_count(); ++cell) {
    first.push_back(read_bits(cell_at(first_, cell), *row_.type));
    if (two) second.push_back(read_bits(cell_at(second_, cell), *row_.type));
  }
  // Two-array ops do half their accesses on each array.
  const auto per_array = info.oracle == oracle::written_twice ? n / 2 : n;
  return check({.kind = info.oracle,
                .type = *row_.type,
                .one_cell = cell_count() == 1,
                .ops_per_lane = per_array,
                .lanes = outcomes,
                .cells = first,
                .second_cells = second});
}

}  // namespace syncmeter
