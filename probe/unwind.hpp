// Where a function of compiled code has put its return address and its caller's frame pointer, by
// the tables that compilers write for exceptions (.eh_frame, DWARF 5 section 6.4). They lie in
// memory with the code: to read them takes no lock and no memory.
#pragma once

#include <cstdint>

namespace syncmeter::probe {

/// From one caller to the next, at one place in the code: its canonical frame address (CFA) is the
/// stack pointer, or the frame pointer, and so much; what is saved lies so far below that.
struct unwind_step {
  bool by_frame_pointer = false;
  std::int32_t cfa_offset = 0;
  std::int32_t return_offset = 0;
  std::int32_t saved_frame_offset = 0;  ///< 0: the frame pointer is the caller's still
};

/// At the call that returns to this address, of a module with this table (PT_GNU_EH_FRAME). False
/// where the table says nothing, or what only an interpreter of expressions could follow.
[[nodiscard]] bool find_step(std::uint64_t table, std::uint64_t return_address, unwind_step& found);

}  // namespace syncmeter::probe
