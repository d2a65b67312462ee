// The named sets of points, as data: which ops, and which values on every axis. A new study is a
// file in plan/studies, NAME.cpp with a function NAME_study(); nothing else names it.
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

/// Which types of those that an op offers.
enum class type_set : std::uint8_t {
  one,        ///< int32, or the first offered where there is no int32
  published,  ///< int32, uint64, float, double
  all
};

/// Which numbers of lanes, given the largest allowed.
enum class lane_set : std::uint8_t {
  one,
  max,
  one_and_max,
  one_and_two,
  two,
  two_and_max,
  powers,           ///< 1, 2, 4, ... and max
  powers_from_two,  ///< 2, 4, ... and max
  published         ///< every number up to 32; above that 1, 2, 4, ... and max
};

/// Where in a cache line an array begins.
enum class line_part : std::uint8_t { start, half };

/// Cells this far apart share neither a line nor what is fetched along with one: what closer cells
/// stand against. The smallest page there is.
inline constexpr unsigned apart_bytes = 4096;

/// The mean visit takes 11 to 34 ms on CPUs, and on GPUs unless the study has another time.
inline constexpr double usual_visit_s = 0.022;

/// The values that a study takes on each axis for some ops. Values that an op does not have are
/// left out.
struct study_axes {
  type_set types = type_set::one;
  std::vector<placement> placements{placement::shared, placement::strided};
  std::vector<unsigned> strides{};        ///< elements; empty: one cache line, whatever the type
  std::vector<unsigned> strides_bytes{};  ///< in place of elements; each for the types that it is a
                                          ///< multiple of
  std::vector<line_part> bases{line_part::start};
  bool shared_cells = false;  ///< strided: 1, 2, 4, ... cells and one for each lane, where the
                              ///< lanes share them out evenly
  lane_set lanes = lane_set::one;
  std::vector<affinity> affinities{affinity::close};
  std::vector<wait_policy> waits{wait_policy::active};
  std::vector<home> homes{home::none};  ///< for ops that hand a token on
  bool pairs = false;  ///< two lanes on each pair of PUs, both ways round; no lanes or affinities
  std::vector<unsigned> lates_us{10};                  ///< for ops with a late lane
  std::vector<unsigned> sections_ns{0}, thinks_ns{0};  ///< for ops that hold a lock for a while
  std::vector<unsigned> reads_per_write{10};           ///< for ops that read and write one datum
  std::vector<unsigned> gaps_us{0};                    ///< for ops that start a region after a gap
  std::vector<unsigned> sizes{};                       ///< for ops with a size (op_info::size_of)
  unsigned repeats = 0;                                ///< 0: once; n: points 1 to n, each measured
  bool oversubscribe_on_request = false;  ///< with --oversubscribe also one lane more than there
                                          ///< are PUs, and twice as many
  bool one_lane_more_on_request = false;  ///< with --oversubscribe one lane more than there are
                                          ///< PUs; no other number
  bool additivity = false;
  bool watch_states = false;  ///< pair probes for cells far apart too: they are compared with near
                              ///< ones, within one placement state
  bool strided_beyond_one_lane = false;  ///< where an op has both placements, no strided cell for a
                                         ///< lone lane
};

/// One row of a study: op names (`*` stands for any letters), minus exceptions, and their axes.
/// "@critical" stands for the ops of that family that only a user's worker has.
template <class Axes> struct rule_of {
  std::vector<std::string_view> ops, except{};
  bool only_in_quick = false;  ///< of these ops, those that are in_quick (core/op.hpp)
  Axes axes{};
};
using study_rule = rule_of<study_axes>;

/// Which of the forms that a GPU's op has at a type and a placement.
enum class form_set : std::uint8_t {
  standard,    ///< the first that its worker lists
  relaxed,     ///< the first that is relaxed, where there is one, else the first
  each_scope,  ///< the first of each scope
  all
};

/// A form by what an author writes, or leaves to the API: all of it in global memory.
struct written_form {
  enum flavour flavour {};
  enum scope scope {};
  enum order order {};
};

/// Grids: each of these numbers of blocks with each of these numbers of threads per block.
struct grid_set {
  std::vector<count_range> blocks;
  std::vector<unsigned> threads;
};

