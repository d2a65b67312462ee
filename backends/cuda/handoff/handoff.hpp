// Handoffs between warps: the kernels' arguments and results besides kernel_setup (plain data,
// equal on both sides of a launch), the rigs, and the rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/rig/cuda_rig.hpp"
#include "core/axes.hpp"

namespace syncmeter::cuda {

/// The token is lost after this number of polls by a lane in one launch. The polls take a tenth of
/// a second inside a block, some seconds across multiprocessors. Samples are a hundred times
/// shorter.
inline constexpr unsigned most_polls = 1U << 22U;

/// The number of handoffs in a litmus.
inline constexpr unsigned litmus_handoffs = 8192;

/// Returns true if the receiver must see earlier writes. Scope block promises nothing across
/// blocks.
[[nodiscard]] constexpr bool promises_order(const form& f, bool across_blocks) {
  return f.order != order::relaxed && !(across_blocks && f.scope == scope::block);
}

/// The observations at one end of a pair.
struct pair_record {
  std::int64_t cycles = 0, lane_cycles = 0, lane_ns = 0;
  std::uint64_t polls = 0;
  std::uint64_t stale = 0;  ///< old messages, in the litmus
  unsigned multiprocessor = 0;
  unsigned ran = 0;
};

/// Two warps on two multiprocessors, among blocks that fill the device.
struct pair_setup {
  std::byte* flags = nullptr;   ///< two, mailbox_bytes apart
  std::byte* data = nullptr;    ///< as `flags`, for the litmus, all zero
  unsigned* arrived = nullptr;  ///< blocks so far
  unsigned* here = nullptr;     ///< blocks so far on each multiprocessor
  unsigned multiprocessors = 0;
  unsigned partner = 0;         ///< counted from 0
  pair_record* ends = nullptr;  ///< one for each end
};

/// A chain through the first `length` warps of a grid. The other warps wait for its end.
struct chain_setup {
  unsigned* flag = nullptr;  ///< the warp whose turn it is
  unsigned length = 0;
  unsigned* polls = nullptr;  ///< for each warp
  unsigned* data = nullptr;   ///< a word for each warp, all zero; for the litmus
  unsigned long long* stale = nullptr;
  unsigned* timed_out = nullptr;  ///< warps that waited in vain
};

/// The chain flag's value at the end.
inline constexpr unsigned chain_over = 0xffffffffU;
/// A chain's warp gives up after this wait.
inline constexpr std::int64_t chain_deadline_ns = 1'000'000'000;

/// A handoff rig's notes about a visit besides times.
class handoff_notes {
 public:
  void add(std::uint64_t polls, std::uint64_t handoffs) {
    polls_ += polls;
    handoffs_ += handoffs;
  }
  /// Keeps a litmus result. Returns the violations if the form excludes them, or 0 if they are only
  /// counted.
  std::uint64_t judge(std::uint64_t violations, std::uint64_t looked_at, bool promised) {
    violations_ = violations;
    looked_at_ = looked_at;
    return promised ? violations : 0;
  }
  /// Adds "polls_per_handoff", over both sides of all samples. A litmus also adds "litmus_handoffs"
  /// and "violations_seen".
  void describe(nlohmann::json& visit) const;

 private:
  std::uint64_t polls_ = 0, handoffs_ = 0, looked_at_ = 0;
  std::optional<std::uint64_t> violations_;
};

/// A token around a ring of warps: the kernels' rig with flags that move between rounds.
class ring_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;

  /// Also moves the flags, because their L2 slices decide half of a handoff's cost.
  void begin_round() override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds the first blocks' "multiprocessors", and the entries from handoff_notes.
  void describe(nlohmann::json& visit) const override;

  /// Runs a litmus kernel on the point's launch. Returns the number of old messages.
  std::uint64_t run_message_litmus(const void* stub);

 private:
  void prepare_more() override;
  sample measure(std::size_t index) override;
  [[nodiscard]] bool can_wait_in_queue() const override { return false; }
  void place_flags();
  [[nodiscard]] std::string count_polls(std::uint64_t rotations);

  device_buffer flags_, data_;
  pinned_buffer outcomes_;
  std::uint64_t draw_ = 1;
  std::vector<unsigned> multiprocessors_;  ///< first blocks in the last sample
  handoff_notes notes_;
};

/// A token between two multiprocessors chosen by the caller. Blocks fill the device with two per
/// multiprocessor. Blocks on the chosen multiprocessors stay, the rest leave. A point is two blocks
/// of one warp, and its size is the partner: 1 is the first multiprocessor itself.
class pair_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  void begin_round() override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "multiprocessors", "same_gpc" if known, and "gpcs_at_most" (groups with common clusters).
  void describe(nlohmann::json& visit) const override;

  /// Returns the number of old messages.
  std::uint64_t run_message_litmus(const void* stub);

 private:
  void prepare_point() override;
  sample measure(std::size_t index) override;
  void check_room(const void* stub) const;
  void launch(const void* stub, std::uint32_t trips);
  [[nodiscard]] std::string problem() const;

  stream stream_;
  unsigned threads_ = 0;  ///< per block: two blocks fill a multiprocessor
  pair_setup setup_;
  device_buffer flags_, counters_, ends_there_;
  pinned_buffer found_;
  std::uint64_t draw_ = 1;
  std::array<unsigned, 2> ran_on_{};
  handoff_notes notes_;
};

/// The one-shot chain: a grid of many blocks, whose warps wait for their turn by one flag. Only the
/// cost per handoff is needed from a chain of 2^20 warps. Both sides launch the same kernel, but
/// the test side's chain is longer by `trips` launches of the point. Behind the chain wait more
/// blocks, as many as run at once, to keep the number of pollers constant. The last handoff
/// releases them. A point gives blocks and threads for one trip, and one lane of each warp works.
class chain_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "waiting_warps", the number that polls at any time.
  void describe(nlohmann::json& visit) const override;

  /// Runs a kernel from handoff_rows.cu on the prepared chain.
  void launch(const void* stub);
  /// Returns the number of old messages.
  std::uint64_t run_message_litmus(const void* stub);

 private:
  void prepare_point() override;
  sample measure(std::size_t index) override;
  /// Returns the fault in the chain's results, or an empty text.
  [[nodiscard]] std::string verdict();

  stream stream_;
  event begin_, end_;
  std::uint64_t waiting_warps_ = 0;
  std::uint64_t length_ = 0;  ///< chain length in warps
  std::size_t poll_bytes_ = 0;
  chain_setup setup_;
  device_buffer words_, polls_, data_;
  pinned_buffer found_, polls_here_;
  handoff_notes notes_;
};

/// `warp_handoff` and `cluster_handoff`, `sm_handoff`, `handoff_chain`.
[[nodiscard]] std::vector<measurable> ring_rows();
/// Returns rings with a token in a shared memory object.
[[nodiscard]] std::vector<measurable> object_ring_rows();
/// Returns cluster rings with a token carried by an instruction.
[[nodiscard]] std::vector<measurable> carried_ring_rows();
[[nodiscard]] std::vector<measurable> pair_rows();
[[nodiscard]] std::vector<measurable> chain_rows();

/// Returns the expected machine code for one handoff. The chain declares nothing, because its sides
/// are one kernel.
[[nodiscard]] nlohmann::json declared_handoff(const measurable& row);

}  // namespace syncmeter::cuda
