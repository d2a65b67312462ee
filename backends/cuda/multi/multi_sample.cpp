// One sample over several devices: a launch on each, the check behind it, and the clocks.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "backends/cuda/multi/multi_rig.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

/// The host's side of a token to a device and back, in pinned memory. Its wait times out like the
/// devices' waits.
class host_peer {
 public:
  /// Uses release and acquire if `ordered`.
  host_peer(void* board, bool ordered)
      : board_{static_cast<unsigned char*>(board)}, ordered_{ordered} {}

  /// Hands back `rotations` tokens. Returns an empty text, or the reason for an early end.
  [[nodiscard]] std::string hand_on(std::uint64_t rotations) {
    return hand_on(rotations, [](unsigned) {});
  }
  /// Does the same, with data before each token and a check after it.
  [[nodiscard]] std::string check(std::uint64_t rotations) {
    constexpr unsigned second = sizeof(unsigned);
    return hand_on(rotations, [this](unsigned token) {
      if (word(host_data_at).load(relaxed) != token) ++wrong_;
      if (word(device_data_at + second).load(relaxed) != token) ++wrong_;
      word(device_data_at).store(token + 1, relaxed);
      word(host_data_at + second).store(token + 1, relaxed);
    });
  }
  /// Returns the number of tokens with wrong data.
  [[nodiscard]] unsigned wrong() const { return wrong_; }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;

  template <class Exchange> std::string hand_on(std::uint64_t rotations, const Exchange& exchange) {
    const auto release = ordered_ ? std::memory_order_release : relaxed;
    unsigned token = 1;
    for (std::uint64_t i = 0; i < rotations; ++i, token += 2) {
      if (!await(token))
        return fmt::format("timeout: the host waited {} s for token {}",
                           wait_limit_ns / 1'000'000'000, token);
      exchange(token);
      word(device_mailbox_at).store(token + 1, release);
    }
    return {};
  }
  [[nodiscard]] bool await(unsigned token) const {
    using clock = std::chrono::steady_clock;
    const auto mailbox = word(host_mailbox_at);
    const auto acquire = ordered_ ? std::memory_order_acquire : relaxed;
    const auto deadline = clock::now() + std::chrono::nanoseconds{wait_limit_ns};
    for (unsigned polls = 1; mailbox.load(acquire) != token; ++polls) {
      if (polls % 65536 == 0 && clock::now() > deadline) return false;
    }
    return true;
  }
  [[nodiscard]] std::atomic_ref<unsigned> word(unsigned at) const {
    return std::atomic_ref<unsigned>{*reinterpret_cast<unsigned*>(board_ + at)};
  }

  unsigned char* board_;
  bool ordered_;
  unsigned wrong_ = 0;
};

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

sample multi_rig::measure(std::size_t index) {
  clear_boards(board_bytes);
  launch_all(what_->code(index), trips_);
  if (with_host())
    host_timeout_ =
        host_peer{host_board_.get(), where_.order != order::relaxed}.hand_on(ops(index));
  copy_results();
  sample taken;
  taken.failure = why_timed_out();
  if (taken.failure.empty()) taken.failure = verdict(ops(index));
  if (!taken.failure.empty()) gates_clear_ = false;
  read_clocks(taken);
  return taken;
}

std::uint64_t multi_rig::litmus(const measurable& row) {
  forbidden_ = row.litmus(*this);
  litmus_ran_ = true;
  return promises_order() ? forbidden_ : 0;
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
    host_peer host{host_board_.get(), where_.order != order::relaxed};
    host_timeout_ = host.check(litmus_rounds_over_devices);
    host_wrong_ = host.wrong();
  }
  copy_results();
  if (const std::string why = why_timed_out(); !why.empty()) {
    gates_clear_ = false;
    if (promises_order()) throw std::runtime_error("litmus: " + why);
    throw point_refused(
        unreached_[canonical(where_)] = fmt::format(
            "flavour {} with scope {} is not visible to the other side on this machine: {}",
            to_text(where_.flavour), to_text(where_.scope), why));
  }
  std::uint64_t forbidden = host_wrong_;
  for (unsigned i = 0; i < devices_; ++i)
    forbidden += word_at(device_states_[i]->host_board.get(), forbidden_at);
  return forbidden;
}

std::string multi_rig::why_timed_out() const {
  std::string text = host_timeout_;
  for (unsigned i = 0; i < devices_; ++i) {
    const multi_record* const records = device_states_[i]->first_record();
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

// Checks that every block arrived in every barrier, the cell has every add, and the token is at its
// place.
std::string multi_rig::verdict(std::uint64_t steps) const {
  const auto differs = [](std::string_view what, std::uint32_t found, std::uint64_t wide) {
    const auto expected = static_cast<std::uint32_t>(wide);
    return found == expected ? std::string{}
                             : fmt::format("oracle: {} is {}, expected {}", what, found, expected);
  };
  const auto board = [this](unsigned i) { return device_states_[i]->host_board.get(); };
  if (what_->info.family == family::atomic) {
    return differs("the cell", word_at(board(where_.home == home::second ? 1 : 0), cell_at),
                   steps * devices_ * where_.blocks * where_.lanes);
  }
  if (with_host()) {
    return differs("the device's mailbox", word_at(host_board_.get(), device_mailbox_at),
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

// A device's time lasts from its first block's start to its last block's stop, by its own timer.
// All devices start behind one gate, and the sample ends with the last device.
void multi_rig::read_clocks(sample& taken) {
  std::vector<double> spans;
  for (unsigned i = 0; i < devices_; ++i) {
    const multi_record* const records = device_states_[i]->first_record();
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
    const multi_record& lane = *device_states_[i]->first_record();
    const auto ns = static_cast<double>(lane.lane_ns);
    if (ns >= shortest_clocked_ns(1))
      note_clock(taken, static_cast<double>(lane.lane_cycles) / ns, i);
  }
  taken.cycles = taken.span_ns * last_ghz();
}

}  // namespace syncmeter::cuda
