// The arguments and results of a kernel on one of several devices: plain data, equal on both sides
// of the launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/runtime/peer_devices.hpp"

namespace syncmeter::cuda {

/// A device gives up after this wait for another device, and the sample fails.
inline constexpr std::int64_t wait_limit_ns = 2'000'000'000;

// A device's board: words shared with other devices, each on its own line.
inline constexpr unsigned board_line = 128;
inline constexpr unsigned arrived_at = 0;      ///< arrived blocks, over all barriers so far
inline constexpr unsigned go_at = board_line;  ///< barriers that the blocks may leave
inline constexpr unsigned counter_at = 2 * board_line;  ///< arrived devices, on the home only
inline constexpr unsigned mailbox_at = 3 * board_line;
inline constexpr unsigned data_at = 4 * board_line;  ///< data written before a token
inline constexpr unsigned cell_at = 5 * board_line;
inline constexpr unsigned flags_at = 6 * board_line;  ///< one per device, or per round
inline constexpr unsigned board_bytes = 4096;
static_assert(flags_at + most_devices * board_line <= board_bytes);
/// Behind the board, for litmus checks: the count of forbidden outcomes, and a place for each
/// block.
inline constexpr unsigned forbidden_at = board_bytes;
inline constexpr unsigned places_at = board_bytes + board_line;
inline constexpr unsigned most_places = 16384;
inline constexpr unsigned whole_board_bytes = places_at + 4 * most_places;
/// Last, the gate, which launches never reset: arrived blocks, launches allowed to begin, and a
/// flag from each device.
inline constexpr unsigned gate_at = whole_board_bytes;
inline constexpr unsigned gate_bytes = (2 + most_devices) * board_line;

/// The layout for tokens to and from the host: its pinned board, and the device's words there.
inline constexpr unsigned device_mailbox_at = 0, host_mailbox_at = board_line,
                          device_data_at = 2 * board_line, host_data_at = 3 * board_line;

inline constexpr unsigned litmus_rounds_over_devices = 100;

/// A lane's position when its wait timed out.
enum class wait_timeout : std::uint32_t { no, at_gate, in_device, between_devices, at_token };

/// The clocks seen by one block. Each device has its own clocks, and they are never compared.
struct multi_record {
  std::int64_t start_ns = 0, stop_ns = 0;  ///< device timer, around the loop
  std::int64_t lane_cycles = 0, lane_ns = 0;
  std::uint64_t sunk = 0;
  std::uint32_t where = 0;  ///< a wait_timeout
  std::uint32_t step = 0;   ///< the awaited barrier or token
};

/// A kernel's parameter.
struct multi_setup {
  unsigned self = 0, devices = 1;  ///< places among the point's devices
  std::byte* board = nullptr;
  std::byte* const* boards = nullptr;  ///< of all devices, in this device's memory
  std::byte* home = nullptr;           ///< the board with shared words
  unsigned* mailbox = nullptr;         ///< for this side
  unsigned* next_mailbox = nullptr;    ///< for the other side
  unsigned* data = nullptr;            ///< written by the other side before its token
  unsigned* next_data = nullptr;
  unsigned round = 0;               ///< launches since the gates were cleared
  multi_record* records = nullptr;  ///< one for each block
  unsigned no_bits = 0;             ///< 0, opaque to compilers
};

/// op_info::kind. counter: a barrier with adds to a peer's memory. with_host: a token to the host.
enum class across_devices : std::uint8_t { other, counter, with_host };

}  // namespace syncmeter::cuda
