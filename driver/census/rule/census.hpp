// The census: does the machine code of the timed loops hold what each op declares, and nothing
// else?
//   self:    steps(k) - steps(0)     == k x unroll x ops_per_step x declared
//   insert:  steps(k) - k x steps(0) == k x unroll x ops_per_step x declared      for k = 1, 2, 4
// where steps(k) is the loop with k times the op's `measured`, without the one branch that closes a
// trip. A declaration is of one op: one `measured` may hold several (ops_per_step).
// In one word what an op compiled to: one instruction, a loop around an exclusive pair or a
// compare-and-swap, a call, a lock.
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

/// In order of how bad it is beside the verdict on another architecture.
enum class verdict : std::uint8_t {
  proven,        ///< the difference is what the op declares
  elided,        ///< the difference is empty, and the op declares nothing
  no_symbol,     ///< the backend names no loops for this op
  not_declared,  ///< there is a difference, and the op declares nothing for this machine
  not_proven,    ///< the code could not be read, or its shape proves nothing: `reason` says why
  wrong,         ///< the difference is something else: `reason` says what
};
[[nodiscard]] std::string_view to_text(verdict v);

/// move, alu, imad, jump, reconverge, frame and nop: where values live and where blocks stand is
/// the compiler's affair. Of these, all but frame and nop must still be the same in every step;
/// frame and nop are not looked at. Every other class is part of what is measured and must match
/// the declaration exactly.
[[nodiscard]] bool is_bookkeeping(std::string_view class_name);

/// What one op may compile to: "lock_cmpxchg 1, branch 1, fp_add 1, load 1". Alternatives stand
/// between bars ("rmw 1 | load 1, store 1"); "nothing" is the empty one. A bookkeeping class is
/// free unless it is named, and so is a call within a function that the loop calls ("inner:NAME").
/// Throws std::invalid_argument naming the offending part and the whole text.
[[nodiscard]] std::vector<class_counts> parse_declaration(std::string_view text);

/// "lock_add 1, move 2"; "nothing" when empty. Numbers that are not whole are printed as decimals.
[[nodiscard]] std::string to_text(const std::map<std::string, double>& counts);

/// One supported entry of a worker's capabilities and what its loops hold.
struct census_entry {
  std::string backend, op, order, type, placements;  ///< as the user spells them; type may be empty
  std::string scope, flavour, space;  ///< of GPU ops; empty where the op does not have it
  std::string architecture;  ///< GPU: of the machine code judged, "sm_90" or "sm_80,sm_90"; else
                             ///< empty
  std::array<loop_code, 4> loops;            ///< for 0, 1, 2, 4 measured ops
  std::map<std::string, double> per_op;      ///< what one op compiled to, bookkeeping included
  std::map<std::string, int> once_per_loop;  ///< bookkeeping left over when dividing by unroll
  std::string declared;
  enum verdict verdict = verdict::no_symbol;
  std::string reason;               ///< empty for proven and elided
  bool unread = false;              ///< no code of the program could be read; `reason` is why
  std::size_t same_code_group = 0;  ///< entries of one group share their machine code; 0: none
};

/// The axes of an entry, in the order of tables.
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

/// "float double; seq_cst": the axes on which `some` have fewer values than `all`, entries of one
/// op both.
[[nodiscard]] std::string what_sets_apart(const std::vector<const census_entry*>& some,
                                          const std::vector<const census_entry*>& all);

/// How far move, alu, imad and jump may differ once per loop rather than once per step: the
/// compiler may count trips, close the loop or keep a value another way on each side. Less than
/// half of unroll, so that a whole one per step can never pass for it; nothing at all for unroll 1
/// and 2. SASS may go up to that half: there a trip's own bookkeeping is four instructions, and
/// `insert` takes three of them off too often.
[[nodiscard]] int bookkeeping_slack(unsigned unroll, enum machine m = machine::x86_64);

/// An entry whose loops were not looked at, and why.
[[nodiscard]] census_entry unjudged(const capability& what, enum machine m, enum verdict v,
                                    std::string reason, std::string architecture = {});

/// Judges one entry by as many of the four loops as it names symbols, at least two. `m` picks the
/// declaration; on a GPU one for that architecture comes first.
[[nodiscard]] census_entry judge(const capability& what, const std::array<loop_code, 4>& loops,
                                 enum machine m, std::string architecture = {});

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

/// The shapes of instructions in these lines.
[[nodiscard]] class_counts shapes_in(std::span<const loop_line> lines);
/// What `test` has beyond its baseline; negative where that has more.
[[nodiscard]] class_counts difference(class_counts test, const class_counts& baseline);

/// Of an entry whose loops were read with their lines.
[[nodiscard]] code_kind kind_of(const census_entry& entry, const capability& what);

/// What the loop with one op holds beyond the baseline, for each op: shapes of instructions, such
/// as "lock add r32,(r64)", and how many. Negative where the baseline has more. Differences that
/// are there once per loop, rather than once per step, are left out.
[[nodiscard]] std::map<std::string, double> instructions_per_op(const census_entry& entry,
                                                                const capability& what);

}  // namespace syncmeter
