// In one word what an op compiled to: one instruction, a loop around an exclusive pair or a
// compare-and-swap, a call, a lock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "driver/census/rule/census.hpp"

namespace syncmeter {

enum class code_kind : std::uint8_t {
  nothing,          ///< the compiler left nothing of it
  one_instruction,  ///< one, beside moves and address arithmetic (is_bookkeeping)
  instructions,     ///< several that run once each
  ll_sc_loop,       ///< goes around a pair of load-exclusive and store-exclusive
  cas_loop,         ///< goes around a compare-and-swap
  other_loop,       ///< goes around anything else: it waits for another lane
  call,             ///< of a function that is no lock
  lock,             ///< calls of a mutex, a critical section or a runtime's lock around atomics
  unknown,          ///< the loops could not be compared; `reason` of the entry says why
};
[[nodiscard]] std::string_view to_text(code_kind kind);

/// Of an entry whose loops were read with their lines.
[[nodiscard]] code_kind kind_of(const census_entry& entry, const capability& what);

/// What the loop with one op holds beyond the baseline, for each op: shapes of instructions, such
/// as "lock add r32,(r64)", and how many. Negative where the baseline has more. Differences that
/// are there once per loop, rather than once per step, are left out.
[[nodiscard]] std::map<std::string, double> instructions_per_op(const census_entry& entry,
                                                                const capability& what);

}  // namespace syncmeter
