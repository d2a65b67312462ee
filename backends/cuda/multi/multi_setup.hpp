// What a kernel on one of several devices gets and gives back: plain data, the same on both sides
// of the launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/runtime/peer_devices.hpp"

namespace syncmeter::cuda {

/// A device that waited this long for another one gives up: then the sample has failed.
inline constexpr std::int64_t wait_limit_ns = 2'000'000'000;

// A device's board: words that the others read and write, each on a line of its own.
inline constexpr unsigned board_line = 128;
inline constexpr unsigned arrived_at = 0;      ///< blocks that arrived, over all barriers so far
inline constexpr unsigned go_at = board_line;  ///< barriers that the blocks may leave
inline constexpr unsigned counter_at = 2 * board_line;  ///< devices that arrived, on the home only
inline constexpr unsigned mailbox_at = 3 * board_line;
inline constexpr unsigned data_at = 4 * board_line;  ///< what a token's owner wrote before it
inline constexpr unsigned cell_at = 5 * board_line;
inline constexpr unsigned flags_at = 6 * board_line;  ///< one from each device, or of each round
inline constexpr unsigned board_bytes = 4096;
static_assert(flags_at + most_devices * board_line <= board_bytes);
/// Behind it for litmus checks: how often what must not be came about, and a place for each block.
inline constexpr unsigned forbidden_at = board_bytes;
inline constexpr unsigned places_at = board_bytes + board_line;
inline constexpr unsigned most_places = 16384;
inline constexpr unsigned whole_board_bytes = places_at + 4 * most_places;
/// And behind that the gate, which is never set back between launches: blocks that arrived,
/// launches that may begin, and a flag from each device.
inline constexpr unsigned gate_at = whole_board_bytes;
inline constexpr unsigned gate_bytes = (2 + most_devices) * board_line;

/// Where the host is the other side of a token: its pinned board, and the device's words on it.
inline constexpr unsigned device_mailbox_at = 0, host_mailbox_at = board_line,
                          device_data_at = 2 * board_line, host_data_at = 3 * board_line;

inline constexpr unsigned litmus_rounds_over_devices = 100;

/// Where a lane was when its wait ended without what it waited for.
enum class wait_timeout : std::uint32_t { no, at_gate, in_device, between_devices, at_token };

/// The clocks as one block saw them. Each device has its own, and they are never compared.
struct multi_record {
  std::int64_t start_ns = 0, stop_ns = 0;  ///< of the device's timer, around the loop
  std::int64_t lane_cycles = 0, lane_ns = 0;
  std::uint64_t sunk = 0;
  std::uint32_t where = 0;  ///< a wait_timeout
  std::uint32_t step = 0;   ///< which barrier or token it waited for
};

/// A kernel's parameter.
struct multi_setup {
  unsigned self = 0, devices = 1;  ///< places among the devices of the point
  std::byte* board = nullptr;
  std::byte* const* boards = nullptr;  ///< of all devices, in this one's memory
  std::byte* home = nullptr;           ///< the board that holds what all share
  unsigned* mailbox = nullptr;         ///< this side's
  unsigned* next_mailbox = nullptr;    ///< the other side's
  unsigned* data = nullptr;            ///< what the other side writes before its token
  unsigned* next_data = nullptr;
  unsigned round = 0;               ///< launches since the gates were set back
  multi_record* records = nullptr;  ///< one for each block
  unsigned no_bits = 0;             ///< 0, which no compiler knows
};

/// op_info::kind. counter: a barrier that adds to a peer's memory; with_host: the host is the other
/// side.
enum class across_devices : std::uint8_t { other, counter, with_host };

}  // namespace syncmeter::cuda
