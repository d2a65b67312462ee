// The named sets of points, as data: their ops and their values on every axis. A new study is a
// file NAME.cpp in plan/studies with a function NAME_study(). No list names it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/axes.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {

/// The types to use from an op's offer.
enum class type_set : std::uint8_t {
  one,        ///< int32, else the first type offered
  published,  ///< int32, uint64, float, double
  all
};

/// The numbers of lanes to use, up to the largest allowed.
enum class lane_set : std::uint8_t {
  one,
  max,
  one_and_max,
  one_and_two,
  two,
  two_and_max,
  powers,           ///< 1, 2, 4, ... and max
  powers_from_two,  ///< 2, 4, ... and max
  published         ///< every number if max is at most 32, else 1, 2, 4, ... and max
};

/// The part of a cache line at which an array begins.
enum class line_part : std::uint8_t { start, half };

/// Cells this far apart share neither a line nor a prefetch, and are the control for closer cells.
/// The value is the smallest page size.
inline constexpr unsigned apart_bytes = 4096;

/// The mean visit takes 11 to 34 ms on CPUs, and on GPUs unless the study has another time.
inline constexpr double usual_visit_s = 0.022;

/// A study's values on each axis for some ops. Values that an op does not have are left out.
struct study_axes {
  type_set types = type_set::one;
  std::vector<placement> placements{placement::shared, placement::strided};
  std::vector<unsigned> strides{};        ///< elements; empty: one cache line, whatever the type
  std::vector<unsigned> strides_bytes{};  ///< instead of elements, for types whose size divides it
  std::vector<line_part> bases{line_part::start};
  bool shared_cells = false;  ///< strided: 1, 2, 4, ... cells and one per lane, if lanes share them
                              ///< evenly
  lane_set lanes = lane_set::one;
  std::vector<affinity> affinities{affinity::close};
  std::vector<wait_policy> waits{wait_policy::active};
  std::vector<home> homes{home::none};  ///< for ops that hand a token on
  bool pairs = false;  ///< two lanes on each pair of PUs, both ways round, without lanes or
                       ///< affinities
  std::vector<unsigned> lates_us{10};                  ///< for ops with a late lane
  std::vector<unsigned> sections_ns{0}, thinks_ns{0};  ///< for ops that hold a lock for a while
  std::vector<unsigned> reads_per_write{10};           ///< for ops that read and write one datum
  std::vector<unsigned> gaps_us{0};                    ///< for ops that start a region after a gap
  std::vector<unsigned> sizes{};                       ///< for ops with a size (op_info::size_of)
  unsigned repeats = 0;                                ///< 0: once; n: points 1 to n, each measured
  bool oversubscribe_on_request = false;  ///< with --oversubscribe also one lane more than PUs, and
                                          ///< twice as many
  bool one_lane_more_on_request = false;  ///< with --oversubscribe only one lane more than PUs
  bool additivity = false;
  bool watch_states = false;  ///< probes pairs for cells far apart, too, to compare near and far
                              ///< cells within one placement state
  bool strided_beyond_one_lane = false;  ///< no strided cell for a lone lane if an op has both
                                         ///< placements
};

/// One row of a study: op names (`*` matches any letters), minus exceptions, and their axes.
/// "@critical" matches ops of the critical family that only a user's worker has.
template <class Axes> struct rule_of {
  std::vector<std::string_view> ops, except{};
  bool only_in_quick = false;  ///< only ops that are in_quick (core/op.hpp)
  Axes axes{};
};
using study_rule = rule_of<study_axes>;

/// The forms to use from a GPU op's offer at a type and a placement.
enum class form_set : std::uint8_t {
  standard,    ///< the first that its worker lists
  relaxed,     ///< the first relaxed form, else the first
  each_scope,  ///< the first for each scope
  all
};

/// A form as an author writes it, with the API's defaults. All forms are in global memory.
struct written_form {
  enum flavour flavour {};
  enum scope scope {};
  enum order order {};
};

/// Grids: every number of blocks with every number of threads per block.
struct grid_set {
  std::vector<count_range> blocks;
  std::vector<unsigned> threads;
};

