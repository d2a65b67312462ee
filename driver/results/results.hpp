// A results file read back: what `show`, the summary, `--csv` and `--resume` see.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/harness/harness.hpp"
#include "core/point.hpp"
#include "driver/results/catalogue.hpp"

namespace syncmeter {

/// A file's first line is {"kind":"campaign","schema":{"major":1,"minor":0},"argv":[..],
/// "options":{..},"machine":{..}, ...}; its last one
/// {"kind":"end","wall_s":..,"timed_s":..,"interrupted":..}. A reader takes any minor number of its
/// own major one.
inline constexpr int schema_major = 1;
inline constexpr int schema_minor = 1;

/// One point's estimate over its visits, as the tables show it.
struct point_summary {
  point what;
  enum status status = status::ok;
  std::string reason;
  std::string measured_as;  ///< canonical text of the point that was measured in its place; or
                            ///< empty
  std::size_t visits = 0;   ///< visits that hold an estimate in the headline state
  std::string state;        ///< "" when there is one state only, "quiet (98 %)" when it was busy at
                            ///< times, "state 0, quiet (63 %)" when there are several classes
  double hop_ns = 0;        ///< of the headline state, by the pair probe; 0 without one
  unsigned state_class = 0;  ///< the state's class of hops within its file
  bool busy = false;         ///< the state's
  std::size_t rounds = 0;    ///< of all visits in the state
  struct visit_cost {
    double cost_ns = 0;
    std::size_t rounds = 0;
  };
  std::map<unsigned, visit_cost> by_visit;  ///< in the state, by the number of the visit
  bool headline = true;                     ///< false: one of the other_states of a point
  bool imported = false;  ///< its source published it, with an interval or without one
  bool resolved = true;   ///< false: 0 is among what the cost may be, by its only visit too
  interval cost_ns;       ///< median of visit medians with its interval over visits; infinite
                          ///< bounds where a CPU's point has one visit
  interval host_cost_ns;
  bool host_timed = false;  ///< every visit has a cost by the host's clock
  interval cost_cycles;     ///< in cycles of device or cores; all 0 where none are counted
  double baseline_ns = 0, test_ns = 0;  ///< one step of each side
  double fairness = 1, slowest_over_fastest = 1;
  std::size_t rounds_kept = 0, rounds_dropped = 0;
  std::optional<bool> additive;
  std::vector<int> pus;
  bool visited = false;  ///< a visit stands behind it, be it one without an estimate
  std::string build, doubt;
  bool oversubscribed = false;
  nlohmann::json lane_waits;                ///< over its visits; null where its op notes none
  std::optional<unsigned> device;           ///< a GPU's index; nothing for a CPU's point
  std::optional<op_facts> reported;         ///< what its visits report of its op, if anything
  std::vector<point_summary> other_states;  ///< the same point in each other state that it was seen
                                            ///< in, nearest first
};

/// What a point's op is: what its visits say, else what is known of the shared ops.
[[nodiscard]] op_facts facts_of(const point_summary& s);

struct results_file {
  std::string path;
  nlohmann::json campaign;  ///< its `campaign` line
  std::vector<nlohmann::json> workers;
  std::vector<nlohmann::json> visits;  ///< visit lines, in file order
  std::vector<nlohmann::json> same;    ///< `same` lines:
                                     ///< {"kind":"same","point":{..},"measured_as":{..},"why":".."}
  std::vector<nlohmann::json>
      refused;  ///< `refused` lines:
                ///< {"kind":"refused","point":{..},"status":"unsupported","reason":".."}
  std::vector<point> estimated;         ///< of the `point` lines behind the last visit
  nlohmann::json end;                   ///< the last `end` line; null when the campaign was cut off
  std::uint64_t whole_bytes = 0;        ///< bytes of text up to the end of the last whole line
  std::vector<std::string> left_out{};  ///< lines that cannot be used: "line 12: .."
  bool torn = false;                    ///< a last line without an end, or not JSON
  bool compressed = false;              ///< as Zstandard
  bool open_frame = false;              ///< compressed, and cut off before its end
};

/// The text of a file, and whether it is compressed: all that can be unpacked of it.
struct file_text {
  std::string text;
  bool compressed = false, open_frame = false;
};
/// Throws usage_error: not readable, or its compression is damaged.
[[nodiscard]] file_text text_of_file(const std::string& path);

/// Reads a file, compressed or not. Throws usage_error: not readable, empty, no campaign line or a
/// second one, another schema major, a line (named by number) that is not JSON anywhere but at the
/// end. A visit that cannot be used is left out, and told.
[[nodiscard]] results_file read_results(const std::string& path);
/// The same of bytes that somebody has read already; `path` is what messages call them.
[[nodiscard]] results_file results_in(const std::string& path, std::string bytes);

/// One summary per point, in order of first appearance, `same` and `refused` points included.
[[nodiscard]] std::vector<point_summary> summarize(const results_file& file);

/// How many visits with enough quiet rounds, in the placement of its family, each point of CPU
/// lanes has, by canonical text.
[[nodiscard]] std::map<std::string, std::size_t> quiet_visits(const results_file& file);

/// A number in a line; `otherwise` where there is none. Infinite bounds are null in JSON.
[[nodiscard]] double number_or(const nlohmann::json& object, const char* member, double otherwise);

/// A text in a line; empty where there is none.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* member);

/// Build ids of workers, by backend (or name of the worker) and arm.
using build_ids = std::map<std::pair<std::string, std::string>, std::string>;
/// Of the worker that measures a point; empty where it is unknown.
[[nodiscard]] std::string build_of(const build_ids& builds, const point& what);

/// "OP|...|build|": the key of a visit line, for --resume, but for the visit's number behind it.
[[nodiscard]] std::string visits_key(const point& what, const std::string& build_id);

}  // namespace syncmeter
