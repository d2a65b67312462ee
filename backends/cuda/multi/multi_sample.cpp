// One sample over several devices: a launch on each, the check behind it, and the clocks.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/multi/device_state.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

unsigned word_at(const void* board, unsigned at) {
  unsigned word = 0;
  std::memcpy(&word, static_cast<const std::byte*>(board) + at, sizeof word);
  return word;
}

std::string_view waited_for(std::uint32_t where) {
  switch (static_cast<wait_timeout>(where)) {
  case wait_timeout::at_gate:
    return "for the kernel on each device to start";
  case wait_timeout::in_device:
    return "for the other blocks of its device in barrier";
  case wait_timeout::between_devices:
    return "for the other devices in barrier";
  default:
    return "for token";
  }
}

}  // namespace

sample multi_rig::take(std::size_t index, std::uint32_t trips) {
  require_built(*what_, index);
  clear_boards(board_bytes);
  launch_all(what_->code(index), trips);
  const std::uint64_t steps =
      std::uint64_t{trips} * what_->info.unroll * (1U + static_cast<unsigned>(counts.at(index)));
  if (with_host())
    host_timeout_ = host_peer{host_board_.get()}.hand_on(steps, where_.order != order::relaxed);
  copy_results();
  sample taken;
  taken.failure = why_timed_out();
  if (taken.failure.empty()) taken.failure = verdict(steps);
  if (!taken.failure.empty()) gates_clear_ = false;
  read_clocks(taken);
  return taken;
}

std::uint64_t multi_rig::litmus(const measurable& row) {
  seen_ = row.litmus(*this);
  litmus_ran_ = true;
  return promises_order() ? seen_ : 0;
}

bool multi_rig::promises_order() const {
  return what_->info.family == family::barrier ||
         (where_.scope == scope::system && where_.order != order::relaxed);
}

std::uint64_t multi_rig::run_litmus(const void* stub) {
  check_blocks(stub);
  clear_boards(whole_board_bytes);
  launch_all(stub, 0);
  if (with_host()) {
    host_peer host{host_board_.get()};
    host_timeout_ = host.check(litmus_rounds_over_devices, where_.order != order::relaxed);
    host_wrong_ = host.wrong();
  }
  copy_results();
  if (const std::string why = why_timed_out(); !why.empty()) {
    gates_clear_ = false;
    if (promises_order()) throw std::runtime_error("litmus: " + why);
    const std::string& said = unreached_[canonical(where_)] =
        fmt::format("flavour {} with scope {} is not visible to the other side on this machine: {}",
                    to_text(where_.flavour), to_text(where_.scope), why);
    throw point_refused(said);
  }
  std::uint64_t seen = host_wrong_;
  for (unsigned i = 0; i < devices_; ++i)
    seen += word_at(device_states_[i]->host_board.get(), seen_at);
  return seen;
}

std::string multi_rig::why_timed_out() const {
  std::string text = host_timeout_;
  for (unsigned i = 0; i < devices_; ++i) {
    const auto* const records =
        static_cast<const multi_record*>(device_states_[i]->host_records.get());
    const auto* const end = records + where_.blocks;
    const auto* const found =
        std::find_if(records, end, [](const multi_record& r) { return r.where != 0; });
    if (found == end) continue;
    text += fmt::format("{}timeout: device {} waited {} s {}", text.empty() ? "" : "; ",
                        device_states_[i]->index, wait_limit_ns / 1'000'000'000,
                        waited_for(found->where));
    if (static_cast<wait_timeout>(found->where) != wait_timeout::at_gate)
      text += fmt::format(" {}", found->step);
  }
  return text;
}

// Every block arrived in every barrier, every add is in the cell, the token is where it has to be.
std::string multi_rig::verdict(std::uint64_t steps) const {
  const auto differs = [](std::string_view what, std::uint64_t seen, std::uint64_t expected) {
    return static_cast<std::uint32_t>(seen) == static_cast<std::uint32_t>(expected)
               ? std::string{}
               : fmt::format("oracle: {} is {}, expected {}", what,
                             static_cast<std::uint32_t>(seen),
                             static_cast<std::uint32_t>(expected));
  };
  const auto board = [this](unsigned i) { return device_states_[i]->host_board.get(); };
  if (what_->info.family == family::atomic) {
    return differs("the cell", word_at(board(where_.home == home::second ? 1 : 0), cell_at),
                   steps * devices_ * where_.blocks * where_.lanes);
  }
  if (with_host()) {
    return differs("the device's mailbox", word_at(host_board_.get(), host_peer::device_mailbox),
                   2 * steps);
  }
  for (unsigned i = 0; i < devices_; ++i) {
    const std::string what = fmt::format("device {}'s ", device_states_[i]->index);
    const std::string wrong =
        what_->info.family == family::handoff
            ? differs(what + "mailbox", word_at(board(i), mailbox_at), 2 * steps - i)
            : differs(what + "count of arrivals", word_at(board(i), arrived_at),
                      steps * where_.blocks);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

// The time of a device is from its first block's start to its last one's stop, by its own timer;
// all start behind one gate, and the sample ends with the last device.
void multi_rig::read_clocks(sample& taken) {
  std::vector<double> spans;
  for (unsigned i = 0; i < devices_; ++i) {
    const auto* const records =
        static_cast<const multi_record*>(device_states_[i]->host_records.get());
    std::int64_t start = records[0].start_ns, stop = records[0].stop_ns;
    for (unsigned b = 1; b < where_.blocks; ++b) {
      start = std::min(start, records[b].start_ns);
      stop = std::max(stop, records[b].stop_ns);
    }
    spans.push_back(static_cast<double>(std::max(stop - start, std::int64_t{1})));
  }
  taken.span_ns = *std::ranges::max_element(spans);
  double rates = 0, squares = 0;
  for (const double span : spans) {
    rates += 1 / span;
    squares += 1 / (span * span);
  }
  const auto n = static_cast<double>(devices_);
  taken.fairness = rates * rates / (n * squares);
  taken.slowest_over_fastest = taken.span_ns / *std::ranges::min_element(spans);
  shares_.clear();
  for (const double span : spans) shares_.push_back(n / span / rates);
  for (unsigned i = 0; i < devices_; ++i) {
    const auto& lane = *static_cast<const multi_record*>(device_states_[i]->host_records.get());
    const auto ns = static_cast<double>(lane.lane_ns);
    if (ns < shortest_clocked_ns(1)) continue;
    const double ghz = static_cast<double>(lane.lane_cycles) / ns;
    clocks_seen_.add(i, ghz);
    if (i == 0 && clock_.is_throttled(ghz)) taken.dropped = drop::throttled;
  }
  taken.cycles = taken.span_ns * clock_.last_ghz();
}

}  // namespace syncmeter::cuda