/// The values on each axis for GPUs. Unlike study_axes, no lane is bound, and no lane sleeps.
struct gpu_axes {
  std::vector<grid_set> grids{};
  form_set forms = form_set::standard;
  type_set types = type_set::one;
  std::vector<value_type> only{};  ///< limits the types, unless empty
  std::vector<placement> placements{placement::shared, placement::strided};
  std::vector<scope> scopes{};          ///< limits the forms, unless empty
  std::vector<written_form> written{};  ///< selects forms if a backend has flavours
  std::vector<unsigned> strides{1};     ///< elements
  std::vector<unsigned> actives{};      ///< lanes per warp that take part; empty: all
  std::vector<unsigned> sizes{};        ///< for ops with a size; empty: sizes that are built
  std::vector<home> homes{home::none};  ///< place of the host thread for ops that it launches, else
                                        ///< place of the cells if a study names it
  unsigned repeats = 0;
  bool additivity = false;
};

using gpu_rule = rule_of<gpu_axes>;

struct gpu_part {
  std::vector<gpu_rule> rules{};
  gpu_axes others{};                   ///< for ops that only the user names
  std::optional<double> max_time_s{};  ///< for each point, if not the usual time
  double visit_s = usual_visit_s;      ///< the mean visit on an H200
  unsigned rounds_at_once = 1;  ///< rounds that may be queued if no comparison uses the host's
                                ///< clock
};

/// How long a study takes over each point, if not the usual time.
struct study_pace {
  double precision, max_time_s;
  double min_sample_us = 0;           ///< 0: the usual
  std::optional<std::size_t> many{};  ///< a plan with more points
  unsigned visits_of_many = 3;        ///< gets this many visits for each
  std::optional<double> longest_s{};  ///< a longer plan puts a sample from each pair class first,
                                      ///< and then other pairs until this time is spent
};

/// A study's measurements on CPUs and on GPUs. A part without rules has no points.
struct study {
  unsigned place;  ///< in lists of studies
  std::string_view name, purpose;
  std::vector<study_rule> rules{};
  study_axes others{};  ///< for ops that only the user names
  gpu_part gpu{};
  std::optional<study_pace> pace{};
  bool native_first = false;       ///< no portable backend beside a native backend unless named
  bool counterparts_only = false;  ///< only points that a native and a portable backend both
                                   ///< measure
  bool native_only = false;        ///< no portable backend unless --backend names it: the figure
                                   ///< describes the machine
  bool layouts_together = false;   ///< points that differ only in cell layout are visited
                                   ///< consecutively
  bool ops_together = false;       ///< the same for backend, op and order
  bool waits_together = false;     ///< the same for waiting and lateness
  std::vector<std::string_view> also{};  ///< backends to compare in addition to the measured ones,
                                         ///< visited alternately
  std::string_view left_out{};           ///< left out to end in time
};

/// Numbers of blocks in several studies: a fixed number, or relative to the multiprocessors.
namespace blocks {
using block_symbol = count_range::symbol;
inline constexpr count_range one{.first = 1, .last = 1};
inline constexpr count_range two{.first = 2, .last = 2};
inline constexpr count_range half_sm{.named = block_symbol::half_sm};
inline constexpr count_range sm{.named = block_symbol::sm};
inline constexpr count_range two_sm{.named = block_symbol::two_sm};
}  // namespace blocks

/// Returns rules for every op that is in_quick. Locks among the lanes of a GPU have their own
/// grids.
[[nodiscard]] std::vector<study_rule> every_op(const study_axes& axes);
[[nodiscard]] std::vector<gpu_rule> every_op(const std::vector<grid_set>& grids,
                                             const std::vector<grid_set>& of_locks);

/// Returns the studies in the order of their places.
[[nodiscard]] std::span<const study> studies();
/// Returns nullptr for an unknown name.
[[nodiscard]] const study* find_study(std::string_view name);
[[nodiscard]] std::vector<std::string> study_names();

/// Returns whether a study compares places for lanes: several affinities, or pairs of PUs.
[[nodiscard]] bool compares_placements(const study& s);

/// Returns whether an op's name fits a pattern, in which `*` matches any letters, or none.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view name);
/// Returns whether a pattern matches an op. `user_family` is the family for an op that only a
/// user's worker has, else empty.
[[nodiscard]] bool any_fits(const std::vector<std::string_view>& patterns, std::string_view op,
                            std::string_view user_family);
template <class Axes>
[[nodiscard]] bool covers(const rule_of<Axes>& rule, std::string_view op,
                          std::string_view user_family = {}) {
  return any_fits(rule.ops, op, user_family) && !any_fits(rule.except, op, user_family);
}

/// Returns ascending numbers without repeats, at most `max`.
[[nodiscard]] std::vector<unsigned> lanes_of(lane_set set, unsigned max);

}  // namespace syncmeter
