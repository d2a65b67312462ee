// Handoffs between warps: what their kernels get and give back beside kernel_setup (plain data, the
// same on both sides of a launch), their rigs, and their rows.
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

/// So many polls of one lane in one launch, and the token is lost: a tenth of a second inside a
/// block, some seconds across multiprocessors. Samples last a hundredth of that.
inline constexpr unsigned most_polls = 1U << 22U;

/// How many handoffs a litmus looks at.
inline constexpr unsigned litmus_handoffs = 8192;

/// Whether who is handed to must see what was written before. Across blocks scope block promises
/// nothing.
[[nodiscard]] constexpr bool promises_order(const form& f, bool across_blocks) {
  return f.order != order::relaxed && !(across_blocks && f.scope == scope::block);
}

/// What one end of a pair saw.
struct pair_record {
  std::int64_t cycles = 0, lane_cycles = 0, lane_ns = 0;
  std::uint64_t polls = 0;
  std::uint64_t stale = 0;  ///< messages, in the litmus
  unsigned multiprocessor = 0;
  unsigned ran = 0;
};

/// Two warps on two multiprocessors, out of blocks that fill all of them.
struct pair_setup {
  std::byte* flags = nullptr;   ///< two, mailbox_bytes apart
  std::byte* data = nullptr;    ///< the same for the litmus, all zero
  unsigned* arrived = nullptr;  ///< blocks so far
  unsigned* here = nullptr;     ///< blocks so far on each multiprocessor
  unsigned multiprocessors = 0;
  unsigned partner = 0;         ///< counted from 0
  pair_record* ends = nullptr;  ///< one for each end
};

/// A chain through the first `length` warps of a grid; the others wait until it is over.
struct chain_setup {
  unsigned* flag = nullptr;  ///< whose turn it is
  unsigned length = 0;
  unsigned* polls = nullptr;  ///< of each warp
  unsigned* data = nullptr;   ///< a word for each warp, all zero; for the litmus
  unsigned long long* stale = nullptr;
  unsigned* timed_out = nullptr;  ///< warps that waited in vain
};

/// What the flag of a chain holds when it is over.
inline constexpr unsigned chain_over = 0xffffffffU;
/// A warp of a chain that waits for so long gives up.
inline constexpr std::int64_t chain_deadline_ns = 1'000'000'000;

/// What a rig of handoffs knows of a visit beside its times.
class handoff_notes {
 public:
  void add(std::uint64_t polls, std::uint64_t handoffs) {
    polls_ += polls;
    handoffs_ += handoffs;
  }
  /// Keeps what a litmus of so many handoffs saw. Returns it where the form rules it out, and 0
  /// where it is only counted.
  std::uint64_t judge(std::uint64_t violations, std::uint64_t looked_at, bool promised) {
    violations_ = violations;
    looked_at_ = looked_at;
    return promised ? violations : 0;
  }
  /// Adds "polls_per_handoff", over both sides of all samples, and with a litmus "litmus_handoffs"
  /// and "violations_seen".
  void describe(nlohmann::json& visit) const;

 private:
  std::uint64_t polls_ = 0, handoffs_ = 0, looked_at_ = 0;
  std::optional<std::uint64_t> violations_;
};

/// A token that goes around a ring of warps: the rig of kernels, with flags that move between
/// rounds.
class ring_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;

  /// Moves the flags too: which slice of L2 serves one is half of what a handoff costs.
  void begin_round() override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "multiprocessors" of the first blocks, and what handoff_notes has.
  void describe(nlohmann::json& visit) const override;

  /// Runs a litmus kernel on the launch of the point: how many messages were old.
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
  std::vector<unsigned> multiprocessors_;  ///< of the first blocks in the last sample
  handoff_notes notes_;
};

/// A token between two multiprocessors of the caller's choice. Blocks fill the device, so that each
/// multiprocessor has two of them; those of the chosen ones stay, the others leave. A point is two
/// blocks of one warp, its size the partner: 1 is the first multiprocessor itself.
class pair_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  void begin_round() override;
  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "multiprocessors", "same_gpc" where it is known, "gpcs_at_most" (groups of those that
  /// met).
  void describe(nlohmann::json& visit) const override;

  /// How many messages were old.
  std::uint64_t run_message_litmus(const void* stub);

 private:
  void prepare_point() override;
  sample measure(std::size_t index) override;
  void check_room(const void* stub) const;
  void launch(const void* stub, std::uint32_t trips);
  [[nodiscard]] std::string problem() const;

  stream stream_;
  unsigned threads_ = 0;  ///< of a block: two of them fill a multiprocessor
  pair_setup setup_;
  device_buffer flags_, counters_, ends_there_;
  pinned_buffer found_;
  std::uint64_t draw_ = 1;
  std::array<unsigned, 2> ran_on_{};
  handoff_notes notes_;
};

/// The one-shot chain: a grid of many blocks, whose warps wait for one flag until it is their turn.
/// Of a chain of 2^20 warps the cost of one handoff is needed, not the whole: both sides launch the
/// same kernel, the test side with a chain that is `trips` launches of the point longer. Behind the
/// chain stand as many blocks more as run at once, so that at its end it still has all the pollers
/// that it has in the middle; the last handoff lets them go. A point is the blocks and threads of
/// one trip; one lane of each warp works.
class chain_rig : public gpu_rig {
 public:
  using gpu_rig::gpu_rig;

  [[nodiscard]] std::uint64_t litmus(const measurable& row) override;
  /// Adds "waiting_warps", which poll at any time.
  void describe(nlohmann::json& visit) const override;

  /// Runs a kernel of handoff_rows.cu on the chain made ready.
  void launch(const void* stub);
  /// How many messages were old.
  std::uint64_t run_message_litmus(const void* stub);

 private:
  void prepare_point() override;
  sample measure(std::size_t index) override;
  /// What is wrong with what the chain left behind; empty when nothing is.
  [[nodiscard]] std::string verdict();

  stream stream_;
  event begin_, end_;
  std::uint64_t waiting_warps_ = 0;
  std::uint64_t length_ = 0;  ///< of the chain, in warps
  std::size_t poll_bytes_ = 0;
  chain_setup setup_;
  device_buffer words_, polls_, data_;
  pinned_buffer found_, polls_here_;
  handoff_notes notes_;
};

/// `warp_handoff` and `cluster_handoff`, `sm_handoff`, `handoff_chain`.
[[nodiscard]] std::vector<measurable> ring_rows();
/// Rings whose token is handed on by an object in shared memory.
[[nodiscard]] std::vector<measurable> object_ring_rows();
/// Rings through a cluster whose token an instruction carries.
[[nodiscard]] std::vector<measurable> carried_ring_rows();
[[nodiscard]] std::vector<measurable> pair_rows();
[[nodiscard]] std::vector<measurable> chain_rows();

/// What one handoff of a row should compile to; of the chain, whose sides are one kernel, nothing
/// is declared.
[[nodiscard]] nlohmann::json declared_handoff(const measurable& row);

}  // namespace syncmeter::cuda
