// The seam: a primitive is a struct with two functions, `common` (in both loops) and `measured` (in
// the test loop only), written once against the words of a lane. Everything timed is made here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/axes.hpp"

// nvcc compiles lanes on the host too, where an API has to be compiled by it: SM_LANES_ON_HOST.
#if defined(__CUDACC__) && !defined(SM_LANES_ON_HOST)
#define SM_FN __device__ __forceinline__
#define SM_LOOP __device__ __forceinline__
#define SM_ROLLED _Pragma("unroll 1")
#else
// A word that is not inlined adds a call to one side only; a loop that is inlined has no symbol to
// disassemble, and is laid out differently for each caller.
#define SM_FN [[gnu::always_inline]] inline
#if defined(__clang__)
#define SM_LOOP [[gnu::noinline]]
#define SM_ROLLED _Pragma("clang loop unroll(disable)")
#else
// noipa: no clone of the loop for its one caller, which would run in place of the symbol looked at.
#define SM_LOOP [[gnu::noinline, gnu::noipa]]
#if defined(__CUDACC__)
#define SM_ROLLED  // nvcc's front end drops the pragma; g++ leaves a loop of unknown length rolled
#else
#define SM_ROLLED _Pragma("GCC unroll 1")
#endif
#endif
#endif

namespace syncmeter {

/// What kind of synchronization an op is; the word that output and docs group by. In the order of
/// tables.
enum class family : std::uint8_t {
  barrier,
  warp,
  group,
  region,       ///< a team of threads starts and ends: fork and join
  worksharing,  ///< a team divides work among its threads: loops, sections, single
  tasking,      ///< pieces of work that any thread of a team may do
  atomic,
  memory,
  critical,
  fence,
  handoff,
  launch,
  reduction,
  control,
  structure  ///< a data structure that lanes share: a queue, a stack
};
constexpr auto names_of(family) {
  return spelled("barrier", "warp", "group", "region", "worksharing", "tasking", "atomic", "memory",
                 "critical", "fence", "handoff", "launch", "reduction", "control", "structure");
}
/// Whether all lanes of a team do one op together, rather than one each.
constexpr bool is_joint(enum family f) { return f <= family::tasking && f != family::warp; }

/// How `measured` relates to `common`. self: it is `common` again on the same cell, so that the
/// difference is the cost of one op. insert: it stands between two accesses (`before`, `after`),
/// so that the difference is a marginal cost, never the bare cost of the op.
enum class pairing : std::uint8_t { self, insert };

/// What must hold of the cells after every sample; core/oracle.* checks it. `n` is the number of
/// ops that one lane did. Sums are modulo the word size; floating sums of ones stop at 2^24 or
/// 2^53.
enum class oracle : std::uint8_t {
  none,       ///< the op changes no cell
  adds,       ///< final = initial + lanes x n
  subtracts,  ///< final = initial - lanes x n
  raises,     ///< final = the largest operand of its lanes
  lowers,     ///< final = the smallest operand of its lanes
  unchanged,  ///< final = initial, and every lane's tally is 0
  exchanges,  ///< initial + written = returned + final: tally is returned - written (bit patterns)
  written,    ///< final = the operand of one of its lanes
  written_twice,  ///< `written` for the first and for the second array
  adds_twice,     ///< `adds` for the first and for the second array
  agreed,         ///< no cell: every lane's tally is 0, each result was the one it had to be
};

/// An untimed check of ops that leave no value behind, run once per point.
enum class litmus : std::uint8_t { none, barrier, fence };

/// Which values of the placement axis an op has.
enum class places : std::uint8_t { none, shared, shared_and_strided, strided };

/// Which values of the order axis an op has (see orders_of in core/axes.hpp). The first is the
/// default: what the API does when the program does not say.
enum class orders : std::uint8_t { none, atomic, fence };

/// How a GPU's kernel has to be launched. cooperative: all blocks may wait for each other. cluster:
/// in clusters of point::size blocks.
enum class launching : std::uint8_t { plain, cooperative, cluster };

/// What a program holds in an op of family critical, where an API may have no such thing.
enum class guard : std::uint8_t { none, named_section, lock_object };

struct op_info {
  std::string_view name;
  bool in_quick = true;  ///< in the studies of every op (quick, scaling, portability); false where
                         ///< only a study of its own knows the values that its axes need
  enum family family {};
  enum pairing pairing = pairing::self;
  bool typed = false;  ///< the type axis applies
  enum places places = places::none;
  enum orders orders = orders::none;
  enum oracle oracle = oracle::none;
  enum litmus litmus = litmus::none;
  unsigned unroll = 32;       ///< steps in one trip
  unsigned ops_per_step = 1;  ///< primitives in one `common`, and in one `measured`
  unsigned min_lanes = 1;
  bool cost_per_lane = false;  ///< one measured op visits every lane in turn: divide by lanes
  bool communicates = false;   ///< lanes meet in it even without a common cell
  bool takes_token = false;    ///< handoff: a token that was taken is not left in its mailbox
  bool ring_of_lanes = false;  ///< GPU, handoff: each lane takes part, in a ring of its block; else
                               ///< one lane of each warp, in one ring
  bool host_lane = false;      ///< lane 0 runs the loop alone, outside any parallel region: the op
                               ///< itself starts one on the point's lanes, or waits for one
  bool arrives_late = false;   ///< CPU: a lane in turn is point::late_us late
  bool holds_lock = false;  ///< CPU: point::section_ns of work under a lock, and think_ns outside
  bool reads_and_writes = false;  ///< CPU: each lane writes once in point::reads_per_write + 1 ops
  bool after_gap = false;         ///< CPU: lane 0 works alone for point::gap_us before each
  bool has_work = false;          ///< CPU: each lane works for point::section_ns in or before each
  bool own_threads = false;  ///< CPU: its threads are not the rig's lanes, and nothing binds them:
                             ///< only affinity none
  bool empty_on_purpose = false;  ///< A/A: equal code on both sides is the point, not `elided`
  std::string_view note{};        ///< one line for `list` and the report
  enum launching launching = launching::plain;  ///< GPU
  std::string_view size_of{};  ///< what point::size counts ("lanes of a tile"); empty: the op has
                               ///< no size
  enum guard guard = guard::none;
  bool compares = false;           ///< by a compare-and-swap of the program's own
  bool starts_team = false;        ///< what it starts is one team of all lanes
  std::string_view why_missing{};  ///< why a lane may lack its words; empty: the backend says
  std::uint8_t kind = 0;           ///< which of its rig's kinds of op it is, by an enum of that rig
  unsigned block_bytes = 0;        ///< GPU: of a block's own memory, beside its cells
  double set_up_ns = 0;            ///< what its rig may take to make ready, beyond the usual
  std::string_view compiles_to{};  ///< what one op should compile to on the machine that it is
                                   ///< built for ("lock_xadd 1"), where the op itself says so

