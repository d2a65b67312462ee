// Takes samples of a host thread that launches: streams, graphs and events for one point, and the
// check that what was launched has run.
#pragma once

#include <string>
#include <string_view>

#include "backends/cuda/launch/launch_queue.hpp"
#include "backends/cuda/rig/host_loop.hpp"

namespace syncmeter::cuda {

/// op_info::kind. programmatic: a kernel comes in while the one before it works.
enum class launch_kind : std::uint8_t { plain, programmatic };

/// What an op of launches calls, and what a sample of it has to leave behind.
struct launch_word {
  enum class leaves : std::uint8_t { kernels, units, order, copies, nothing };
  std::string_view op;
  leaves what;
  std::string_view name;                  ///< of the function that one measured op calls
  void (*call)(launch_queue&) = nullptr;  ///< the same, where the kernels are null kernels
};
/// Of the op of that name.
[[nodiscard]] const launch_word& word_of(std::string_view op);
/// Whether the op times the inside of its call itself.
[[nodiscard]] bool times_itself(const op_info& info);

class launch_rig final : public host_loop_rig {
 public:
  explicit launch_rig(const device_facts& device);

  /// What the lane's words work on.
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
  double clock_ns_ = 0;  ///< from one reading of the clock to the next
  std::string before_;   ///< what was wrong before the clock started
};

/// The rows of the host's lane for launches, their rig, and the calls that they are.
[[nodiscard]] row_group launch_group();

}  // namespace syncmeter::cuda