/// What study_axes are for CPUs, for GPUs: no lane is bound there, and nothing waits asleep.
struct gpu_axes {
  std::vector<grid_set> grids{};
  form_set forms = form_set::standard;
  type_set types = type_set::one;
  std::vector<value_type> only{};  ///< of the types, these; empty: all of them
  std::vector<placement> placements{placement::shared, placement::strided};
  std::vector<scope> scopes{};          ///< of the forms, those; empty: all of them
  std::vector<written_form> written{};  ///< of all forms, those, where a backend has flavours
  std::vector<unsigned> strides{1};     ///< elements
  std::vector<unsigned> actives{};      ///< lanes of each warp that take part; empty: all
  std::vector<unsigned> sizes{};        ///< for ops with a size; empty: those that are built
  std::vector<home> homes{home::none};  ///< for ops that a host thread launches: where it runs; for
                                        ///< others, only where a study says: where their cells lie
  unsigned repeats = 0;
  bool additivity = false;
};

using gpu_rule = rule_of<gpu_axes>;

struct gpu_part {
  std::vector<gpu_rule> rules{};
  gpu_axes others{};                   ///< for ops that only the user names
  std::optional<double> max_time_s{};  ///< of each point, where that is not the usual
  double visit_s = usual_visit_s;      ///< the mean visit on an H200
  unsigned rounds_at_once = 1;  ///< as many may be queued, where no cost is compared by the host's
                                ///< clock
};

/// How long a study takes over each point, where that is not the usual.
struct study_pace {
  double precision, max_time_s;
  double min_sample_us = 0;           ///< 0: the usual
  std::optional<std::size_t> many{};  ///< more points than this get
  unsigned visits_of_many = 3;        ///< so many visits each
  std::optional<double> longest_s{};  ///< of a plan that takes longer a sample of each class of
                                      ///< pairs comes first, and the others as far as this lasts
};

/// What it measures on CPUs and on GPUs; a part without rules has no point at all.
struct study {
  unsigned place;  ///< in lists of studies
  std::string_view name, purpose;
  std::vector<study_rule> rules{};
  study_axes others{};  ///< for ops that only the user names
  gpu_part gpu{};
  std::optional<study_pace> pace{};
  bool native_first = false;       ///< no portable backend beside a native one unless it is named
  bool counterparts_only = false;  ///< only what a native and a portable backend both measure
  bool native_only = false;  ///< no portable backend unless --backend names it: the figure is the
                             ///< machine's
  bool layouts_together = false;  ///< points that differ in the layout of their cells alone are
                                  ///< visited one after the other
  bool ops_together = false;      ///< so are points that differ in backend, op and order alone
  bool waits_together = false;    ///< and points that differ in waiting and lateness alone
  std::vector<std::string_view> also{};  ///< backends that it compares, beside those measured in
                                         ///< any case; all are visited in turn
  std::string_view left_out{};           ///< what it does not measure, so as to end in time
};

/// Numbers of blocks that several studies take: alone, or by multiprocessor.
namespace blocks {
using block_symbol = count_range::symbol;
inline constexpr count_range one{.first = 1, .last = 1};
inline constexpr count_range two{.first = 2, .last = 2};
inline constexpr count_range half_sm{.named = block_symbol::half_sm};
inline constexpr count_range sm{.named = block_symbol::sm};
inline constexpr count_range two_sm{.named = block_symbol::two_sm};
}  // namespace blocks

/// Rules for every op that is in_quick. Locks among the lanes of a GPU have grids of their own.
[[nodiscard]] std::vector<study_rule> every_op(const study_axes& axes);
[[nodiscard]] std::vector<gpu_rule> every_op(const std::vector<grid_set>& grids,
                                             const std::vector<grid_set>& of_locks);

/// In the order of their places.
[[nodiscard]] std::span<const study> studies();
/// Null when there is none of that name.
[[nodiscard]] const study* find_study(std::string_view name);
[[nodiscard]] std::vector<std::string> study_names();

/// Whether it compares where lanes are: several affinities, or pairs of PUs.
[[nodiscard]] bool compares_placements(const study& s);

/// Whether the name of an op fits a pattern, in which `*` stands for any letters, or none.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view name);
/// Whether some of the patterns stand for an op. `user_family`: of an op that only a user's worker
/// has, else empty.
[[nodiscard]] bool any_fits(const std::vector<std::string_view>& patterns, std::string_view op,
                            std::string_view user_family);
template <class Axes>
[[nodiscard]] bool covers(const rule_of<Axes>& rule, std::string_view op,
                          std::string_view user_family = {}) {
  return any_fits(rule.ops, op, user_family) && !any_fits(rule.except, op, user_family);
}

/// Ascending, without repeats; never more than `max`.
[[nodiscard]] std::vector<unsigned> lanes_of(lane_set set, unsigned max);

}  // namespace syncmeter