  /// The same, but for one member.
  template <class T>
  [[nodiscard]] constexpr op_info with(T op_info::* member, std::type_identity_t<T> value) const {
    op_info changed = *this;
    changed.*member = value;
    return changed;
  }
  template <class Kind> [[nodiscard]] constexpr bool is(Kind wanted) const {
    return kind == static_cast<std::uint8_t>(wanted);
  }
};

/// What an op of pairing::self usually is: `measured` is `common` again.
template <class Op> struct self_paired {
  // By its return type: a requires clause that names Op fails in clang 14, whichever the lane.
  template <class Lane, class Self = Op>
  SM_FN static auto measured(Lane& lane) -> decltype(Self::common(lane)) {
    return Self::common(lane);
  }
};

// Repetition is by pack expansion: g++ ignores `#pragma unroll`, and a lambda in the timed path was
// once outlined on one side only.
template <class Op, std::size_t... I>
SM_FN void repeat_measured(auto& lane, std::index_sequence<I...>) {
  ((void(I), Op::measured(lane)), ...);
}
template <class Op, std::size_t... I>
SM_FN void repeat_inserted(auto& lane, std::index_sequence<I...>) {
  ((void(I), Op::before(lane), Op::measured(lane), Op::after(lane)), ...);
}

/// One unrolled repetition. Count is 0 on the baseline side, 1 on the test side, 2 and 4 for the
/// additivity check. An `insert` op repeats the whole step, so that work is outstanding each time:
/// there one op at Count k costs (t_k - k t_0) / k, and (t_k - t_0) / k with `self`.
template <class Op, int Count> SM_FN void step(auto& lane) {
  if constexpr (Op::info.pairing == pairing::self) {
    Op::common(lane);
    repeat_measured<Op>(lane, std::make_index_sequence<Count>{});
  } else if constexpr (Count == 0) {
    Op::before(lane);
    Op::after(lane);
  } else {
    repeat_inserted<Op>(lane, std::make_index_sequence<Count>{});
  }
}

template <class Op, int Count, std::size_t... I>
SM_FN void trip(auto& lane, std::index_sequence<I...>) {
  ((void(I), step<Op, Count>(lane)), ...);
}

/// Steps in a trip of the op's loop on a lane: the op's, or fewer where lanes of that form bear no
/// more of it, such as where the results of a whole trip are kept, and spill.
template <class Op, class Lane> consteval unsigned steps_in_trip() {
  if constexpr (requires { Lane::template most_steps<Op>(); })
    return Op::info.unroll < Lane::template most_steps<Op>() ? Op::info.unroll
                                                             : Lane::template most_steps<Op>();
  else return Op::info.unroll;
}

/// The timed loop of one side. The lane comes by value and is copied once more: through a reference
/// g++ reloads its members from memory at every step, and from the argument itself clang does.
/// Returns what the lane's oracle needs.
template <class Op, int Count, class Lane> SM_LOOP auto loop(Lane given, std::uint32_t trips) {
  Lane lane = given;
  SM_ROLLED for (std::uint32_t t = 0; t < trips; ++t) {
    trip<Op, Count>(lane, std::make_index_sequence<steps_in_trip<Op, Lane>()>{});
  }
  return lane.outcome();
}

/// The numbers of measured ops that loops are built with; measurable::built says how many of
/// them are, in this order.
inline constexpr std::array<int, 4> counts{0, 1, 2, 4};

/// Ops that one lane does in one step at a Count: the n of its oracle, per step.
[[nodiscard]] constexpr unsigned ops_in_step(const op_info& info, int count) {
  const auto k = static_cast<unsigned>(count);
  if (info.pairing == pairing::insert) return (k == 0 ? 1U : k) * info.ops_per_step;
  return (1U + k) * info.ops_per_step;
}

/// Those of them that are by Op::measured.
[[nodiscard]] constexpr unsigned measured_in_step(const op_info& info, int count) {
  return static_cast<unsigned>(count) * info.ops_per_step;
}

}  // namespace syncmeter
