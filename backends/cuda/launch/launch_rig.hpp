// Samples of a launching host thread: streams, graphs and events for one point, and the check that
// launched kernels have run.
#pragma once

#include <string>
#include <string_view>

#include "backends/cuda/launch/launch_queue.hpp"
#include "backends/cuda/rig/host_loop.hpp"

namespace syncmeter::cuda {

/// op_info::kind. programmatic: a kernel starts while the previous kernel works.
enum class launch_kind : std::uint8_t { plain, programmatic };

/// The call for an op of launches, and the result a sample must leave.
struct launch_word {
  enum class leaves : std::uint8_t { kernels, units, order, copies, nothing };
  std::string_view op;
  leaves what;
  std::string_view name;                  ///< the function one measured op calls
  void (*call)(launch_queue&) = nullptr;  ///< the same, for null kernels
};
/// Returns the word for the op `op`.
[[nodiscard]] const launch_word& word_of(std::string_view op);
/// Returns true if the op times the inside of its call itself.
[[nodiscard]] bool times_itself(const op_info& info);

class launch_rig final : public host_loop_rig {
 public:
  explicit launch_rig(const device_facts& device);

  /// Returns the queue for the lane's words.
  [[nodiscard]] launch_queue& queue() { return queue_; }

 private:
  void prepare_point() override;
  void begin_sample() override;
  void wait() override { wait_for_all(queue_); }
  [[nodiscard]] double counted_ns(double whole_ns, std::uint64_t ops) const override;
  [[nodiscard]] std::string verdict(std::uint64_t ops) override;
  void check_shape() const;
  void set_board(const launch_board& board);
  [[nodiscard]] launch_board read_board();
  [[nodiscard]] std::string count_kernels();

  const launch_word* word_ = nullptr;
  unsigned kernels_per_op_ = 1;
  launch_queue queue_;
  device_buffer board_;
  double clock_ns_ = 0;  ///< between two clock readings
  std::string before_;   ///< the fault before the clock started
};

/// Returns the rows of the host's launch lane, with their rig and declared calls.
[[nodiscard]] row_group launch_group();

}  // namespace syncmeter::cuda
