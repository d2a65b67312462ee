// Checks whether the machine code of the timed loops has exactly the declared instructions:
//   self: steps(k) - steps(0) == k x unroll x ops_per_step x declared
//   insert: steps(k) - k x steps(0) == k x unroll x ops_per_step x declared for k = 1, 2, 4
//
// steps(k) is the loop with k times the op's `measured`, without the branch that closes a trip. A
// declaration describes one op, while a `measured` may have several (ops_per_step).
// Also names the kind of code: one instruction, an exclusive-pair or compare-and-swap loop, a call,
// a lock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/census/isa/loop_code.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// Verdicts in order of severity, to combine several architectures.
enum class verdict : std::uint8_t {
  proven,        ///< the difference equals the declaration
  elided,        ///< the difference is empty, and the op declares nothing
  no_symbol,     ///< the backend names no loops for this op
  not_declared,  ///< a difference without a declaration for this machine
  not_proven,    ///< unreadable code, or a shape that proves nothing: see `reason`
  wrong,         ///< the difference contradicts the declaration: see `reason`
};
[[nodiscard]] std::string_view to_text(verdict v);

/// Returns true for move, alu, imad, jump, reconverge, frame and nop, because the compiler chooses
/// registers and block order. Frame and nop are ignored. The rest must be equal in every step. All
/// other classes must match the declaration exactly.
[[nodiscard]] bool is_bookkeeping(std::string_view class_name);

/// Parses a declaration for one op: "lock_cmpxchg 1, branch 1, fp_add 1, load 1". Bars separate
/// alternatives ("rmw 1 | load 1, store 1"), and "nothing" is the empty alternative. A bookkeeping
/// class or inner call ("inner:NAME") is free unless declared.
/// Throws std::invalid_argument with the faulty part and the whole text.
[[nodiscard]] std::vector<class_counts> parse_declaration(std::string_view text);

/// Returns "lock_add 1, move 2", or "nothing" without counts. Prints fractions as decimals.
[[nodiscard]] std::string to_text(const std::map<std::string, double>& counts);

/// One supported entry of a worker's capabilities, with the contents of its loops.
struct census_entry {
  std::string backend, op, order, type, placements;  ///< in the user's spelling, type may be empty
  std::string scope, flavour, space;                 ///< GPU axes, empty if the op lacks the axis
  std::string architecture;  ///< GPU: architecture of the judged code, "sm_90" or "sm_80,sm_90",
                             ///< else empty
  std::array<loop_code, 4> loops;            ///< for 0, 1, 2, 4 measured ops
  std::map<std::string, double> per_op;      ///< compiled classes per op, with bookkeeping
  std::map<std::string, int> once_per_loop;  ///< bookkeeping left after division by unroll
  std::string declared;
  enum verdict verdict = verdict::no_symbol;
  std::string reason;               ///< empty for proven and elided
  bool unread = false;              ///< no program code could be read, see `reason`
  std::size_t same_code_group = 0;  ///< number shared by entries with the same machine code, 0 =
                                    ///< none
};

/// The axes of an entry, in table order.
struct census_axis {
  const char* name;
  std::string census_entry::* value;
};
inline constexpr std::array<census_axis, 9> census_axes{
    {{"backend", &census_entry::backend},
     {"op", &census_entry::op},
     {"type", &census_entry::type},
     {"order", &census_entry::order},
     {"placements", &census_entry::placements},
     {"scope", &census_entry::scope},
     {"flavour", &census_entry::flavour},
     {"space", &census_entry::space},
     {"architecture", &census_entry::architecture}}};

/// Returns the axes with fewer values in `some` than in `all`: "float double; seq_cst". Both lists
/// have entries of one op.
[[nodiscard]] std::string what_sets_apart(const std::vector<const census_entry*>& some,
                                          const std::vector<const census_entry*>& all);

/// Returns how far move, alu, imad and jump may differ per loop: each side may count trips, close
/// the loop or keep values differently. The limit is below half of unroll, to detect an instruction
/// per step, and 0 for unroll 1 and 2.
/// SASS allows half of unroll: a trip has four bookkeeping instructions, and `insert` subtracts
/// three of them too often.
[[nodiscard]] int bookkeeping_slack(unsigned unroll, enum machine m = machine::x86_64);

/// Returns an entry without checked loops, with the reason.
[[nodiscard]] census_entry unjudged(const capability& what, enum machine m, enum verdict v,
                                    std::string reason, std::string architecture = {});

/// Judges an entry by all loops that have a symbol, at least two of four. `m` selects the
/// declaration, but a GPU declaration for the architecture comes first.
[[nodiscard]] census_entry judge(const capability& what, const std::array<loop_code, 4>& loops,
                                 enum machine m, std::string architecture = {});

enum class code_kind : std::uint8_t {
  nothing,          ///< the compiler removed all code
  one_instruction,  ///< one, ignoring moves and address arithmetic (is_bookkeeping)
  instructions,     ///< several, each executed once
  ll_sc_loop,       ///< loop around load-exclusive and store-exclusive
  cas_loop,         ///< loop around a compare-and-swap
  other_loop,       ///< any other loop, which waits for another lane
  call,             ///< calls a function that is not a lock
  lock,             ///< calls a mutex, a critical section or a runtime's atomic lock
  unknown,          ///< the loops could not be compared: see the entry's `reason`
};
[[nodiscard]] std::string_view to_text(code_kind kind);

/// Counts instruction shapes in these lines.
[[nodiscard]] class_counts shapes_in(std::span<const loop_line> lines);
/// Returns `test` minus `baseline`, which may be negative.
[[nodiscard]] class_counts difference(class_counts test, const class_counts& baseline);

/// Returns the kind of code. The entry's loops must have lines.
[[nodiscard]] code_kind kind_of(const census_entry& entry, const capability& what);

/// Returns instruction shapes beyond the baseline in the loop with one op, such as "lock add
/// r32,(r64)", with counts per op. Counts are negative if the baseline has more. Omits differences
/// per loop.
[[nodiscard]] std::map<std::string, double> instructions_per_op(const census_entry& entry,
                                                                const capability& what);

}  // namespace syncmeter
