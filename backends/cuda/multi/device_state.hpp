// What a rig of several devices has on each of them, and the host where it is the other side of a
// token.
#pragma once

#include <cstdint>
#include <string>

#include "backends/cuda/multi/multi_rig.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {

/// Made while its device is the current one.
struct multi_rig::device_state {
  int index = 0;
  stream queue;
  device_buffer board, boards, records;
  pinned_buffer host_board, host_records;
};

/// The host's side of a token that goes to a device and back, on pinned memory. It gives up as
/// devices do, and says so.
class host_peer {
 public:
  static constexpr unsigned device_mailbox = 0, host_mailbox = board_line,
                            device_data = 2 * board_line, host_data = 3 * board_line;

  explicit host_peer(void* board) : board_{static_cast<unsigned char*>(board)} {}

  /// Hands so many tokens back, with release and acquire where `ordered`. Empty, or why it ended
  /// early.
  [[nodiscard]] std::string hand_on(std::uint64_t rotations, bool ordered);
  /// The same, with data before each token that is looked at behind it.
  [[nodiscard]] std::string check(std::uint64_t rotations, bool ordered);
  /// How often the data were not those of the token.
  [[nodiscard]] unsigned wrong() const { return wrong_; }

 private:
  [[nodiscard]] unsigned& word(unsigned at) const {
    return *reinterpret_cast<unsigned*>(board_ + at);
  }
  [[nodiscard]] bool await(unsigned token, bool ordered) const;
  void pass(unsigned token, bool ordered) const;

  unsigned char* board_;
  unsigned wrong_ = 0;
};

}  // namespace syncmeter::cuda
